#include <boost/test/unit_test.hpp>

#include <weft/base/errc.hpp>

#include <set>

using weft::errc;

BOOST_AUTO_TEST_SUITE(errc_test)

namespace {

constexpr int last = static_cast<int>(errc::guardrail_tripped);

}  // namespace

BOOST_AUTO_TEST_CASE(every_code_has_a_name_and_a_sentence_of_its_own)
{
    std::set<std::string_view> names;
    std::set<std::string_view> sentences;
    for (int value = 1; value <= last; ++value) {
        const auto code = static_cast<errc>(value);
        BOOST_TEST_CONTEXT("code " << value)
        {
            BOOST_TEST(!weft::name_of(code).empty());
            BOOST_TEST(weft::name_of(code) != "unknown");
            BOOST_TEST(names.insert(weft::name_of(code)).second);
            BOOST_TEST(!weft::describe(code).empty());
            BOOST_TEST(weft::describe(code) != "unknown error");
            BOOST_TEST(sentences.insert(weft::describe(code)).second);
            BOOST_TEST(!weft::describe(code).ends_with('.'));
        }
    }
}

BOOST_AUTO_TEST_CASE(numbers_outside_the_list_are_called_unknown)
{
    for (const int value : {-1, 0, last + 1}) {
        BOOST_TEST(weft::name_of(static_cast<errc>(value)) == "unknown");
        BOOST_TEST(weft::describe(static_cast<errc>(value)) == "unknown error");
    }
}

BOOST_AUTO_TEST_CASE(a_code_travels_in_an_error_code)
{
    const boost::system::error_code code = errc::node_timeout;
    BOOST_TEST(code.failed());
    BOOST_TEST((code == errc::node_timeout));
    BOOST_TEST((code != errc::run_timeout));
    BOOST_TEST(code.category().name() == "weft");
    BOOST_TEST(code.message() == weft::describe(errc::node_timeout));
}

BOOST_AUTO_TEST_SUITE_END()
