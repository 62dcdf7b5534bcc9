#include <boost/test/unit_test.hpp>

#include "model/embedding/embedding_batches.hpp"

#include <weft/base/error.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(embedding_batches_test)

using weft::errc;
using weft::model_detail::batches_of;
using sizes = std::vector<std::size_t>;

BOOST_AUTO_TEST_CASE(a_request_takes_as_many_texts_as_it_may)
{
    const std::vector<std::string> texts{"a", "b", "c", "d", "e"};
    BOOST_TEST((batches_of(texts, {2, 100}) == sizes{2, 2, 1}));
    BOOST_TEST((batches_of(texts, {5, 100}) == sizes{5}));
    BOOST_TEST(batches_of({}, {5, 100}).empty());
}

BOOST_AUTO_TEST_CASE(a_request_has_no_more_bytes_than_it_may)
{
    const std::vector<std::string> texts{"aaa", "bb", "c", "dddd", "eeeee"};
    BOOST_TEST((batches_of(texts, {9, 5}) == sizes{2, 2, 1}));
    BOOST_TEST((batches_of(texts, {9, 15}) == sizes{5}));
    BOOST_TEST((batches_of(texts, {9, 14}) == sizes{4, 1}));
}

BOOST_AUTO_TEST_CASE(empty_and_long_texts_are_named)
{
    const auto says = [](std::string where) {
        return [where](const weft::error& e) { return e.code() == errc::invalid_configuration && e.where() == where; };
    };
    const std::vector<std::string> empty{"a", ""};
    BOOST_CHECK_EXCEPTION((void)batches_of(empty, {9, 5}), weft::error, says("texts[1]"));
    const std::vector<std::string> fits{"aaaaa"};
    BOOST_TEST((batches_of(fits, {9, 5}) == sizes{1}));
    const std::vector<std::string> too_long{"a", "b", "cccccc"};
    BOOST_CHECK_EXCEPTION((void)batches_of(too_long, {9, 5}), weft::error, says("texts[2]"));
}

BOOST_AUTO_TEST_SUITE_END()
