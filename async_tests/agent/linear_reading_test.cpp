#include <boost/test/unit_test.hpp>

#include "agent/playbook/playbook_text.hpp"
#include "store/redis/redis_reply_parser.hpp"
#include "testing/doubling.hpp"
#include "tool/oauth/oauth_challenge.hpp"
#include "tool/oauth/oauth_metadata.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/agent/chat_agent/completion.hpp>
#include <weft/graph/spec/cron_schedule.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_in_text.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/base/text/untrusted_text.hpp>
#include <weft/engine/trace/run_log.hpp>
#include <weft/graph/expression.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/model/config/model_config.hpp>
#include <weft/net/cassette.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/net/text/http_headers.hpp>
#include <weft/net/text/json_line_parser.hpp>
#include <weft/net/url.hpp>
#include <weft/testing/simulation.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(linear_reading_test)

namespace {

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i) text += part;
    return text;
}

/** A list of items, each with its number in place of '#'. */
std::string numbered(std::string_view item, std::size_t count, std::string_view between = ",")
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) text += between;
        for (const char c : item)
            if (c == '#') text += std::to_string(i);
            else text += c;
    }
    return text;
}

/** Reads, whatever the reader says of it: a refusal must not take long either. */
template <class Read>
void attempt(Read read)
{
    try {
        read();
    } catch (const weft::error&) {
    }
}

/** Checks a reader with texts that get longer by repeating a part. */
template <class Read>
void check_parts(const std::string& what, std::initializer_list<std::string_view> parts, Read read)
{
    for (const std::string_view part : parts)
        check_linear(what + " of '" + std::string{part} + "'", [&](std::size_t count) {
            const std::string text = repeated(part, count);
            attempt([&] { read(text); });
        });
}

void load(const std::string& text, weft::graph_file_format format = weft::graph_file_format::json)
{
    static const weft::node_registry registry = [] {
        weft::node_registry made;
        weft::add_agent_kinds(made, {});
        return made;
    }();
    weft::spec_reader_options options;
    options.format = format;
    attempt([&] { (void)weft::load_graph(text, registry, options); });
}

