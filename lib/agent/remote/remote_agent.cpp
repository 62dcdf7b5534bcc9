#include "remote_agent.hpp"

#include "agent/node/kind_checks.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::int64_t agent_reply_bytes_most = 256 * 1024 * 1024;

boost::json::object text_member(std::string_view description)
{
    return {{"type", "string"}, {"description", description}};
}

}  // namespace

void check_agent_url(node_request& request, std::string_view member, const std::string& at)
{
    try {
        (void)url{at};
    } catch (const error& e) {
        request.mistake(member, "is no URL: " + e.detail());
    }
}

void check_agent_limits(node_request& request, const std::optional<spec_duration>& timeout,
                        std::int64_t reply_bytes_max)
{
    if (timeout && timeout->span().count() <= 0) request.mistake("timeout", "is longer than nothing, e.g. 5m");
    if (reply_bytes_max < 1 || reply_bytes_max > agent_reply_bytes_most)
        request.mistake("reply_bytes_max", "is from 1 to " + std::to_string(agent_reply_bytes_most));
}

void check_conversation_key(node_request& request, std::string_view member, const std::string& key)
{
    if (key.empty()) return;
    request.require_readable(member, key);
    require_written(request, member, key);
}

answer_target keys_for_answer(answer_target all, const std::string& conversation)
{
    std::erase(all.writes, conversation);
    return all;
}

void require_round(int round, std::string_view node)
{
    if (round < agent_rounds_max) return;
    throw error{errc::agent_refused, "node '" + std::string{node} + "'",
                "the agent asks more than " + std::to_string(agent_rounds_max) + " times in a visit"};
}

std::optional<error> told_by_caller(const error& of, const std::string& place, const url& at)
{
    if (of.code() == errc::timeout)
        return error{errc::timeout, place, "the agent took longer than the setting timeout allows"};
    if (of.code() == errc::address_refused)
        return error{errc::address_refused, place,
                     "the host is not on the public internet: if it is a service of yours, trust it, as with weft run "
                     "--allow http=" + at.host()};
    return std::nullopt;
}

remote_agent_tool::remote_agent_tool(std::string_view maker, std::string name, std::string description,
                                     std::vector<parameter> parameters)
    : name_{std::move(name)}, description_{std::move(description)}, parameters_{std::move(parameters)}
{
    if (name_.empty()) throw error{errc::invalid_configuration, std::string{maker}, "name: is empty"};
}

tool_spec remote_agent_tool::spec() const
{
    tool_spec spec;
    spec.name = name_;
    spec.description = description_;
    boost::json::object properties;
    properties["message"] = text_member("What the agent is asked, or the answer to what it has asked.");
    for (const parameter& each : parameters_) properties[each.name] = text_member(each.description);
    spec.parameters = {
        {"type", "object"}, {"properties", std::move(properties)}, {"required", boost::json::array{"message"}}};
    return spec;
}

tool_traits remote_agent_tool::traits() const
{
    tool_traits traits;
    traits.is_idempotent = true;  // by the key of the call
    return traits;
}

std::string remote_agent_tool::key_of(const tool_invocation& invocation)
{
    const std::string& key = invocation.context.idempotency_key;
    return key.empty() ? invocation.call.id : key;
}

std::string remote_agent_tool::place_of(const tool_invocation& invocation)
{
    return "tool '" + invocation.context.tool + "'";
}

}  // namespace weft::agent_detail
