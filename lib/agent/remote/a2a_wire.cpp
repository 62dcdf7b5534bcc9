#include "a2a_wire.hpp"

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <utility>
#include <vector>

namespace weft::agent_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t refusal_text_bytes_max = 400;

const object* member_object_at(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found ? found->if_object() : nullptr;
}

std::string_view member_text_at(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

bool member_flag_at(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && *found == value(true);
}

/** What a card says of one way; nothing if it is not spoken here.
 *  @par Source   A2A 1.0, `AgentInterface`; 0.3, `AgentInterface` with `transport`. */
std::optional<a2a_interface> way_of(const object& shown, std::string_view binding_name, std::string_view version,
                                    bool streams)
{
    const std::string_view binding = member_text_at(shown, binding_name);
    const bool is_rpc = binding == "JSONRPC";
    const bool is_current = version == "1" || version.starts_with("1.");
    const bool is_legacy = version.starts_with("0.3") && is_rpc;
    if ((!is_rpc && binding != "HTTP+JSON") || (!is_current && !is_legacy)) return std::nullopt;
    return a2a_interface{url{member_text_at(shown, "url")}, is_rpc, is_legacy, streams,
                         std::string{member_text_at(shown, "tenant")}};
}

/** All ways of a card, in its order. What is said for 1.0 goes before what is said for 0.3: cards have both. */
std::vector<a2a_interface> ways_in(const object& card)
{
    const object* const capabilities = member_object_at(card, "capabilities");
    const bool streams = capabilities && member_flag_at(*capabilities, "streaming");
    std::vector<a2a_interface> ways;
    const value* const interfaces = card.if_contains("supportedInterfaces");
    if (interfaces && interfaces->is_array())
        for (const value& one : interfaces->get_array())
            if (const object* const shown = one.if_object())
                if (auto way = way_of(*shown, "protocolBinding", member_text_at(*shown, "protocolVersion"), streams))
                    ways.push_back(std::move(*way));
    if (!ways.empty()) return ways;
    // A card of 0.3 has one version for all its ways.
    const std::string_view version = member_text_at(card, "protocolVersion");
    object main = card;
    if (!main.contains("preferredTransport")) main["preferredTransport"] = "JSONRPC";
    if (!member_text_at(main, "url").empty())
        if (auto way = way_of(main, "preferredTransport", version, streams)) ways.push_back(std::move(*way));
    const value* const more = card.if_contains("additionalInterfaces");
    if (more && more->is_array())
        for (const value& one : more->get_array())
            if (const object* const shown = one.if_object())
                if (auto way = way_of(*shown, "transport", version, streams)) ways.push_back(std::move(*way));
    return ways;
}

/** @par Source   A2A 0.3, `Message`: parts and messages say their kinds. */
object legacy_outgoing(object message)
{
    message["kind"] = "message";
    message["role"] = "user";
    for (value& part : message.at("parts").get_array()) {
        object& of = part.get_object();
        of["kind"] = of.contains("data") ? "data" : "text";
        // In 0.3 data is an object.
        if (value* const data = of.if_contains("data"); data && !data->is_object())
            *data = object{{"value", std::move(*data)}};
    }
    return message;
}

object message_of(const a2a_interface& to, const a2a_outgoing& words)
{
    object message{{"messageId", words.id}, {"role", "ROLE_USER"}, {"parts", words.parts}};
    if (!words.context.empty()) message["contextId"] = words.context;
    if (!words.task.empty()) message["taskId"] = words.task;
    if (!words.skill.empty()) message["metadata"] = object{{"skill", words.skill}};
    return to.is_legacy ? legacy_outgoing(std::move(message)) : message;
}

a2a_wire_request rpc_request(const a2a_interface& to, std::string_view method, std::string_view legacy, object params,
                             std::string_view id)
{
    if (!to.tenant.empty()) params["tenant"] = to.tenant;
    const object call{{"jsonrpc", "2.0"},
                      {"id", id},
                      {"method", to.is_legacy ? legacy : method},
                      {"params", std::move(params)}};
    return {to.at, boost::json::serialize(call)};
}

/** @par Source   A2A 1.0, HTTP+JSON: a tenant is the first piece of the path. */
url path_of(const a2a_interface& to, std::string_view path)
{
    return to.tenant.empty() ? to.at.appended(path) : to.at.appended(to.tenant).appended(path);
}

/** The words of `{"error": {…, "message"}}`. */
const object* error_in(const value& body)
{
    const object* const members = body.if_object();
    return members ? member_object_at(*members, "error") : nullptr;
}

[[noreturn]] void throw_refusal(const object& refusal, const std::string& where)
{
    const value* const number = refusal.if_contains("code");
    const std::int64_t code = number && number->is_int64() ? number->get_int64() : 0;
    // JSON-RPC's own failure, and the range that servers use for troubles of theirs.
    const bool may_pass = code == -32603 || code == -32000 || code >= 500;
    throw error{may_pass ? errc::http_unavailable : errc::agent_refused, where,
                "it says: " + shortened(member_text_at(refusal, "message"), refusal_text_bytes_max)};
}

}  // namespace

url a2a_card_url(const url& agent)
{
    const std::string& path = agent.target();
    return path.ends_with(".json") ? agent : agent.appended(".well-known/agent-card.json");
}

a2a_interface read_a2a_card(const value& card, const std::string& where)
{
    if (!card.is_object() || member_text_at(card.get_object(), "name").empty())
        throw error{errc::unexpected_json, where, "is no card of an agent: it has no name"};
    std::vector<a2a_interface> ways = ways_in(card.get_object());
    for (const bool is_legacy : {false, true})
        for (a2a_interface& way : ways)
            if (way.is_legacy == is_legacy) return std::move(way);
    throw error{errc::agent_refused, where,
                "its card names no way that is spoken here: JSON-RPC of A2A 1.0 or 0.3, or HTTP+JSON of 1.0"};
}

a2a_wire_request a2a_send_request(const a2a_interface& to, const a2a_outgoing& words)
{
    object params{{"message", message_of(to, words)}};
    if (to.is_rpc && to.streams)
        return rpc_request(to, "SendStreamingMessage", "message/stream", std::move(params), words.id);
    if (to.is_rpc) return rpc_request(to, "SendMessage", "message/send", std::move(params), words.id);
    return {path_of(to, to.streams ? "message:stream" : "message:send"), boost::json::serialize(params)};
}

a2a_wire_request a2a_get_request(const a2a_interface& to, const std::string& task)
{
    if (to.is_rpc) return rpc_request(to, "GetTask", "tasks/get", object{{"id", task}}, task);
    return {path_of(to, "tasks/" + task), {}};
}

object a2a_result(const a2a_interface& from, std::string_view text, const std::string& where)
{
    value body;
    try {
        body = parse_json(text);
    } catch (const error& e) {
        throw error{errc::invalid_json, where, "the answer: " + e.detail()};
    }
    if (const object* const refusal = error_in(body)) throw_refusal(*refusal, where);
    value* result = &body;
    if (from.is_rpc) result = body.is_object() ? body.get_object().if_contains("result") : nullptr;
    if (!result || !result->is_object())
        throw error{errc::unexpected_json, where, "the answer has no result that is an object"};
    return std::move(result->get_object());
}

}  // namespace weft::agent_detail
