#include "files.hpp"
#include "graph/problem.hpp"
#include "graph/starter.hpp"

#include <weft/engine/engine.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(starter_test)

namespace {

/** Takes nodes that talk with models for granted where weft was built without them. */
weft_cli::graph_file_reader reader()
{
    const bool has_models = weft_cli::graph_file_reader{{}}.registry().kind("llm") != nullptr;
    return weft_cli::graph_file_reader{has_models ? weft_cli::foreign_names{} : weft_cli::foreign_names{{"llm"}, {}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_starter_is_a_graph_without_problems)
{
    const folder in{"starters"};
    for (const std::string& name : weft_cli::starter_names()) {
        const std::string path = in.write(name + ".json", weft_cli::starter_text(name, "a \"good\" name"));
        const weft_cli::graph_file file = reader().read(path);
        for (const weft_cli::problem& what : weft_cli::problems_of(file))
            BOOST_ERROR(weft_cli::problem_writer{console::screen{-1}}.text_of(what, file));
        BOOST_TEST_REQUIRE(file.loaded.has_value(), name);
        BOOST_TEST(file.loaded->what.name() == "a \"good\" name");
        BOOST_TEST(file.functions.empty(), name);
        BOOST_TEST(!weft_cli::starter_arguments(name).empty());
    }
}

BOOST_AUTO_TEST_CASE(hello_runs)
{
    const weft::loaded_graph hello
        = weft::load_graph(weft_cli::starter_text("hello", "hello"), weft::node_registry{});
    const weft::state_key<std::string> who{"who"};
    const weft::state_key<std::string> text{"text"};
    const weft::run_result short_one = weft::run_blocking(hello.what, weft::run_request{}.input(who, "you"));
    BOOST_TEST((short_one.status == weft::run_status::finished));
    BOOST_TEST(short_one.state.get(text) == "Hello, you!");
    const weft::run_result long_one
        = weft::run_blocking(hello.what, weft::run_request{}.input(who, std::string(21, 'x')));
    BOOST_TEST(long_one.state.get(text).ends_with("What a long name."));
}

BOOST_AUTO_TEST_CASE(starters_with_models_run_on_their_scripted_replies)
{
    const weft_cli::graph_file_reader looking = reader();
    if (!weft_cli::graph_file_reader{{}}.registry().kind("llm")) return;
    for (const char* name : {"review", "research"}) {
        const weft::loaded_graph loaded = weft::load_graph(weft_cli::starter_text(name, name), looking.registry());
        const weft::run_result result = weft::run_blocking(loaded.what, weft::run_request{});
        BOOST_TEST((result.status == weft::run_status::finished), name << ": " << result.message());
    }
}

BOOST_AUTO_TEST_SUITE_END()