/** The body of a request of a cassette: the number is what requests differ in, and comparing them comes to it last. */
std::string cassette_body(std::string_view number)
{
    return "{" + numbered(R"("m#": 0)", 100) + R"(, "z": )" + std::string{number} + "}";
}

/** A cassette of as many exchanges, each for a request of its own. */
std::string cassette_text(std::size_t count)
{
    std::string text = R"({"format": "weft cassette", "version": 1, "exchanges": [)";
    for (std::size_t i = 0; i < count; ++i)
        text += (i == 0 ? "" : ",") + (R"({"request": {"method": "POST", "url": "http://x.test/", "headers": [], )"
                                       R"("body": {"json": )" + cassette_body(std::to_string(i))) +
                R"(}}, "response": {"ms": 0, "status": 200, "reason": "OK", "headers": [], "chunks": )"
                R"([{"ms": 0, "text": ")" + std::to_string(i) + R"("}]}, "end": {"ms": 0, "how": "complete"}})";
    return text + "]}";
}

/** Asks for all exchanges of it, the last one first. */
weft::task<void> ask_for_all(weft::http_client client, std::size_t count)
{
    for (std::size_t i = count; i-- > 0;) {
        weft::http_request request{"POST", weft::url{"http://x.test/"}};
        request.body(cassette_body(std::to_string(i)));
        weft::http_response response = co_await client.send(std::move(request));
        const std::string body = co_await response.read_all(100);
        if (body != std::to_string(i)) throw weft::error{weft::errc::invalid_response, "cassette", body};
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(F7_cassettes_are_read_and_answer_in_linear_time)
{
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("weft_linear_cassette." + std::to_string(::getpid()));
    check_linear("a cassette", [&](std::size_t count) {
        std::ofstream{file, std::ios::binary} << cassette_text(count);
        const weft::cassette tape{file, weft::cassette_mode::replay};
        weft::testing::simulation world{1};
        world.run(ask_for_all(weft::http_client{weft::http_client_options{}, tape}, count));
        BOOST_TEST(tape.unused() == 0u);
    }, 250);
    std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(F7_templates_and_marks_in_replies_are_read_in_linear_time)
{
    check_parts("a template", {"{topic} ", "{", "}", "{{", "{ ", "a\n{b}", "é{a}"},
                [](const std::string& text) { (void)weft::prompt_template{text}; });
    check_parts("a playbook's text", {"{{trigger}}", "{{", "{", "{{a.result}} "},
                [](const std::string& text) { (void)weft::playbook_places(text); });
    check_parts("a reply", {"<AGENT_DONE>", "</AGENT_DONE>", "<AGENT_DONE>a</AGENT_DONE>", "<AGENT_BLOCKED><", "<",
                            "<KEY_RESULT>", "\n"},
                [](const std::string& text) { (void)weft::visible_reply(text, weft::read_completion(text)); });
    check_parts("untrusted text", {"<|", "\xe2\x80\x8b", "\xff", "a "},
                [](const std::string& text) { (void)weft::visible_text(text); });
}

BOOST_AUTO_TEST_CASE(F7_json_and_schemas_are_read_in_linear_time)
{
    check_parts("JSON in a text", {"{", "[", "{\"a\":", "}", "{}", "```json\n", "\"", "{\"a\": 1} "},
                [](const std::string& text) {
                    (void)weft::find_json_object(text, [](const auto& found) { return found.contains("z"); });
                });
    check_parts("JSON", {"[", "{\"a\":", "\"", "1", " ", "\n"},
                [](const std::string& text) { (void)weft::parse_json(text); });
    check_linear("an object", [](std::size_t count) {
        (void)weft::parse_json("{" + numbered("\"k#\": \"\\u00e9\"", count) + "}");
    });
    check_linear("a JSON Schema", [](std::size_t count) {
        const std::string text = R"({"type": "object", "properties": {)" +
                                 numbered(R"("k#": {"type": "integer"})", count) + R"(}, "required": [)" +
                                 numbered(R"("k#")", count) + "]}";
        attempt([&] { (void)weft::json_schema(weft::parse_json(text)); });
    });
}

BOOST_AUTO_TEST_CASE(F7_what_comes_from_a_wire_is_read_in_linear_time)
{
    const auto feed_all = [](auto& parser, const std::string& text, std::size_t piece) {
        for (std::size_t at = 0; at < text.size(); at += piece) {
            parser.feed(std::string_view{text}.substr(at, piece));
            while (parser.next()) {
            }
        }
    };
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}}) {
        check_parts("an event stream", {"data: a\n\n", "data: a\n", "\n", "\r", ":", "data", "a"},
                    [&](const std::string& text) {
                        weft::sse_parser parser;
                        feed_all(parser, text, piece);
                    });
        check_parts("JSON lines", {"{}\n", "\n", "{", "a"}, [&](const std::string& text) {
            weft::json_line_parser parser;
            feed_all(parser, text, piece);
        });
        check_parts("a Redis reply", {"+OK\r\n", "*1\r\n", "$1\r\na\r\n", "*2\r\n:1\r\n", "$"},
                    [&](const std::string& text) {
                        weft::redis_reply_parser parser;
                        feed_all(parser, text, piece);
                    });
    }
    check_parts("a URL", {"a", "/..", "%41", "@", ":", "?a=b", "["},
                [](const std::string& text) { (void)weft::url{"http://host/" + text}; });
    check_parts("a challenge", {"Bearer ", "Bearer a=\"", "a=b,", "\"", "\\", ",", "scope=\"a ", "= "},
                [](const std::string& text) {
                    for (std::size_t at = 0; at < text.size(); at += 16 * 1024)
                        (void)weft::oauth_challenge::read("Bearer " + text.substr(at, 16 * 1024));
                });
    check_linear("metadata of a resource", [](std::size_t count) {
        const std::string text = R"({"resource": "https://a.example", "authorization_servers": [)" +
                                 numbered(R"("https://as#.example")", std::min<std::size_t>(count, 8000)) + "]}";
        static const weft::url server{"https://a.example/mcp"};
        for (std::size_t i = 0; i < count; i += 8000)
            attempt([&] { (void)weft::oauth_resource_metadata::read(text, server, ""); });
    });
    check_linear("headers", [](std::size_t count) {
        attempt([&] {
            weft::http_headers headers;
            for (std::size_t i = 0; i < count; ++i) headers.add("x-" + std::to_string(i), "value");
        });
    });
    check_parts("a log of a run", {"{\"event\":\"run_started\"}\n", "\n", "{", "{}\n"}, [](const std::string& text) {
        std::istringstream from{text};
        (void)weft::read_run_log(from);
    });
}

BOOST_AUTO_TEST_CASE(F7_expressions_are_read_in_linear_time)
{
    // At most 64 KiB of them.
    for (const std::string_view part : {"a + ", "(", "not ", "'a' ", "a.b", "[1, ", "{", "-", "1 < "})
        check_linear("an expression of '" + std::string{part} + "'", [&](std::size_t count) {
            const std::string text = repeated(part, std::min<std::size_t>(count, 8000)) + "1";
            for (std::size_t i = 0; i < count; i += 8000) attempt([&] { (void)weft::expression::compile(text); });
        });
}

BOOST_AUTO_TEST_CASE(F7_graph_files_and_what_names_models_are_read_in_linear_time)
{
    constexpr const char* keys = R"({"name": "k#", "type": "string"})";
    check_linear("a graph file", [](std::size_t count) {
        load(R"({"name": "g", "nodes": [)" + numbered(R"({"name": "n#", "kind": "join"})", count) + R"(], "edges": [)" +
             R"({"from": "__start__", "to": "n0"}, )" +
                  numbered(R"({"from": "n#", "to": "n#", "when": "True"})", count) + "]}");
    });
    check_linear("a template of a graph file", [&](std::size_t count) {
        load(R"({"name": "g", "state": [{"name": "answer", "type": "string"}, )" + numbered(keys, count) +
             R"(], "nodes": [{"name": "a", "kind": "llm", "writes": ["answer"], "reads": [)" +
                  numbered(R"("k#")", count) +
             R"(], "settings": {"prompt": ")" + numbered("{k#} ", count, "") + R"("}}], "edges": )" +
             R"([{"from": "__start__", "to": "a"}]})");
    });
    check_linear("unknown keys of a template", [](std::size_t count) {
        load(R"({"name": "g", "state": [{"name": "answer", "type": "string"}], "nodes": [{"name": "a", "kind": "llm", )"
             R"("writes": ["answer"], "settings": {"prompt": ")" + numbered("{k#} ", count, "") + R"("}}], "edges": )" +
             R"([{"from": "__start__", "to": "a"}]})");
    });
    check_linear("a node that sets keys", [&](std::size_t count) {
        load(R"({"name": "g", "state": [)" + numbered(keys, count) +
             R"(], "nodes": [{"name": "a", "kind": "set", "writes": [)" +
             numbered(R"("k#")", count) + R"(], "settings": {"values": {)" + numbered(R"("k#": "x")", count) +
             R"(}}}], "edges": [{"from": "__start__", "to": "a"}]})");
    });
    check_linear("unknown members", [](std::size_t count) {
        load(R"({"name": "g", "nodes": [{"name": "a", "kind": "join"}], )" + numbered(R"("m#": 1)", count) + "}");
    });
    check_linear("repeated members", [](std::size_t count) {
        load(R"({"nodes": [{"name": "a", "kind": "join"}], )" + numbered(R"("name": "g")", count) + "}");
    });
    check_linear("edges of a model's decisions", [](std::size_t count) {
        load(R"({"name": "g", "nodes": [)" + numbered(R"({"name": "n#", "kind": "join"})", count) + R"(], "edges": [)" +
             numbered(R"({"from": "n#", "kind": "llm", "targets": ["n0"], "fallback": "n#"})", count) + "]}");
    });
    check_linear("a model configuration", [](std::size_t count) {
        attempt([&] {
            (void)weft::model_config::read("{\"models\": {" +
                 numbered(R"("m#": {"provider": "openai", "wrong": 1})", count) +
                                           "}}");
        });
    });
}

BOOST_AUTO_TEST_CASE(F7_yaml_graph_files_are_read_in_linear_time)
{
    // At most 1 MiB of them.
    constexpr std::size_t bytes_max = 1'000'000;
    const auto check = [](const std::string& what, const auto& text_of) {
        check_linear(what, [&](std::size_t count) {
            const std::size_t most = std::min(count, bytes_max / text_of(1).size());
            for (std::size_t i = most; i <= count; i += most) load(text_of(most), weft::graph_file_format::yaml);
        });
    };
    for (const std::string_view part : {"[", "{", "- ", "? ", "a: ", "[],", "{a: b},", "a: b\n", "- a\n", "\"", "'",
                                        "a\n", "#\n", "|\n a\n", "&a ", "*a ", "!a ", "---\n", "\n", " ", "\\n", "%",
                                        "\t"})
        check("YAML of '" + std::string{part} + "'", [&](std::size_t count) { return repeated(part, count); });
    check("a YAML graph", [](std::size_t count) {
        return "name: g\nnodes:\n" + numbered("- name: n#\n  kind: join\n", count, "") +
               "edges:\n- {from: __start__, to: n0}\n" + numbered("- {from: n#, to: n#, when: 'True'}\n", count, "");
    });
    check("repeated members of YAML", [](std::size_t count) { return "nodes: []\n" + repeated("name: g\n", count); });
    check("names that are none", [](std::size_t count) { return repeated("? [a]\n: b\n", count); });
    check("anchors and aliases", [](std::size_t count) { return numbered("- &a# b\n- *a#\n", count, ""); });
    check("aliases of something large", [](std::size_t count) {
        return "- &a [" + repeated("b,", count) + "]\n" + repeated("- *a\n", count);
    });
}

BOOST_AUTO_TEST_SUITE_END()
