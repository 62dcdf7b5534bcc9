#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft_bench {

/** What the rounds of one benchmark gave: medians, and how far the rounds of weft lie apart. */
struct measurement {
    double weft = 0;
    double floor = 0;
    double spread = 0;  ///< Distance of the quartiles of weft's rounds, as a share of their median.
    double weft_least = 0;   ///< Of the rounds; 0: there were none to choose from.
    double floor_least = 0;  ///< The same of the floor's.

    [[nodiscard]] double ratio() const noexcept { return floor > 0 ? weft / floor : 0; }
};

/** One figure of weft beside its floor: the same work written by hand. */
struct benchmark {
    std::string name;
    std::string unit;
    std::string what;  ///< One line for people.
    std::string goal;  ///< What the figure should be, for people; may be empty.
    std::function<measurement()> measure;
};

using benchmarks = std::vector<benchmark>;

// The groups. An explicit list, so that a benchmark cannot be left out by the linker.
[[nodiscard]] benchmarks chain_benchmarks();
[[nodiscard]] benchmarks pipe_benchmarks();
[[nodiscard]] benchmarks fan_out_benchmarks();
[[nodiscard]] benchmarks in_flight_benchmarks();
[[nodiscard]] benchmarks memory_benchmarks();
[[nodiscard]] benchmarks wait_benchmarks();
[[nodiscard]] benchmarks stop_benchmarks();
[[nodiscard]] benchmarks stop_waits_benchmarks();
[[nodiscard]] benchmarks build_benchmarks();
[[nodiscard]] benchmarks spec_benchmarks();
[[nodiscard]] benchmarks route_benchmarks();
[[nodiscard]] benchmarks draw_benchmarks();
[[nodiscard]] benchmarks history_benchmarks();
[[nodiscard]] benchmarks checkpoint_benchmarks();
[[nodiscard]] benchmarks durable_benchmarks();
[[nodiscard]] benchmarks resume_benchmarks();
[[nodiscard]] benchmarks commit_benchmarks();
[[nodiscard]] benchmarks lives_benchmarks();
[[nodiscard]] benchmarks wake_up_benchmarks();
[[nodiscard]] benchmarks queued_benchmarks();
[[nodiscard]] benchmarks follow_benchmarks();
[[nodiscard]] benchmarks search_benchmarks();
[[nodiscard]] benchmarks span_benchmarks();
[[nodiscard]] benchmarks task_benchmarks();
[[nodiscard]] benchmarks stream_benchmarks();
[[nodiscard]] benchmarks stream_memory_benchmarks();
[[nodiscard]] benchmarks call_benchmarks();
[[nodiscard]] benchmarks cancel_benchmarks();
[[nodiscard]] benchmarks limiter_benchmarks();
[[nodiscard]] benchmarks hedge_benchmarks();
[[nodiscard]] benchmarks agent_benchmarks();
[[nodiscard]] benchmarks vector_benchmarks();
[[nodiscard]] benchmarks pgvector_benchmarks();
[[nodiscard]] benchmarks serve_benchmarks();
[[nodiscard]] benchmarks mass_benchmarks();
[[nodiscard]] benchmarks stall_benchmarks();
[[nodiscard]] benchmarks first_event_benchmarks();
[[nodiscard]] benchmarks drain_benchmarks();
[[nodiscard]] benchmarks parked_benchmarks();
[[nodiscard]] benchmarks audience_benchmarks();
[[nodiscard]] benchmarks protocol_benchmarks();
[[nodiscard]] benchmarks all_benchmarks();

/** Runs both once to warm up, then `rounds` times in turn: weft, floor, weft, floor…
 *  @param weft, floor  One round; gives its figure. */
[[nodiscard]] measurement take_turns(int rounds, const std::function<double()>& weft,
                                     const std::function<double()>& floor);

/** From now on `take_turns` and `take_cold_turns` run both once: whether a benchmark works, not how fast it is. */
void take_one_turn_only() noexcept;

[[nodiscard]] bool takes_one_turn_only() noexcept;

/** How much work a round does: `full`, or at most `small` after `take_one_turn_only`. */
template <class Number>
[[nodiscard]] Number amount(Number full, Number small)
{
    return takes_one_turn_only() && small < full ? small : full;
}

/** As `take_turns`, for rounds that need no warming up: each runs in a process of its own. */
[[nodiscard]] measurement take_cold_turns(int rounds, const std::function<double()>& weft,
                                          const std::function<double()>& floor);

/** A benchmark that does not do its work measures nothing: it stops the program. */
inline void require(bool holds, const char* what)
{
    if (!holds) throw std::runtime_error{what};
}

}  // namespace weft_bench
