#include "files.hpp"
#include "graph/run_input.hpp"
#include "graph/run_tools.hpp"
#include "run/run_registry.hpp"
#include "run/run_stubs.hpp"

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

std::string why_not(const weft::tool_set& tools, const std::string& name)
{
    try {
        const std::vector<std::string> names{name};
        return tools.only(names).names();
    } catch (const weft::error& e) {
        return e.detail();
    }
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

BOOST_AUTO_TEST_CASE(M1_tools_of_memory_are_there_for_nodes_that_name_them)
{
    const std::vector<std::string> names{"remember", "recall", "forget"};
    const auto allowed = weft_cli::allowed_tools({});
    BOOST_TEST(allowed->empty());
    BOOST_TEST(allowed->only(names).size() == 3u);
    BOOST_TEST(weft_cli::foreign_tools({})->only(names).find("recall")->spec.description.find("earlier") !=
               std::string::npos);
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
    const auto tools = weft_cli::foreign_tools({"weather", "read_file"});
    BOOST_TEST(tools->names() == "http_fetch, list_files, read_file, weather, write_file");
    BOOST_TEST(has(why_not(*tools, "whether"), "did you mean 'weather'?"));
    BOOST_TEST(has(why_not(*tools, "whether"), "name it with --tools"));
}

BOOST_AUTO_TEST_CASE(U5_a_file_that_runs_with_a_built_in_tool_is_good_without_options)
{
    const folder files{"tools_check"};
    const std::string file = files.write("agent.json", json_text(R"({'name': 'agent',
        'state': [{'name': 'answer', 'type': 'string'}, {'name': 'messages', 'type': 'messages', 'reducer': 'append'}],
        'nodes': [{'name': 'work', 'kind': 'react', 'writes': ['messages', 'answer'],
                   'settings': {'system': 'Read.', 'tools': ['read_file', 'write_file', 'http_fetch']}}],
        'edges': [{'from': '__start__', 'to': 'work'}]})"));
    const weft_cli::graph_file looked_at = weft_cli::graph_file_reader{{}}.read(file);
    BOOST_TEST(looked_at.mistakes.empty());
    BOOST_TEST(has(why_not(*weft_cli::allowed_tools({}), "read_file"),
                   "the tool 'read_file' is not allowed: add --allow files=FOLDER"));
    BOOST_TEST(has(why_not(*weft_cli::allowed_tools({}), "write_file"), "--allow files-write=FOLDER"));
    BOOST_TEST(has(why_not(*weft_cli::allowed_tools({}), "http_fetch"), "--allow http_fetch"));
    BOOST_TEST(has(why_not(*weft_cli::allowed_tools({"http_fetch"}), "weather"), "there are: http_fetch"));
}

BOOST_AUTO_TEST_CASE(tools_of_servers_are_known_by_their_prefix_and_need_their_server_allowed)
{
    const folder files{"tools_mcp"};
    const std::string text = R"({'name': 'agent',
        'state': [{'name': 'answer', 'type': 'string'}, {'name': 'messages', 'type': 'messages', 'reducer': 'append'}],
        'mcp': {'shop': {'url': 'https://shop.example/mcp', 'tools': ['buy']}, 'notes': {'command': ['notes-server']}},
        'nodes': [{'name': 'work', 'kind': 'react', 'writes': ['messages', 'answer'],
                   'settings': {'system': 'Read.', 'tools': ['TOOL', 'notes__anything']}}],
        'edges': [{'from': '__start__', 'to': 'work'}]})";
    const auto mistakes_with = [&](const std::string& tool) {
        std::string with = json_text(text);
        with.replace(with.find("TOOL"), 4, tool);
        const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(files.write("agent.json", with));
        return file.mistakes.empty() ? std::string{} : file.mistakes.front().text;
    };
    BOOST_TEST(mistakes_with("shop__buy") == "");
    BOOST_TEST(has(mistakes_with("shop__sell"), "the \"tools\" of the server 'shop' have no 'shop__sell'"));
    BOOST_TEST(has(mistakes_with("shp__buy"), "there is no tool 'shp__buy'"));

    const weft_cli::server_specs servers{{"shop", {}}, {"notes", {}}};
    BOOST_TEST(has(why_not(*weft_cli::allowed_tools({}, servers), "shop__buy"), "add --allow mcp=shop"));
    BOOST_TEST(weft_cli::allowed_servers({"http_fetch", "mcp=shop"}, servers).size() == 1U);
    BOOST_CHECK_EXCEPTION((void)weft_cli::allowed_servers({"mcp=shpo"}, servers), weft_cli::usage_error,
                          [](const auto& e) { return has(e.what(), "did you mean 'shop'?"); });
    BOOST_TEST(has(refusal_of({"mcp="}), "name the server"));
}

BOOST_AUTO_TEST_SUITE_END()
