#pragma once

#include <weft/base/chrono.hpp>
#include <weft/chat/usage.hpp>
#include <weft/engine/run_event.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class run_log;

/** What happened in a run: the visits of its nodes, and what its time went to. Plain data; moments count from when the
 *  run began.
 *
 *  @par Thread safety   As a value.
 */
struct run_trace {
    using span = std::chrono::nanoseconds;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    enum class outcome : std::uint8_t {
        succeeded,
        failed,
        stopped,     ///< Its branch or the run was.
        unfinished,  ///< The log ends before.
    };
    struct attempt {
        span start{};
        span end{};
        outcome how = outcome::unfinished;
        std::string why = {};      ///< It failed.
    };
    struct visit {
        std::string address = {};  ///< The nodes, joined by "/", whose graph it happened in; empty: the run's own.
        std::string node = {};
        std::uint32_t number = 0;  ///< Which visit of the node, from 1.
        std::uint32_t branch = 0;
        std::uint32_t depth = 0;   ///< How many nodes it happened within.
        span start{};
        span end{};                ///< Of its last attempt.
        outcome how = outcome::unfinished;
        std::vector<attempt> attempts = {};
        bool was_cached = false;   ///< A cache gave its result; see `node_cache_policy`.
        weft::usage spent = {};    ///< What its outputs of the kind `usage` report.
        std::size_t within = none; ///< The visit that it is a part of.
        std::size_t after = none;  ///< The visit whose end let it begin.
    };
    struct edge {
        std::string address = {};
        std::string source = {};
        std::string node = {};
        std::uint32_t declared = no_edge;
        std::uint32_t times = 0;
    };
    /** Something that is not a part of a visit: a condition that went wrong, what a model decided, a visit that was
     *  passed over. */
    struct remark {
        run_event::kind what = run_event::kind::gap;
        std::string address = {};
        std::string source = {};
        std::string node = {};
        std::string text = {};
        span at{};
    };
    /** A part of the critical path. */
    struct step {
        std::size_t visit = none;  ///< That was at work, or that was waited for; none: the end of the run.
        bool is_waiting = false;
        span start{};
        span end{};
    };

    std::string graph = {};
    std::string began_at = {};       ///< In UTC; may be empty.
    std::string status = {};         ///< `name_of(run_status)`; empty if the log ends before the run does.
    bool was_cut_short = false;      ///< A limit of steps ended the run.
    span elapsed{};                  ///< Until the run ended, or the log.
    std::vector<visit> visits = {};  ///< In the order in which they began.
    std::vector<edge> edges = {};    ///< In the order in which they were first taken.
    std::vector<remark> remarks = {};
    std::vector<step> critical_path = {};  ///< From the beginning to the end without holes: its spans sum to `elapsed`.
    std::uint64_t events_lost = 0;
    weft::usage spent = {};

    [[nodiscard]] bool is_complete() const noexcept { return !status.empty(); }
    /** Attempts beyond the first ones. */
    [[nodiscard]] std::size_t retries() const noexcept;
    /** How much of the elapsed time a step took, from 0 to 1. */
    [[nodiscard]] double share_of(const step& part) const noexcept;
};

[[nodiscard]] std::string_view name_of(run_trace::outcome how) noexcept;

/** What a log says. Any log will do: what it does not say is left out.
 *
 *  The critical path is the chain of visits that the end of the run waited for. A join waits for the branch that ended
 *  last of those that were not stopped; a branch that had to wait for a place, for the visit that gave it one. Where a
 *  visit's work is a graph, the path goes on within. */
[[nodiscard]] run_trace trace_of(const run_log& log);

/** The trace as JSON; moments and spans in milliseconds. Members: `graph`, `at`, `status`, `complete`, `cut_short`,
 *  `elapsed_ms`, `retries`, `events_lost`, `usage`, `visits`, `edges`, `remarks`, `critical_path`. */
[[nodiscard]] boost::json::object to_json(const run_trace& trace);

/** What an event reports as spent: of an output of the kind `usage` its text as `usage`; of any other nothing. */
[[nodiscard]] std::optional<usage> usage_in(const run_event& event) noexcept;

}  // namespace weft
