#include "run_limits.hpp"

#include <weft/base/json/json_peek.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

namespace {

std::uint32_t number_in(const boost::json::object& from, std::string_view name, std::uint32_t otherwise)
{
    const std::optional<std::int64_t> found = peek_count(from, name);
    return found && *found <= UINT32_MAX ? static_cast<std::uint32_t>(*found) : otherwise;
}

std::chrono::nanoseconds span_in(const boost::json::object& from, std::string_view name,
                                 std::chrono::nanoseconds otherwise)
{
    const std::optional<std::int64_t> found = peek_count(from, name);
    return found ? std::chrono::nanoseconds{*found} : otherwise;
}

step_limit_action action_in(const boost::json::object& from, step_limit_action otherwise)
{
    const std::uint32_t number = number_in(from, "at_limit", UINT32_MAX);
    const bool is_known = number <= static_cast<std::uint32_t>(step_limit_action::return_with_flag);
    return is_known ? static_cast<step_limit_action>(number) : otherwise;
}

boost::json::object written_budget(const budget& limits)
{
    boost::json::object written;
    if (limits.tokens) written["tokens"] = limits.tokens->count();
    if (limits.cost) written["cost"] = limits.cost->count();
    if (limits.model_calls) written["model_calls"] = *limits.model_calls;
    if (limits.tool_calls) written["tool_calls"] = *limits.tool_calls;
    if (limits.turns) written["turns"] = *limits.turns;
    return written;
}

budget budget_in(const boost::json::object* from)
{
    budget limits;
    if (!from) return limits;
    if (const auto count = peek_count(*from, "tokens")) limits.tokens = tokens{*count};
    if (const auto count = peek_count(*from, "cost")) limits.cost = usd_micros{*count};
    limits.model_calls = peek_count(*from, "model_calls");
    limits.tool_calls = peek_count(*from, "tool_calls");
    limits.turns = peek_count(*from, "turns");
    return limits;
}

}  // namespace

boost::json::object written_limits(const run_options& limits)
{
    boost::json::object written{{"steps_max", std::int64_t{limits.steps_max()}},
                                {"in_a_row_max", std::int64_t{limits.in_a_row_max()}},
                                {"in_flight_max", std::int64_t{limits.in_flight_max()}},
                                {"events_max", std::int64_t{limits.events_max()}},
                                {"at_limit", static_cast<std::int64_t>(limits.at_limit())},
                                {"reserve_steps", std::int64_t{limits.reserve().steps}},
                                {"reserve_elapsed", limits.reserve().elapsed.count()},
                                {"node_timeout", limits.node_timeout().count()},
                                {"elapsed_max", limits.elapsed_max().count()},
                                {"stop_grace", limits.stop_grace().count()},
                                {"warn_blocked_after", limits.warn_blocked_after().count()}};
    if (limits.budget()) written["budget"] = written_budget(*limits.budget());
    return written;
}

run_options read_limits(const boost::json::object& from, run_options into)
{
    run_reserve reserve = into.reserve();
    reserve.steps = number_in(from, "reserve_steps", reserve.steps);
    reserve.elapsed = span_in(from, "reserve_elapsed", reserve.elapsed);
    into.steps_max(number_in(from, "steps_max", into.steps_max()))
        .in_a_row_max(number_in(from, "in_a_row_max", into.in_a_row_max()))
        .in_flight_max(number_in(from, "in_flight_max", into.in_flight_max()))
        .events_max(number_in(from, "events_max", into.events_max()))
        .at_limit(action_in(from, into.at_limit()))
        .reserve(reserve)
        .node_timeout(span_in(from, "node_timeout", into.node_timeout()))
        .elapsed_max(span_in(from, "elapsed_max", into.elapsed_max()))
        .stop_grace(span_in(from, "stop_grace", into.stop_grace()))
        .warn_blocked_after(span_in(from, "warn_blocked_after", into.warn_blocked_after()))
        .budget(budget_in(peek_object(from, "budget")));
    return into;
}

}  // namespace weft
