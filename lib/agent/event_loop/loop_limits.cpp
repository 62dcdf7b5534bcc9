#include <weft/agent/event_loop/loop_limits.hpp>

#include <cmath>

namespace weft {

model_retry_policy loop_limits::retry_policy() const
{
    model_retry_policy policy;
    policy.attempts_max = static_cast<int>(stream_retries_max) + 1;
    policy.base = policy.overload_base = duration_of_seconds(retry_base_seconds);
    policy.delay_max = policy.overload_delay_max = duration_of_seconds(retry_seconds_max);
    policy.jitter_min = 1;
    policy.restarts_after_tokens = true;  // watchers are told by `retract`
    return policy;
}

std::string loop_limits::fault() const
{
    std::string text;
    const auto check = [&](bool is_right, const char* words) {
        if (text.empty() && !is_right) text = words;
    };
    const auto is_span = [](double seconds) { return std::isfinite(seconds) && seconds > 0 && seconds <= 1e7; };
    check(iterations_max <= 100'000, "iterations_max: is out of range: it is at most 100000");
    check(calls_max >= 1 && calls_max <= 10'000, "calls_max: is out of range: it is 1 to 10000");
    check(judge_every >= 1, "judge_every: is out of range: it is at least 1");
    check(stall_similarity > 0 && stall_similarity <= 1, "stall_similarity: is out of range: it is above 0, at most 1");
    check(empty_replies_max >= 1, "empty_replies_max: is out of range: it is at least 1");
    check(context_max.count() >= 100, "context_max: is out of range: it is at least 100");
    check(result_chars_max >= 1, "result_chars_max: is out of range: it is at least 1");
    check(output_chars_max >= 1, "output_chars_max: is out of range: it is at least 1");
    check(stream_retries_max <= 100, "stream_retries_max: is out of range: it is at most 100");
    check(is_span(retry_base_seconds), "retry_base_seconds: is out of range: it is above 0");
    check(is_span(retry_seconds_max), "retry_seconds_max: is out of range: it is above 0");
    check(is_span(tool_timeout_seconds), "tool_timeout_seconds: is out of range: it is above 0");
    check(is_span(agent_timeout_seconds), "agent_timeout_seconds: is out of range: it is above 0");
    return text;
}

}  // namespace weft
