#include <weft/engine/spec_options.hpp>

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
    return options;
}

}  // namespace weft
