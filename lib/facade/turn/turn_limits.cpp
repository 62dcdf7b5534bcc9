#include <weft/facade/turn/turn_limits.hpp>

#include <algorithm>

namespace weft {

namespace {

errc code_for(turn_dimension dimension) noexcept
{
    switch (dimension) {
    case turn_dimension::time: return errc::run_timeout;
    case turn_dimension::steps: return errc::steps_exceeded;
    case turn_dimension::tool_calls:
    case turn_dimension::tokens: break;
    }
    return errc::limit_reached;
}

}  // namespace

std::string_view name_of(turn_dimension dimension) noexcept
{
    switch (dimension) {
    case turn_dimension::time: return "time";
    case turn_dimension::tool_calls: return "toolCalls";
    case turn_dimension::tokens: return "tokens";
    case turn_dimension::steps: return "steps";
    }
    return "unknown";
}

turn_limit_error::turn_limit_error(turn_dimension dimension, const std::string& detail)
    : error{code_for(dimension), std::string{name_of(dimension)}, detail}, dimension_{dimension}
{
}

turn_spending turn_meter::spent() const noexcept
{
    turn_spending all = spent_;
    all.elapsed = before_.elapsed + (clock_.now() - began_);
    return all;
}

std::optional<turn_dimension> turn_meter::used_up() const noexcept
{
    const turn_spending all = spent();
    if (limits_.max_total && all.elapsed >= *limits_.max_total) return turn_dimension::time;
    if (limits_.max_tool_calls && all.tool_calls >= *limits_.max_tool_calls) return turn_dimension::tool_calls;
    if (limits_.max_total_tokens && all.tokens >= *limits_.max_total_tokens) return turn_dimension::tokens;
    return std::nullopt;
}

std::optional<std::chrono::nanoseconds> turn_meter::time_left() const noexcept
{
    if (!limits_.max_total) return std::nullopt;
    return std::max(*limits_.max_total - spent().elapsed, std::chrono::nanoseconds{1});
}

turn_limit_error turn_meter::error_for(turn_dimension dimension, std::string_view node) const
{
    const turn_spending all = spent();
    const std::string where = node.empty() ? std::string{} : " at node '" + std::string{node} + "'";
    const auto used = [&](std::uint64_t count, std::uint64_t limit, const char* what) {
        return turn_limit_error{dimension, std::to_string(count) + " of " + std::to_string(limit) + " " + what +
                                               " used" + where};
    };
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    switch (dimension) {
    case turn_dimension::time:
        return used(static_cast<std::uint64_t>(duration_cast<milliseconds>(all.elapsed).count()),
                    static_cast<std::uint64_t>(duration_cast<milliseconds>(*limits_.max_total).count()), "ms");
    case turn_dimension::tool_calls: return used(all.tool_calls, *limits_.max_tool_calls, "tool calls");
    case turn_dimension::tokens: return used(all.tokens, *limits_.max_total_tokens, "tokens");
    case turn_dimension::steps: break;
    }
    return turn_limit_error{dimension, "Max steps (" + std::to_string(limits_.max_steps) + ") exceeded" + where +
                                           ". Possible infinite loop."};
}

}  // namespace weft
