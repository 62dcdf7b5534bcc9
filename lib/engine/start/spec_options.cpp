#include <weft/engine/run/spec_options.hpp>

#include <cmath>
#include <utility>

namespace weft {

namespace {

step_limit_action action_of(spec_limit_action from)
{
    switch (from) {
    case spec_limit_action::fail: return step_limit_action::fail;
    case spec_limit_action::raise: return step_limit_action::raise;
    case spec_limit_action::return_last: return step_limit_action::return_last;
    case spec_limit_action::return_with_flag: return step_limit_action::return_with_flag;
    }
    return step_limit_action::fail;
}

usd_micros micros_of(double usd) { return usd_micros{std::llround(usd * 1e6)}; }

budget budget_of(const budget_spec& from)
{
    budget result;
    if (from.tokens) result.tokens = tokens{*from.tokens};
    if (from.usd) result.cost = micros_of(*from.usd);
    result.model_calls = from.model_calls;
    result.tool_calls = from.tool_calls;
    result.turns = from.turns;
    return result;
}

}  // namespace

run_options run_options_of(const graph_spec& spec, run_options otherwise)
{
    const limits_spec& limits = spec.limits;
    run_options options = std::move(otherwise);
    if (const auto steps_max = effective_steps_max(spec)) options.steps_max(*steps_max);
    if (limits.in_a_row_max) options.in_a_row_max(*limits.in_a_row_max);
    if (limits.at_limit) options.at_limit(action_of(*limits.at_limit));
    if (limits.in_flight_max) options.in_flight_max(*limits.in_flight_max);
    if (limits.node_timeout) options.node_timeout(limits.node_timeout->span());
    if (limits.elapsed_max) options.elapsed_max(limits.elapsed_max->span());
    if (limits.budget) options.budget(budget_of(*limits.budget));
    if (limits.reserve) {
        run_reserve reserve = options.reserve();
        if (limits.reserve->steps) reserve.steps = *limits.reserve->steps;
        if (limits.reserve->elapsed) reserve.elapsed = limits.reserve->elapsed->span();
        options.reserve(reserve);
    }
    return options;
}

}  // namespace weft
