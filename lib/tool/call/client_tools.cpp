#include <weft/tool/call/client_tools.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/base/text/json_path.hpp>
#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/value.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

[[noreturn]] void refuse_client_tools(const json_path& at, std::string why)
{
    throw error{errc::unexpected_json, at.text(), std::move(why)};
}

std::string text_at(const json::object& from, std::string_view name, const json_path& at)
{
    const json::value* const found = peek_member(from, name);
    if (!found) return {};
    if (!found->is_string()) refuse_client_tools(json_path{at, name}, "expected a string");
    return std::string{found->get_string()};
}

bool flag_at(const json::object& from, std::string_view name, const json_path& at)
{
    const json::value* const found = peek_member(from, name);
    if (found && !found->is_bool()) refuse_client_tools(json_path{at, name}, "expected true or false");
    return found && found->get_bool();
}

/** The schema of the arguments, by the name that a protocol has for it; null if the tool says none. */
json::value schema_at(const json::object& from, const json_path& at)
{
    for (const std::string_view name : {"parameters", "inputSchema", "input_schema"}) {
        const json::value* const found = peek_member(from, name);
        if (!found) continue;
        const json_path place{at, name};
        if (!found->is_object()) refuse_client_tools(place, "expected a JSON Schema, an object");
        const json::value* const type = peek_member(found->get_object(), "type");
        // Providers refuse a whole request for the sake of one such tool.
        if (type && *type != json::value("object"))
            refuse_client_tools(json_path{place, "type"}, "expected 'object': arguments are an object");
        (void)json_schema::read(*found, place,
                                [](const json_path& where, std::string text) { refuse_client_tools(where, text); });
        return *found;
    }
    return nullptr;
}

tool_spec tool_at(const json::value& given, const json_path& at)
{
    const json::object* from = given.if_object();
    if (!from) refuse_client_tools(at, "expected an object");
    const std::string type = text_at(*from, "type", at);
    if (!type.empty() && type != "function")
        refuse_client_tools(json_path{at, "type"}, "'" + type + "' is not supported: expected function");
    // Chat completions have the tool one level deeper than all others.
    const json::value* const inner = peek_member(*from, "function");
    const json_path below{at, "function"};
    const json_path& place = inner ? below : at;
    if (inner && !inner->is_object()) refuse_client_tools(place, "expected an object");
    if (inner) from = &inner->get_object();
    tool_spec tool;
    tool.name = text_at(*from, "name", place);
    if (tool.name.empty()) refuse_client_tools(json_path{place, "name"}, "is required");
    if (!is_tool_name(tool.name))
        refuse_client_tools(json_path{place, "name"}, "'" + tool.name + "': " + std::string{tool_name_rule});
    tool.description = text_at(*from, "description", place);
    tool.parameters = schema_at(*from, place);
    tool.strict = flag_at(*from, "strict", place);
    return tool;
}

std::vector<tool_spec> tools_at(const json::value& given, const json_path& at)
{
    const json::array* const from = given.if_array();
    if (!from) refuse_client_tools(at, "expected a list");
    if (from->size() > client_tools::count_max)
        refuse_client_tools(at, "has " + std::to_string(from->size()) + " tools: expected at most " +
                                    std::to_string(client_tools::count_max));
    // Each call of the model has them all, and each checkpoint.
    if (json::serialize(*from).size() > client_tools::bytes_max)
        refuse_client_tools(at, "is longer than " + std::to_string(client_tools::bytes_max) + " bytes of JSON");
    std::vector<tool_spec> tools;
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < from->size(); ++i) {
        const json_path place{at, i};
        tools.push_back(tool_at((*from)[i], place));
        if (!names.insert(tools.back().name).second)
            refuse_client_tools(place, "there is a tool '" + tools.back().name + "' before it: choose another name");
    }
    return tools;
}

tool_choice named_choice(const json::object& from, const std::vector<tool_spec>& tools, const json_path& at)
{
    const json::object* const inner = peek_object(from, "function");
    tool_choice choice;
    choice.how = tool_choice::mode::named;
    choice.tool = text_at(inner ? *inner : from, "name", at);
    const auto is_it = [&](const tool_spec& one) { return one.name == choice.tool; };
    if (choice.tool.empty()) refuse_client_tools(at, "expected auto, none, required or the name of a function");
    if (std::none_of(tools.begin(), tools.end(), is_it))
        refuse_client_tools(at, "'" + choice.tool + "' is none of the tools");
    return choice;
}

