#pragma once

#include "run_feed.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>

namespace weft::serve_detail {

struct feed_limits {
    std::size_t events_max = 10'000;  ///< Of one run.
    std::size_t closed_max = 256;     ///< Feeds of runs that are over, for clients that come late.
};

/** The feeds of a loop's runs by id. Those of runs that are over stay until there are too many.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Outlives the feeds and their events. */
class feed_table {
public:
    explicit feed_table(serial_loop& loop, feed_limits limits = {}) noexcept : loop_{loop}, limits_{limits} {}

    /** The feed of a run, made if it is not there. */
    [[nodiscard]] std::shared_ptr<run_feed> of(run_id run);
    /** Null if there is none. */
    [[nodiscard]] std::shared_ptr<run_feed> find(run_id run) const;
    /** Closes the feed of a run, and lets go of it as `retire` does. */
    void close(run_id run, run_ending how);
    /** What this loop knows of a run may have holes from now on: what reads the feed keeps it, others get a new one. */
    void forget(run_id run) { feeds_.erase(run); }
    /** A run has come to rest: its feed stays until there are too many of its kind. What still reads it keeps it. */
    void retire(run_id run);

    /** Of the nodes whose events are in feeds; for those that are not in the table, too. */
    [[nodiscard]] stored_names& names() noexcept { return names_; }
    [[nodiscard]] std::size_t size() const noexcept { return feeds_.size(); }

private:
    serial_loop& loop_;
    feed_limits limits_;
    stored_names names_;
    std::map<run_id, std::shared_ptr<run_feed>> feeds_;
    std::deque<run_id> retired_;  // oldest first; some may go on again
};

}  // namespace weft::serve_detail
