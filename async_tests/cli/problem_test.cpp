#include "files.hpp"
#include "graph/problem.hpp"

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(problem_test)

namespace {

/** Without colours, as a file or pipe is. */
const console::screen& plain()
{
    static const console::screen screen{-1};
    return screen;
}

std::string excerpt(std::string_view text, std::uint32_t line, std::uint32_t column)
{
    return weft_cli::excerpt(text, {line, column}, plain());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_mark_is_below_the_column)
{
    BOOST_TEST(excerpt("one\ntwo\nthree", 2, 3) == "  two\n    ^\n");
    BOOST_TEST(excerpt("one\r\ntwo\r\n", 1, 1) == "  one\n  ^\n");
    BOOST_TEST(excerpt("one", 1, 4) == "  one\n     ^\n");
    BOOST_TEST(excerpt("one", 1, 40) == "  one\n     ^\n");
}

BOOST_AUTO_TEST_CASE(columns_are_code_points_and_wide_ones_take_two)
{
    BOOST_TEST(excerpt("äöü x", 1, 5) == "  äöü x\n      ^\n");
    BOOST_TEST(excerpt("日本 x", 1, 4) == "  日本 x\n       ^\n");
    BOOST_TEST(excerpt("\t\tx", 1, 3) == "    x\n    ^\n");
}

BOOST_AUTO_TEST_CASE(what_a_file_says_cannot_steer_the_terminal)
{
    BOOST_TEST(excerpt("\x1b[31mx", 1, 6) == "   [31mx\n       ^\n");
}

BOOST_AUTO_TEST_CASE(of_a_long_line_the_part_around_the_mark_is_shown)
{
    const std::string line = std::string(5000, 'a') + "X" + std::string(5000, 'b');
    const std::string text = excerpt(line, 1, 5001);
    const std::size_t end = text.find('\n');
    BOOST_TEST(console::columns_of(std::string_view{text}.substr(0, end)) <= 105U);
    const std::string_view mark = std::string_view{text}.substr(end + 1);
    BOOST_TEST(console::columns_of(std::string_view{text}.substr(0, text.find('X'))) == mark.find('^'));
    BOOST_TEST(text.starts_with("  …"));
    BOOST_TEST(has(text, "b…\n"));
}

BOOST_AUTO_TEST_CASE(without_a_line_there_is_no_excerpt)
{
    BOOST_TEST(excerpt("one", 2, 1) == "");
    BOOST_TEST(excerpt("one\n\n", 2, 1) == "");
    BOOST_TEST(excerpt("", 1, 1) == "");
}

BOOST_AUTO_TEST_CASE(findings_stand_at_the_node_that_they_name)
{
    const folder in{"findings"};
    const std::string path = in.write("a.json", json_text("{'name': 'a',\n 'nodes': [{'name': 'x', 'kind': 'join'},\n"
                                                       "  {'name': 'y', 'kind': 'join'}],\n 'edges': [{'from': "
                                                       "'__start__', 'to': 'x'}, {'from': 'x', 'to': 'y'}, {'from': "
                                                       "'y', 'to': 'x'}]}"));
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(path);
    const std::vector<weft_cli::problem> problems = weft_cli::problems_of(file);
    BOOST_TEST_REQUIRE(problems.size() == 1U);
    BOOST_TEST(problems[0].found.what.rule == "endless_cycle");
    BOOST_TEST(problems[0].path == "$.nodes[0]");
    const std::string text = weft_cli::problem_writer{plain()}.text_of(problems[0], file);
    BOOST_TEST(has(text, path + ":2:12: error: endless_cycle: nothing leads out"));
    BOOST_TEST(has(text, "\n   \"nodes\": [{\"name\": \"x\", \"kind\": \"join\"},\n             ^\n"));
    BOOST_TEST(has(text, "\n  way: x -> y -> x\n  remedy: "));
}

BOOST_AUTO_TEST_CASE(cycles_of_functions_are_no_errors_since_they_may_answer_with_a_command)
{
    const folder in{"cycle"};
    const std::string path = in.write("a.json", json_text("{'name': 'a', 'nodes': [{'name': 'x'}], 'edges': [{'from': "
                                                       "'__start__', 'to': 'x'}, {'from': 'x', 'to': 'x'}]}"));
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(path);
    BOOST_TEST(weft_cli::problems_of(file).empty());
}

BOOST_AUTO_TEST_SUITE_END()
