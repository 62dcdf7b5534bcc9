#include "files.hpp"

#include <weft/engine/engine.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_file_test)

BOOST_AUTO_TEST_CASE(functions_are_taken_for_granted_with_those_of_inner_files)
{
    const weft_cli::graph_file_reader reader{{}};
    const weft_cli::graph_file file = reader.read(sample("report.json"));
    BOOST_TEST(file.mistakes.empty());
    BOOST_REQUIRE(file.loaded.has_value());
    BOOST_TEST((file.functions == std::set<std::string>{"condense", "query", "search", "write"}));
    BOOST_TEST((reader.read(sample("hello.json")).functions.empty()));
}

BOOST_AUTO_TEST_CASE(what_stands_for_a_function_fails_and_says_what_to_do)
{
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(sample("section.json"));
    BOOST_REQUIRE(file.loaded.has_value());
    const weft::run_result result = weft::run_blocking(file.loaded->what, weft::run_request{});
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST(has(result.message(), "the function 'search'"));
    BOOST_TEST(has(result.message(), "--stub"));
}

BOOST_AUTO_TEST_CASE(foreign_kinds_and_types_are_named)
{
    const folder in{"foreign"};
    const std::string path = in.write("a.json", json_text("{'name': 'a', 'state': [{'name': 'k', 'type': 'address'}], "
                                                       "'nodes': [{'name': 'x', 'kind': 'lookup', 'settings': {'any': "
                                                       "1}}], 'edges': [{'from': '__start__', 'to': 'x'}]}"));
    const weft_cli::graph_file unknown = weft_cli::graph_file_reader{{}}.read(path);
    BOOST_TEST(unknown.mistakes.size() == 2U);
    BOOST_TEST(!unknown.loaded.has_value());
    const weft_cli::graph_file known
        = weft_cli::graph_file_reader{{.kinds = {"lookup"}, .types = {"address"}}}.read(path);
    BOOST_TEST(known.loaded.has_value());
    BOOST_CHECK_THROW(weft_cli::graph_file_reader({.kinds = {"router"}, .types = {}}), weft::error);
}

BOOST_AUTO_TEST_CASE(mistakes_of_inner_files_have_a_path_from_here)
{
    const folder in{"inner"};
    const std::string inner = in.write("b.json", json_text("{'name': 'b', 'nodes': [{'name': 'x', 'kind': 'jion'}]}"));
    const std::string path = in.write("a.json", json_text("{'name': 'a', 'nodes': [{'name': 'in', 'kind': 'subgraph', "
                                                       "'settings': {'graph': 'b.json'}}]}"));
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(path);
    BOOST_TEST_REQUIRE(!file.mistakes.empty());
    BOOST_TEST(file.mistakes.back().file == inner);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_says_why)
{
    const weft_cli::graph_file_reader reader{{}};
    BOOST_TEST(reader.read("/nowhere/a.json").trouble == "No such file or directory");
    BOOST_TEST(reader.read("/").trouble == "it is a folder");
    BOOST_TEST(reader.read(sample("hello.json")).trouble == "");
}

BOOST_AUTO_TEST_CASE(no_more_of_a_file_is_read_than_one_byte_too_many)
{
    const folder in{"large"};
    const std::string path = in.write("a", std::string(100'000, 'x'));
    BOOST_TEST(weft_cli::read_file(path).text.value().size() == 100'000U);
    BOOST_TEST(weft_cli::read_file(path, 70'000).text.value().size() == 70'001U);
    BOOST_TEST(weft_cli::read_file(in.write("b", "")).text.value() == "");
}

BOOST_AUTO_TEST_SUITE_END()
