#include "sent_tools.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/tool/call/client_tools.hpp>

#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 3> tool_members{"tools", "tool_choice", "parallel_tool_calls"};

using tool_names = std::set<std::string, std::less<>>;

/** Adds the names of a node's own tools under which it would offer those of its client. */
void add_own_names(const object& settings, tool_names& to)
{
    const value* const offered = peek_member(settings, "client_tools");
    const value* const own = peek_member(settings, "tools");
    if (!offered || !own || !own->is_array()) return;
    const auto offer = from_json<client_tools_offer>(*offered);
    for (const value& name : own->get_array())
        if (name.is_string() && offer.has(name.get_string())) to.emplace(name.get_string());
}

void add_own_names(const weft::graph& of, tool_names& to)
{
    for (node_index n = 1; n < of.size(); ++n) {
        const auto& body = of.node(n).body;
        if (!body) continue;
        node_spec told;
        if (const subgraph* const inside = body->inner()) add_own_names(inside->graph, to);
        else if (body->plain().describe(told, *of.layout())) add_own_names(told.settings, to);
    }
}

/** Where the name of a tool stands: chat completions have it one level deeper than all others. */
std::string place_of_name(const value& tools, std::size_t index)
{
    const bool is_deeper = tools.at(index).get_object().contains("function");
    return '[' + std::to_string(index) + (is_deeper ? "].function.name" : "].name");
}

/** @param sent   The list that they were read from. @param place  Of the list. */
void require_free_names(const weft::graph& of, const client_tools& given, const value* sent, std::string_view place,
                        const tools_refuser& refuse)
{
    if (given.tools.empty() || !sent) return;
    tool_names own;
    add_own_names(of, own);
    for (std::size_t i = 0; i < given.tools.size(); ++i)
        if (own.contains(given.tools[i].name))
            refuse(std::string{place} + place_of_name(*sent, i),
                   "the graph has a tool '" + given.tools[i].name + "' of its own: choose another name");
}

}  // namespace

object sent_tools_of(const object& body)
{
    object sent;
    for (const std::string_view member : tool_members)
        if (const value* const given = body.if_contains(member); given && !given->is_null())
            sent[member] = *given;
    // A choice among no tools: some clients send it always.
    if (!sent.contains("tools")) sent.erase("tool_choice");
    return sent;
}

value require_sound_tools(const weft::graph& of, const object& sent, const tools_refuser& refuse)
{
    client_tools given;
    try {
        given = from_json<client_tools>(sent);
    } catch (const error& wrong) {
        constexpr std::string_view whole{"$."};
        std::string_view place = wrong.where();
        if (place.starts_with(whole)) place.remove_prefix(whole.size());
        refuse(place, wrong.detail());
        throw;
    }
    require_free_names(of, given, peek_member(sent, "tools"), "tools", refuse);
    return to_json(given);
}

void settle_tools(const weft::graph& of, const object& input, std::string_view where, state_update& read)
{
    const std::string_view key = key_of_client_tools(*of.layout());
    if (key.empty()) return;
    const value* const sent = peek_member(input, key);
    if (!sent) {
        const state_layout::slot& slot = (*of.layout())[of.layout()->find(key)];
        read.items().push_back({any_state_key{slot.name, hash_of_name(slot.name), slot.type}, slot.initial, true});
        return;
    }
    const object* const whole = sent->if_object();
    require_free_names(of, from_json<client_tools>(*sent), whole ? peek_member(*whole, "tools") : sent,
                       whole ? ".tools" : "", [&](std::string_view place, std::string why) {
                           throw http_error{422, "invalid_body", std::string{where} + '.' + std::string{key} +
                                                                     std::string{place} + ": " + std::move(why)};
                       });
}

array tool_parameters_of(const weft::graph& of)
{
    array names;
    if (!key_of_client_tools(*of.layout()).empty())
        for (const std::string_view member : tool_members) names.push_back(value(member));
    return names;
}

}  // namespace weft::serve_detail
