#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What a run of a turn engine may spend. Checked before every node, in the order time, tool calls, tokens, steps.
 *
 *      weft::turn_limits limits;
 *      limits.max_total = 30s;
 *      limits.max_total_tokens = 20'000;
 *
 *  Nodes say by `turn_context` what they have spent. */
struct turn_limits {
    std::uint32_t max_steps = 100;                          ///< Node executions; at least 1.
    std::optional<std::uint64_t> max_tool_calls = {};       ///< Reached means used up.
    std::optional<std::chrono::nanoseconds> max_total = {}; ///< Stops a node that is at work, too.
    std::optional<std::uint64_t> max_total_tokens = {};
};

/** Which limit it was. */
enum class turn_dimension : std::uint8_t { time, tool_calls, tokens, steps };

/** `time`, `toolCalls`, `tokens` or `steps`. */
[[nodiscard]] std::string_view name_of(turn_dimension dimension) noexcept;

/** A run has used up what it may spend. */
class turn_limit_error : public error {
public:
    turn_limit_error(turn_dimension dimension, const std::string& detail);
    /** Which limit it was. */
    [[nodiscard]] turn_dimension dimension() const noexcept { return dimension_; }

private:
    turn_dimension dimension_;
};

/** What a run has spent so far. */
struct turn_spending {
    std::uint64_t tool_calls = 0;
    std::uint64_t tokens = 0;
    std::chrono::nanoseconds elapsed{0};  ///< Without the time between a pause and its resume.
};

/** Counts what one run spends. @par Thread safety None: on the run's loop. */
class turn_meter {
public:
    /** @param before   What the run had spent when it was kept. */
    turn_meter(const turn_limits& limits, const turn_spending& before, const clock& time)
        : limits_{limits}, before_{before}, spent_{before}, clock_{time}, began_{time.now()}
    {
    }

    /** What is added may go beyond a limit: it was spent, and the next node does not begin. */
    void add_tool_calls(std::uint64_t count) noexcept { spent_.tool_calls += count; }
    void add_tokens(std::uint64_t count) noexcept { spent_.tokens += count; }
    /** With what had been spent before a resume. */
    [[nodiscard]] turn_spending spent() const noexcept;
    /** The first of time, tool calls and tokens that is used up. */
    [[nodiscard]] std::optional<turn_dimension> used_up() const noexcept;
    /** How much time is left; nothing if there is no limit. */
    [[nodiscard]] std::optional<std::chrono::nanoseconds> time_left() const noexcept;
    /** The error for a dimension, at a node. */
    [[nodiscard]] turn_limit_error error_for(turn_dimension dimension, std::string_view node) const;
    [[nodiscard]] const turn_limits& limits() const noexcept { return limits_; }

private:
    turn_limits limits_;
    turn_spending before_;
    turn_spending spent_;
    const clock& clock_;
    time_point began_;
};

}  // namespace weft
