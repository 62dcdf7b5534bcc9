#include <boost/test/unit_test.hpp>

#include "tool/rpc/json_rpc_lines.hpp"

#include <algorithm>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(json_rpc_lines_test)

using weft::json_rpc_lines;

namespace {

std::vector<std::string> cut(std::string_view output, std::size_t piece, json_rpc_lines& lines)
{
    std::vector<std::string> found;
    while (!output.empty()) {
        const std::string part{output.substr(0, piece)};
        output.remove_prefix(part.size());
        lines.feed(part);
        while (lines.next()) found.emplace_back(lines.line());
    }
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_are_the_same_however_the_output_is_cut)
{
    const std::string output = "{\"a\":1}\n\r\n\n{\"b\":\"ü\"}\r\nbanner\n{\"half\"";
    const std::vector<std::string> expected{"{\"a\":1}", "{\"b\":\"ü\"}", "banner"};
    for (std::size_t piece = 1; piece <= output.size(); ++piece) {
        json_rpc_lines lines;
        BOOST_TEST(cut(output, piece, lines) == expected, boost::test_tools::per_element());
        BOOST_TEST(!lines.has_failed());
    }
}

BOOST_AUTO_TEST_CASE(a_banner_is_no_message)
{
    for (const char* noise : {"Starting server...", "", "  ", "\x1b[32mready\x1b[0m", "2026-01-01 {}"})
        BOOST_TEST(!json_rpc_lines::may_be_message(noise));
    for (const char* message : {"{}", "  {\"a\":1}", "[1]"}) BOOST_TEST(json_rpc_lines::may_be_message(message));
}

BOOST_AUTO_TEST_CASE(a_huge_line_ends_the_stream_in_bounded_memory)
{
    for (const std::size_t piece : {1UL, 7UL, 1000UL}) {
        json_rpc_lines lines{20};
        const std::string fits(20, 'x');
        BOOST_TEST(cut(fits + "\nok\n", piece, lines).size() == 2);
        std::string too_long(21, 'x');
        too_long.append("\nnever\n");
        BOOST_TEST(cut(too_long, piece, lines).empty());
        BOOST_TEST(lines.has_failed());
        const weft::error why = lines.failure("srv");
        BOOST_TEST((why.code() == weft::errc::response_too_large));
        BOOST_TEST(std::string{why.what()}.find("srv") != std::string::npos);
        BOOST_TEST(std::string{why.what()}.find("20 bytes") != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
