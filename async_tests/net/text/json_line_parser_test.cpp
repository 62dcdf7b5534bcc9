#include <boost/test/unit_test.hpp>

#include <weft/net/text/json_line_parser.hpp>

#include <functional>
#include <random>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(json_line_parser_test)

using weft::json_line_options;
using weft::json_line_parser;
using weft::sse_event;

namespace {

using lines = std::vector<std::string>;

/** All lines of a body that comes in pieces of these sizes; a line that its end cut has an ellipsis in front. */
lines read(std::string_view body, const std::function<std::size_t()>& next_size, json_line_options options = {})
{
    json_line_parser parser{options};
    lines found;
    while (!body.empty()) {
        const std::string piece{body.substr(0, next_size())};  // of its own, so that a view into it cannot live on
        body.remove_prefix(piece.size());
        parser.feed(piece);
        while (const sse_event* event = parser.next()) found.emplace_back(event->data);
    }
    if (const sse_event* event = parser.finish()) found.push_back("…" + std::string{event->data});
    if (parser.has_failed()) found.push_back(parser.failure("here").what());
    return found;
}

lines read(std::string_view body, json_line_options options = {})
{
    return read(body, [&] { return body.size(); }, options);
}

void check(std::string_view body, const lines& expected)
{
    std::minstd_rand random{5};
    BOOST_TEST(read(body) == expected, boost::test_tools::per_element());
    BOOST_TEST(read(body, [] { return std::size_t{1}; }) == expected, boost::test_tools::per_element());
    for (int i = 0; i < 20; ++i)
        BOOST_TEST(read(body, [&] { return 1 + random() % 7; }) == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_line_is_an_event)
{
    check("{\"a\":1}\n{\"b\":2}\n", {"{\"a\":1}", "{\"b\":2}"});
    check("", {});
    json_line_parser parser;
    parser.feed("{}\n");
    const sse_event* event = parser.next();
    BOOST_REQUIRE(event);
    BOOST_TEST(event->type == "message");
    BOOST_TEST(event->error.empty());
    BOOST_TEST(parser.next() == nullptr);
    BOOST_TEST(parser.finish() == nullptr);
}

BOOST_AUTO_TEST_CASE(carriage_returns_and_lines_of_blanks_do_not_count)
{
    check("\r\n \t\n{\"a\":1}\r\n\n\n  {\"b\":2} \n", {"{\"a\":1}", "{\"b\":2}"});
}

BOOST_AUTO_TEST_CASE(a_last_line_without_an_end_is_given_out_at_the_end)
{
    check("{\"a\":1}\n{\"b\":", {"{\"a\":1}", "…{\"b\":"});
    check("{\"a\":1}", {"…{\"a\":1}"});
    check("{\"a\":1}\n  ", {"{\"a\":1}"});
}

BOOST_AUTO_TEST_CASE(what_is_not_utf_8_is_repaired)
{
    check("\"a\xff\"\n", {"\"a\uFFFD\""});
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_ends_the_stream)
{
    const std::string sentence{weft::describe(weft::errc::response_too_large)};
    const lines expected{"1234", "here: " + sentence + ": a line of the stream is longer than line_bytes_max"};
    for (const std::size_t size : {1, 2, 100})
        BOOST_TEST(read("1234\n12345\n1\n", [&] { return size; }, {.line_bytes_max = 4}) == expected,
                   boost::test_tools::per_element());
    BOOST_TEST(read("12345", [] { return 1; }, {.line_bytes_max = 4}).back() == expected.back());
}

BOOST_AUTO_TEST_SUITE_END()
