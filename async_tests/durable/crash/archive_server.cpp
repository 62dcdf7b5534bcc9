#include "agent_graph.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <exception>
#include <iostream>

namespace weft_crash {

namespace {

namespace json = boost::json;

json::object tool_named(std::string_view name)
{
    const json::value text_type{{"type", "string"}};
    return json::object{{"name", name},
                        {"description", "Of the archive."},
                        {"inputSchema",
                         {{"type", "object"},
                          {"properties", {{"what", text_type}, {"thread", text_type}}},
                          {"required", json::array{"what", "thread"}}}},
                        {"annotations", {{"idempotentHint", true}, {"destructiveHint", false}}}};
}

/** An effect outside of the processes that are killed. */
json::object call_tool(const json::object& params, const weft_tests::ledger& notes)
{
    const std::string name{params.at("name").as_string()};
    const json::object& arguments = params.at("arguments").as_object();
    const std::string what{arguments.at("what").as_string()};
    notes.note({"effect", std::string{arguments.at("thread").as_string()}, name + "." + what, "-"});
    return json::object{{"content", json::array{json::object{{"type", "text"}, {"text", name + " has " + what}}}}};
}

json::object answer_to(const json::object& request, const weft_tests::ledger& notes)
{
    const std::string_view method = request.at("method").as_string();
    if (method == "initialize")
        return json::object{{"protocolVersion", request.at("params").at("protocolVersion")},
                            {"capabilities", {{"tools", json::object{}}}},
                            {"serverInfo", {{"name", "archive"}, {"version", "1"}}}};
    if (method == "tools/list") return json::object{{"tools", json::array{tool_named("fetch"), tool_named("file")}}};
    if (method == "tools/call") return call_tool(request.at("params").as_object(), notes);
    return json::object{};  // a ping
}

}  // namespace

int serve_archive(const std::string& ledger)
{
    try {
        const weft_tests::ledger notes{ledger};
        for (std::string line; std::getline(std::cin, line);) {
            const json::value request = json::parse(line);
            if (!request.as_object().contains("id")) continue;
            const json::object answer{{"jsonrpc", "2.0"},
                                      {"id", request.at("id")},
                                      {"result", answer_to(request.as_object(), notes)}};
            std::cout << json::serialize(answer) << '\n' << std::flush;
        }
    } catch (const std::exception& e) {
        std::cerr << "archive: " << e.what() << '\n';
        return 1;
    }
    return 0;
}

}  // namespace weft_crash
