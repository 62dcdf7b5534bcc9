#pragma once

#include "graph/spec_samples.hpp"
#include "tool_agents.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/engine/run/spec_options.hpp>
#include <weft/graph/graph_spec_writer.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft_tests::tool_agents {

/** What files of tests may use: agents, and the tool `weather`. */
[[nodiscard]] inline weft::agent_surroundings surroundings_with(std::shared_ptr<weft::chat_model> model)
{
    weft::agent_surroundings around;
    around.model = std::move(model);
    around.tools = std::make_shared<const weft::tool_set>(weather_agent().tools);
    return around;
}

[[nodiscard]] inline weft::node_registry registry_around(const weft::agent_surroundings& around)
{
    weft::node_registry registry;
    weft::add_agent_kinds(registry, around);
    return registry;
}
[[nodiscard]] inline weft::node_registry registry_with(std::shared_ptr<weft::chat_model> model)
{
    return registry_around(surroundings_with(std::move(model)));
}

inline constexpr std::string_view file_keys =
    "'state': [{'name': 'topic', 'type': 'string', 'initial': 'Rome'}, {'name': 'answer', 'type': 'string'}, "
    "{'name': 'score', 'type': 'number'}, {'name': 'who', 'type': 'string'}, "
    "{'name': 'messages', 'type': 'messages', 'reducer': 'append'}], ";

/** A file of one node `a`. */
[[nodiscard]] inline std::string file_of(std::string_view kind, std::string_view settings,
                                         std::string_view writes = "'messages', 'answer'")
{
    return std::string{file_keys} + "'nodes': [{'name': 'a', 'kind': '" + std::string{kind} + "', 'writes': [" +
           std::string{writes} + "], 'settings': {" + std::string{settings} +
           "}}], 'edges': [{'from': '__start__', 'to': 'a'}]";
}

[[nodiscard]] inline weft::run_result run_file(const std::string& members, const weft::node_registry& registry)
{
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    return run_with(loaded.what, weft::run_request{}.options(weft::run_options_of(loaded.spec)));
}

[[nodiscard]] inline boost::json::value value_of(const weft::run_result& result, std::string_view key)
{
    return result.state.to_json().at(key);
}

/** All mistakes of a file, one a line, as `path: text`. */
[[nodiscard]] inline std::string all_mistakes(const std::string& members, const weft::node_registry& registry)
{
    std::string all;
    for (const std::string& one : mistakes_in(spec_text(members), registry)) all += one + "\n";
    return all;
}

/** Whether a file has a mistake with these words. */
[[nodiscard]] inline bool tells(const std::string& members, std::string_view part)
{
    const std::string all = all_mistakes(members, registry_with(script()));
    const bool is_told = all.find(part) != std::string::npos;
    if (!is_told) BOOST_TEST_MESSAGE(all);
    return is_told;
}

/** Whether a file is the same after it was read and written. */
[[nodiscard]] inline bool survives_writing(const std::string& members, const weft::node_registry& registry)
{
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    const weft::loaded_graph again = weft::load_graph(written, registry);
    return written.nodes.at(0).settings == loaded.spec.nodes.at(0).settings &&
           written.nodes.at(0).kind == loaded.spec.nodes.at(0).kind && weft::spec_of(again.what, registry) == written;
}

}  // namespace weft_tests::tool_agents
