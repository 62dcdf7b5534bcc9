#pragma once

#include "heard_threads.hpp"
#include "run_news.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/store/record/thread_key.hpp>
#include <weft/store/role/store_news.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace weft::serve_detail {

struct serve_core;

/** Brings to the feeds and tapes of this loop what other processes do in the runs that clients follow here: events out
 *  of the log of the store, and the ends of runs.
 *
 *      const std::shared_ptr<void> following = follower.follow(thread, feed);   // until it is let go
 *
 *  The store is asked once for all clients of a thread: when its news say that there is something, and after a while
 *  without news, for a notice may be lost. It is asked for events only while no engine of this process tells them, and
 *  for nothing that no client follows. What the store does not answer is asked for again: streams stay open meanwhile.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The core outlives it. What clients hold may outlive both. */
class log_follower {
public:
    explicit log_follower(serve_core& core) noexcept : core_{core} {}
    log_follower(const log_follower&) = delete;
    log_follower& operator=(const log_follower&) = delete;

    /** Whether other processes may have runs of the store. */
    [[nodiscard]] bool has_others() const;
    /** How often the store is looked at without news of it: a notice may be lost, and some stores have none. */
    [[nodiscard]] std::chrono::milliseconds look_every() const;
    /** Follows a run until the result is let go of. Null: there is no need, since this loop drives the run and no other
     *  process can have it; or the server does not run. */
    [[nodiscard]] std::shared_ptr<void> follow(const thread_key& thread, std::shared_ptr<run_feed> feed);
    /** Follows the runs of a thread into its tape: the one that is there, if it is, and those that begin later.
     *  @param newest   The newest run when the tape was made; nil: there was none. */
    [[nodiscard]] std::shared_ptr<void> follow_tape(const thread_key& thread, latest_run latest, run_id newest);
    /** Whether what happens in a run comes to the tape of its thread by this: its end, too. */
    [[nodiscard]] bool tells_tape(const thread_key& thread, run_id run) const noexcept;
    /** All that is followed is looked at anew: the server drains. */
    void look_again();
    /** Until a stop. */
    [[nodiscard]] task<void> work();

private:
    struct followed_run;
    struct followed_thread;
    using thread_ptr = std::shared_ptr<followed_thread>;

    [[nodiscard]] thread_ptr begin(const thread_key& thread);
    [[nodiscard]] std::shared_ptr<void> held(const thread_ptr& of, std::optional<run_id> run);
    void let_go(const thread_ptr& of, std::optional<run_id> run);
    void hear();
    [[nodiscard]] task<void> attend(thread_ptr of);
    [[nodiscard]] task<void> look(thread_ptr of, bool is_change);
    [[nodiscard]] task<void> look_at_run(thread_ptr of, run_id id, bool is_change);
    [[nodiscard]] task<void> find_new_runs(thread_ptr of);
    void settle(followed_thread& of, run_id id, const std::optional<run_record>& record);

    serve_core& core_;
    scope* children_ = nullptr;  // while it works
    const std::shared_ptr<heard_threads> heard_ = std::make_shared<heard_threads>();
    store_news::subscription subscription_;
    bool is_hearing_ = false;
    std::unordered_map<thread_key, thread_ptr> threads_;
    std::unordered_multimap<std::uint64_t, thread_ptr> by_name_;
    const std::shared_ptr<log_follower*> self_ = std::make_shared<log_follower*>(this);  // for what clients hold
};

}  // namespace weft::serve_detail
