#pragma once

#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/role/store_news.hpp>

#include <cstddef>

/** What stores announce after their operations: the same in all of them. */
namespace weft::store_detail {

/** What `announce_entry` needs of a run, which the store has taken by then. */
struct entry_note {
    explicit entry_note(const new_run& run)
        : thread{run.thread}, replaces{run.busy == busy_policy::replace}, has_moment{run.not_before.has_value()}
    {
    }

    thread_key thread;
    bool replaces;
    bool has_moment;
};

/** After `enqueue`. One in line behind others wakes no waiter before its turn.
 *  @param is_known_elsewhere  Other processes have its notice already. */
inline void announce_entry(store_news& news, const entry_note& run, const run_admission& admission,
                           bool is_known_elsewhere = false)
{
    using kind = run_admission::kind;
    const bool is_new = admission.what != kind::rejected && admission.what != kind::duplicate;
    if (is_new && run.replaces) news.announce(store_notice::kind::signal, run.thread);
    // One that waits for its moment is announced too: workers find out when they look next.
    if (admission.what != kind::ready && !(admission.what == kind::queued && run.has_moment)) return;
    const store_notice notice{store_notice::kind::run, news.name_of(run.thread)};
    if (is_known_elsewhere) news.pass_on(notice);
    else news.announce(notice);
}

/** After `finish` and `yield`. */
inline void announce_release(store_news& news, const thread_key& thread, write_state state)
{
    if (state == write_state::ok) news.announce(store_notice::kind::run, thread);
}

/** After `answer`: also an answer that was there already may have made the run ready. */
inline void announce_answer(store_news& news, const thread_key& thread, answer_state state)
{
    if (state != answer_state::unknown) news.announce(store_notice::kind::answer, thread);
}

/** After `run_event_log::append`, and `checkpoint_log::commit` with events. */
inline void announce_events(store_news& news, const thread_key& thread, write_state state)
{
    if (state == write_state::ok) news.announce(store_notice::kind::events, thread);
}

/** After what changes runs of many threads, or of one that is not known: `leave`, `reap`, `cancel_queued`. */
inline void announce_changes(store_news& news, bool has_changed)
{
    if (has_changed) news.announce(store_notice{store_notice::kind::run, 0});
}

}  // namespace weft::store_detail
