#include <boost/test/unit_test.hpp>

#include "store/record/json_contains.hpp"

#include <weft/base/json.hpp>

BOOST_AUTO_TEST_SUITE(json_contains_test)

namespace {

bool contains(const char* whole, const char* part)
{
    return weft::json_contains(weft::parse_json(whole), weft::parse_json(part));
}

}  // namespace

/** The examples of PostgreSQL's documentation, 8.14.3. */
BOOST_AUTO_TEST_CASE(it_agrees_with_the_examples_of_postgresql)
{
    BOOST_TEST(contains(R"("foo")", R"("foo")"));
    BOOST_TEST(contains("[1, 2, 3]", "[1, 3]"));
    BOOST_TEST(contains("[1, 2, 3]", "[3, 1]"));
    BOOST_TEST(contains("[1, 2, 3]", "[1, 2, 2]"));
    BOOST_TEST(contains(R"({"product": "PostgreSQL", "version": 9.4, "jsonb": true})", R"({"version": 9.4})"));
    BOOST_TEST(!contains("[1, 2, [1, 3]]", "[1, 3]"));
    BOOST_TEST(contains("[1, 2, [1, 3]]", "[[1, 3]]"));
    BOOST_TEST(!contains(R"({"foo": {"bar": "baz"}})", R"({"bar": "baz"})"));
    BOOST_TEST(contains(R"({"foo": {"bar": "baz"}})", R"({"foo": {}})"));
    BOOST_TEST(contains(R"(["foo", "bar"])", R"("bar")"));
    BOOST_TEST(!contains(R"("bar")", R"(["bar"])"));
}

BOOST_AUTO_TEST_CASE(numbers_are_compared_by_value)
{
    BOOST_TEST(contains(R"({"n": 3.0})", R"({"n": 3})"));
    BOOST_TEST(!contains(R"({"n": 9007199254740993})", R"({"n": 9007199254740992})"));
    BOOST_TEST(!contains(R"({"n": 0})", R"({"n": false})"));
    BOOST_TEST(contains(R"({"n": null})", R"({"n": null})"));
    BOOST_TEST(!contains("{}", R"({"n": null})"));
}

BOOST_AUTO_TEST_SUITE_END()
