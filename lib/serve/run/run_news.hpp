#pragma once

#include "serve/feed/feed_table.hpp"
#include "serve/feed/loop_relay.hpp"
#include "serve/feed/thread_tape.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/store/record/thread_key.hpp>

#include <memory>
#include <set>
#include <unordered_map>

namespace weft::serve_detail {

/** What this loop, and the store, know of the run that a thread has. */
struct latest_run {
    std::shared_ptr<run_feed> feed = {};                  ///< Null: the thread has no run now.
    std::shared_ptr<const run_ending> rest = {};          ///< Of a run that waits.
};

/** Brings what happens in runs to those that read it: the feed of the run, the tape of its thread, and the other loops
 *  of the server whose clients watch the thread.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Tables outlive it, and it the engine whose events it gets. */
class run_news final : public relay_listener {
public:
    /** @param relay   Null: the server has one loop. */
    run_news(feed_table& feeds, tape_table& tapes, std::shared_ptr<loop_relay> relay);
    ~run_news() override;
    run_news(const run_news&) = delete;
    run_news& operator=(const run_news&) = delete;

    /** This loop begins a run, or goes on with it, and will tell its end.
     *  @return   Its feed. */
    std::shared_ptr<run_feed> begin(const thread_key& thread, run_id run);
    /** An event of a run on this loop. */
    void tell(const thread_key& thread, const run_event& event);
    /** An event that the log of the store has of a run that another process has. One that the feed has already is left
     *  out. */
    void tell_logged(const thread_key& thread, run_feed& feed, const run_event& event);
    /** A run that another process, or the worker loop, has is over, or waits, or is left to the next life of the
     *  server; the store knows it. */
    void end_logged(const thread_key& thread, run_id run, run_ending how);
    /** The server drains: runs that pause from now on, or are cut short, go on in another life of it, and have no end
     *  here. */
    void begin_drain() noexcept { is_draining_ = true; }
    /** The store knows the end of a run that `begin` began. */
    void end(const thread_key& thread, run_id run, run_ending how);

    /** Hears of the thread from other loops, until the result is let go of. Feeds of its runs have what they know.
     *  @return  Null if the server has one loop. */
    [[nodiscard]] task<std::shared_ptr<void>> follow(thread_key thread);
    /** The tape of a thread, with what other loops know of it. */
    [[nodiscard]] task<std::shared_ptr<thread_tape>> tape_of(thread_key thread, latest_run latest);

    [[nodiscard]] relayed_entries recall(const thread_key& thread) override;
    void take(const thread_key& thread, const relayed_entries& news) override;
    void lose_sight(const thread_key& thread) override;

private:
    std::shared_ptr<const feed_event> take_entry(const thread_key& thread, const relayed_entry& entry,
                                                 thread_tape* tape);
    std::shared_ptr<thread_tape> begin_tape(const thread_key& thread, const relayed_entries& known,
                                            const latest_run& latest);
    void note_rest(const thread_key& thread, const run_event& event, run_feed& feed, thread_tape* tape);
    static void let_go(std::unordered_map<thread_key, std::set<run_id>>& of, const thread_key& thread, run_id run);

    feed_table& feeds_;
    tape_table& tapes_;
    const std::shared_ptr<loop_relay> relay_;
    // Runs under way: here, if other loops may ask, and elsewhere. Those in line count as well.
    std::unordered_map<thread_key, std::set<run_id>> driven_;
    std::unordered_map<thread_key, std::set<run_id>> relayed_;
    bool is_draining_ = false;
};

}  // namespace weft::serve_detail
