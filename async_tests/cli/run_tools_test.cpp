#include "files.hpp"
#include "run_input.hpp"
#include "run_registry.hpp"
#include "run_stubs.hpp"
#include "run_tools.hpp"

#include <weft/engine/engine.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_tools_test)

namespace {

std::string refusal_of(const std::vector<std::string>& words)
{
    try {
        (void)weft_cli::allowed_tools(words);
    } catch (const weft_cli::usage_error& e) {
        return e.what();
    }
    return {};
}

constexpr const char* reader = R"({"name": "reader",
    "state": [{"name": "messages", "type": "messages", "initial": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "",
         "tool_calls": [{"id": "c1", "name": "read_file", "arguments": "{\"path\": \"note.txt\"}"}]}]}],
    "nodes": [{"name": "tools", "kind": "tool"}],
    "edges": [{"from": "__start__", "to": "tools"}]})";

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_allowed_unless_it_is_named)
{
    BOOST_TEST(weft_cli::allowed_tools({})->empty());
    const folder files{"tools"};
    const std::string here = files.write("note.txt", "hello");
    const std::string root = here.substr(0, here.rfind('/'));
    BOOST_TEST(weft_cli::allowed_tools({"http_fetch"})->names() == "http_fetch");
    BOOST_TEST(weft_cli::allowed_tools({"files=" + root})->find("write_file") == nullptr);
    BOOST_TEST(weft_cli::allowed_tools({"files-write=" + root})->find("write_file") != nullptr);
}

BOOST_AUTO_TEST_CASE(words_that_allow_nothing_are_refused)
{
    BOOST_TEST(has(refusal_of({"http_fetsh"}), "did you mean 'http_fetch'?"));
    BOOST_TEST(has(refusal_of({"files"}), "name the folder"));
    BOOST_TEST(has(refusal_of({"files="}), "name the folder"));
    BOOST_TEST(has(refusal_of({"files=/no/such/folder"}), "/no/such/folder"));
    BOOST_TEST(has(refusal_of({"http_fetch", "http_fetch"}), "http_fetch"));
}

BOOST_AUTO_TEST_CASE(a_node_of_a_file_calls_what_is_allowed)
{
    const folder files{"tools_run"};
    const std::string note = files.write("note.txt", "hello");
    const std::string file = files.write("reader.json", reader);
    const weft_cli::stubbed_functions no_stubs{std::vector<std::string>{}};
    weft_cli::run_surroundings around;
    around.tools = weft_cli::allowed_tools({"files=" + note.substr(0, note.rfind('/'))});
    const weft::loaded_graph loaded = weft::load_graph_file(file, make_registry(around, no_stubs));
    const weft::run_result result = weft::run_blocking(loaded.what, weft::run_request{});
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(has(boost::json::serialize(result.state.to_json()), "hello"));
}

BOOST_AUTO_TEST_CASE(a_look_at_a_file_takes_named_tools_for_granted)
{
    BOOST_TEST(weft_cli::foreign_tools({"weather", "search"})->names() == "search, weather");
    BOOST_TEST(weft_cli::foreign_tools({})->empty());
}

BOOST_AUTO_TEST_SUITE_END()
