#include "graph_tools.hpp"

#include "serve/order/graph_schema.hpp"
#include "serve/state/state_wire.hpp"

#include <weft/base/json.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr const char* messages_schema = R"({
    "type": "array",
    "description": "The conversation, or what is new in it: mostly one message of the user.",
    "items": {"type": "object",
              "properties": {"role": {"type": "string", "enum": ["user", "assistant", "system", "tool"]},
                             "content": {"type": "string"}},
              "required": ["role", "content"]}})";

boost::json::object input_schema_of(const weft::graph& of)
{
    boost::json::object schema = schema_of_state(of);
    boost::json::object& properties = schema.at("properties").get_object();
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (has_messages(*layout[slot].type)) properties[layout[slot].name] = parse_json(messages_schema);
    schema["additionalProperties"] = false;  // a key that the graph does not have is refused anyway
    return schema;
}

mcp_tool tool_of(const weft::graph& of)
{
    mcp_tool tool;
    tool.name = mcp_tool_name({}, of.name());
    if (tool.name != of.name()) tool.title = of.name();
    tool.description = of.description();
    if (tool.description.empty()) tool.description = "Runs the graph '" + std::string{of.name()} + "'.";
    tool.input_schema = input_schema_of(of);
    return tool;
}

}  // namespace

std::vector<mcp_tool> graph_tools(const serve_core& core)
{
    std::vector<mcp_tool> tools;
    for (const hosted_graph& each : core.served->graphs) tools.push_back(tool_of(each.graph));
    return tools;
}

std::shared_ptr<const hosted_graph> graph_of_tool(const serve_core& core, std::string_view tool)
{
    for (const hosted_graph& each : core.served->graphs)
        if (mcp_tool_name({}, each.graph.name()) == tool) return {core.served, &each};
    return nullptr;
}

}  // namespace weft::serve_detail