tool_choice choice_at(const json::value* given, const std::vector<tool_spec>& tools, const json_path& at)
{
    tool_choice choice;
    if (!given) return choice;
    if (given->is_object()) return named_choice(given->get_object(), tools, at);
    if (*given == json::value("none")) choice.how = tool_choice::mode::none;
    else if (*given == json::value("required")) choice.how = tool_choice::mode::required;
    else if (*given != json::value("auto"))
        refuse_client_tools(at, "expected auto, none, required or the name of a function");
    return choice;
}

json::value choice_json(const tool_choice& choice)
{
    switch (choice.how) {
    case tool_choice::mode::none: return "none";
    case tool_choice::mode::required: return "required";
    case tool_choice::mode::named: return json::object{{"name", choice.tool}};
    case tool_choice::mode::automatic: break;
    }
    return "auto";
}

}  // namespace

json::object client_tools::json_schema()
{
    return {{"description", "tools that the client carries out: a list of them, or {tools, tool_choice, "
                            "parallel_tool_calls}; a tool has name, description and parameters (JSON Schema)"},
            {"type", json::array{"array", "object"}},
            {"items", json::object{{"type", "object"}}}};
}

void tag_invoke(json::value_from_tag, json::value& out, const client_tools& in)
{
    json::object result;
    result["tools"] = to_json(in.tools);
    if (in.choice.how != tool_choice::mode::automatic) result["tool_choice"] = choice_json(in.choice);
    if (in.in_parallel) result["parallel_tool_calls"] = *in.in_parallel;
    out = std::move(result);
}

client_tools tag_invoke(json::value_to_tag<client_tools>, const json::value& in)
{
    const json_path whole;
    client_tools result;
    if (in.is_array()) {
        result.tools = tools_at(in, whole);
        return result;
    }
    const json::object* const from = in.if_object();
    if (!from) refuse_client_tools(whole, "expected a list of tools, or an object with the member tools");
    if (const json::value* const tools = peek_member(*from, "tools"))
        result.tools = tools_at(*tools, json_path{whole, "tools"});
    result.choice = choice_at(peek_member(*from, "tool_choice"), result.tools, json_path{whole, "tool_choice"});
    if (peek_member(*from, "parallel_tool_calls"))
        result.in_parallel = flag_at(*from, "parallel_tool_calls", whole);
    return result;
}

json::object client_tools_offer::json_schema()
{
    const json::object name{{"type", "string"}};
    return {{"type", json::array{"boolean", "array"}}, {"items", name}};
}

bool client_tools_offer::has(std::string_view name) const
{
    return is_all || std::find(names.begin(), names.end(), name) != names.end();
}

void tag_invoke(json::value_from_tag, json::value& out, const client_tools_offer& in)
{
    if (in.is_all || in.names.empty()) out = in.is_all;
    else out = to_json(in.names);
}

client_tools_offer tag_invoke(json::value_to_tag<client_tools_offer>, const json::value& in)
{
    if (in.is_bool()) return in.get_bool();
    const json_path whole;
    const json::array* const names = in.if_array();
    if (!names) refuse_client_tools(whole, "expected true, false or a list of names");
    client_tools_offer offer;
    for (std::size_t i = 0; i < names->size(); ++i) {
        if (!(*names)[i].is_string()) refuse_client_tools(json_path{whole, i}, "expected the name of a tool");
        offer.names.emplace_back((*names)[i].get_string());
    }
    return offer;
}

std::string_view key_of_client_tools(const state_layout& keys)
{
    for (std::uint32_t slot = 0; slot < keys.size(); ++slot)
        if (keys[slot].type->value == &value_type_of<client_tools>) return keys[slot].name;
    return {};
}

std::string fault_of(const client_tools_offer& offer, const state_layout& keys)
{
    if (offer.is_none() || !key_of_client_tools(keys).empty()) return {};
    return "the graph has no key for the tools that clients send: add one of the type client_tools";
}

}  // namespace weft
