#pragma once

#include "agent_graphs.hpp"

#include <weft/agent/playbook/playbook_graph.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <stdexcept>

namespace weft_tests {

/** Nodes and edges (`a>b`, `a.handle>b`) of a playbook whose trigger is `t`. */
[[nodiscard]] inline weft::playbook_definition playbook_of(std::string name, std::string nodes,
                                                           const std::vector<std::string>& edges)
{
    std::string text = "{'name': '" + std::move(name) + "', 'nodes': [{'id': 't', 'subtype': 'trigger'}, " +
                       std::move(nodes) + "], 'edges': [";
    for (const std::string& edge : edges) {
        const std::size_t to = edge.find('>');
        const std::size_t dot = std::min(edge.find('.'), to);
        const std::string handle = dot < to ? edge.substr(dot + 1, to - dot - 1) : "";
        text += (&edge == &edges.front() ? "" : ", ") + std::string{"{'source': '"} + edge.substr(0, dot) +
                "', 'target': '" + edge.substr(to + 1) + "', 'handle': '" + handle + "'}";
    }
    text += "]}";
    std::replace(text.begin(), text.end(), '\'', '"');
    return weft::read_playbook(text);
}

[[nodiscard]] inline weft::playbook_options options_of(std::shared_ptr<weft::chat_model> model)
{
    weft::playbook_options options;
    options.agent = options_with(std::move(model));
    weft::tool_set tools;
    tools.add("shout", "Says it loud.", [](boost::json::object) { return std::string{"LOUD"}; });
    tools.add("breaks", "Breaks.", []() -> std::string { throw std::runtime_error{"broken"}; });
    options.agent.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    return options;
}

[[nodiscard]] inline agent_run run_of(const weft::playbook_definition& what, const weft::playbook_options& options)
{
    weft::run_request request{"pb"};
    request.input(weft::playbook_keys::trigger, boost::json::value("go"));
    return run_agent_graph(weft::playbook_graph(what, options), std::move(request));
}

/** What a node left, as JSON text. */
[[nodiscard]] inline std::string left_by(const agent_run& run, std::string_view label)
{
    const boost::json::object& outputs = run.result.state.get(weft::playbook_keys::outputs);
    const boost::json::value* const record = outputs.if_contains(label);
    return record ? boost::json::serialize(record->at("result")) : "nothing";
}

[[nodiscard]] inline std::string response_of(const agent_run& run)
{
    return run.result.state.get(weft::playbook_keys::response);
}

}  // namespace weft_tests
