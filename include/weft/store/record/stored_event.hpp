#pragma once

#include <weft/store/record/event_draft.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** An event in the log of a run. */
struct stored_event {
    std::uint64_t id = 0;  ///< Its number in the run: 1, 2, 3, … without holes, also over several workers.
    wall_time at;          ///< When the store took it.
    std::string kind;
    std::string data;
};

/** What became of events that were appended. */
struct event_append {
    write_state state = write_state::ok;  ///< `ok`, or `fenced`: nothing was written.
    std::uint64_t last = 0;               ///< The id of the newest event now; of `fenced` 0.
};

/** What became of the logs of runs that are over. */
struct event_prune {
    std::size_t runs = 0;      ///< That have lost events.
    std::uint64_t events = 0;  ///< That are gone.
    bool has_more = false;     ///< Whether further runs may be to be looked at.
};

enum class event_log_state : std::uint8_t {
    ok,
    pruned,   ///< Events behind the one asked for are gone: begin with `event_page::first`, or with the run's state.
    unknown,  ///< The store has no such run.
};

/** A part of a run's events, in their order. */
struct event_page {
    event_log_state state = event_log_state::ok;
    std::uint64_t first = 0;            ///< The oldest event that is there; 0: none.
    std::uint64_t last = 0;             ///< The newest one; 0: none.
    std::vector<stored_event> events;   ///< None if `state` is not `ok`.
};

}  // namespace weft
