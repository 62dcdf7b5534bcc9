#include <weft/agent/turn_agent/turn_cascade.hpp>

#include <weft/base/error.hpp>
#include <weft/model/decorator/fallback_model.hpp>
#include <weft/model/model_error.hpp>

#include <algorithm>

namespace weft {

namespace {

model_error_action usual_action(const model_trouble& what, bool has_next)
{
    const bool helps = what.may_pass || (what.is_of_endpoint && has_next);
    return helps ? model_error_action::retry : model_error_action::fail;
}

}  // namespace

model_trouble::model_trouble(const std::exception_ptr& cause) : code{code_of(cause)}, text{text_of(cause)}
{
    try {
        std::rethrow_exception(cause);
    } catch (const model_error& e) {
        may_pass = e.failure().is_transient;
        is_of_endpoint = is_reason_to_fall_back(e.failure());
        retry_after = e.failure().retry_after;
    } catch (...) {
        may_pass = code == errc::timeout;
    }
}

error_cascade::step error_cascade::failed(model_trouble what, const turn_record& agent, const cascade_rules& rules,
                                          std::size_t models, double uniform)
{
    what.failures = ++failures;
    what.tier = tier;
    ++of_tier;
    const bool has_next = tier + 1 < models;
    step next;
    next.why = what.text;
    try {
        next.action = rules.on_error ? rules.on_error(what, agent) : usual_action(what, has_next);
    } catch (...) {
        next.why = "on_error failed: " + text_of(std::current_exception()) + "; it was asked about: " + what.text;
        return next;
    }
    if (next.action != model_error_action::retry) return next;
    if (failures > rules.retries_max) {
        next.action = model_error_action::fail;
        next.why = std::to_string(failures) + " calls of models failed in a row, the last one: " + what.text;
        return next;
    }
    if (has_next && (of_tier >= rules.falls_back_after || !what.may_pass)) {
        // The agent stays with the model that it came to: a turn later the better one would fail again.
        ++tier;
        of_tier = 0;
        return next;  // another endpoint: there is nothing to wait for
    }
    next.pause = rules.pause.delay_before(static_cast<int>(of_tier) + 1, uniform);
    if (what.retry_after)
        next.pause = std::max(next.pause, std::min<std::chrono::nanoseconds>(*what.retry_after, rules.wait_max));
    return next;
}

}  // namespace weft
