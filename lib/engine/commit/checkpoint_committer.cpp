#include "checkpoint_committer.hpp"

#include "commit_plan.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace weft {

checkpoint_committer::checkpoint_committer(checkpoint_store& store, id_source& ids, write_fence fence,
                                           checkpoint_writer writer, const durable_options& options)
    : store_{store}, ids_{ids}, fence_{std::move(fence)}, writer_{std::move(writer)}, options_{options}
{
}

void checkpoint_committer::begin_save() { to_settle_.push_back(std::exchange(settled_, {})); }

void checkpoint_committer::refuse_lost() const
{
    throw error{errc::thread_lost, "thread '" + fence_.thread.thread + "'",
                "its newest checkpoint stands; whoever has the thread goes on from there"};
}

/** The head may have moved: an earlier write, whose outcome was unknown, has come through. */
write_fence checkpoint_committer::fence_at(std::int64_t head) const
{
    write_fence fence = fence_;
    fence.head = head;
    return fence;
}

checkpoint_draft checkpoint_committer::draft_of(const frontier& where, checkpoint_kind kind, const std::string& node,
                                                checkpoint_id id, clock::system_time_point at)
{
    checkpoint_draft draft = writer_.write(where);
    draft.id = id;
    draft.at = at;
    draft.kind = kind;
    draft.node = node;
    if (!to_settle_.empty()) draft.settled = to_settle_.front();
    // A failed run goes on with its effects.
    // The journal of a run that came to its end is of no use to any other.
    const bool is_over = kind == checkpoint_kind::finish && !is_unfinished(where);
    if (is_over && !journal_.empty()) draft.settled.push_back(journal_);
    return draft;
}

task<void> checkpoint_committer::save(frontier where, checkpoint_kind kind, std::string node)
{
    if (is_lost_) refuse_lost();
    // The run goes on elsewhere: the checkpoint before stands, and a cancel behind it would be its end.
    if (is_end_open_ && kind == checkpoint_kind::cancel) co_return;
    commit_plan plan{ids_.next<checkpoint_id>(), fence_.head, doubtful_};
    const checkpoint_id id = plan.wanted();
    store_answer<bool> answer = co_await answer_of(commit_all(plan, where, kind, node));
    if (!answer) {
        // What it settles is settled by the next one, if there is one.
        if (to_settle_.size() > 1) {
            auto& next = to_settle_[1];
            std::move(to_settle_.front().begin(), to_settle_.front().end(), std::back_inserter(next));
            to_settle_.pop_front();
        }
        // It may still arrive; the next commit, which then finds a head that it does not expect, looks for it.
        if (plan.is_in_doubt()) doubtful_ = id;
        is_store_away_ = !options_.is_best_effort && answer.may_retry();
        std::rethrow_exception(answer.error);
    }
    if (!to_settle_.empty()) to_settle_.pop_front();
    doubtful_ = checkpoint_id{};
    // From now on drafts build on this one.
    writer_.written();
    fence_.head = plan.head();
    if (on_first_saved_) std::exchange(on_first_saved_, nullptr)();
    ++saved_;
    // A stop leaves the rest to the next one: it is no failure of this one.
    if (!writer_.drop_some()) static_cast<void>(co_await answer_of(drop_written()));
    if (++saved_since_prune_ < prune_interval()) co_return;
    co_await prune();
}

task<void> checkpoint_committer::drop_written()
{
    bool is_done = false;
    while (!is_done) {
        co_await yield_now();
        is_done = writer_.drop_some();
    }
}

/** A long run does not fill the store before it ends. A store looks at all that a thread has in order to prune it: the
 *  more that is, the rarer. */
std::size_t checkpoint_committer::prune_interval() const noexcept
{
    constexpr std::size_t least = 32;
    constexpr std::size_t most = 4096;
    return std::max({options_.keep_last, least, std::min(saved_ / 16, most)});
}

/** The head counts the checkpoints that the thread has ever had: of fewer than are kept, none goes. To ask the store
 *  nevertheless costs a short run a transaction and a flush of its own. */
bool checkpoint_committer::has_more_than_kept() const noexcept
{
    return options_.keep_last > 0 && fence_.head > static_cast<std::int64_t>(options_.keep_last);
}

task<void> checkpoint_committer::prune()
{
    saved_since_prune_ = 0;
    if (options_.keep_for.count() == 0 && !has_more_than_kept()) co_return;
    serial_loop& loop = co_await this_task::loop();
    retention what;
    // Either limit alone counts when the other is not set.
    what.keep_last = options_.keep_last == 0 ? SIZE_MAX : options_.keep_last;
    if (options_.keep_for.count() > 0) what.older_than = loop.clock().system_now() - options_.keep_for;
    static_cast<void>(co_await answer_of(store_.prune(fence_.thread, what)));
}

/** With a recorder. The checkpoint and the events that led to it are one write: the run never goes on, here or
 *  elsewhere, behind one that the log knows nothing of. */
task<commit_result> checkpoint_committer::write(write_fence fence, checkpoint_draft draft,
                                                std::optional<event_recorder::handful>& with)
{
    if (!with) {
        event_recorder::handful taken = co_await recorder_->take(store_.event_log());
        with.emplace(std::move(taken));
    }
    draft.events = with->events();
    draft.event_limits = recorder_->limits();
    co_return co_await store_.commit(std::move(fence), std::move(draft));
}

/** Writes until it is known what became of it, and throws unless it is there. */
task<void> checkpoint_committer::commit_all(commit_plan& plan, const frontier& where, checkpoint_kind kind,
                                            const std::string& node)
{
    const checkpoint_id id = plan.wanted();
    serial_loop& loop = co_await this_task::loop();
    std::exception_ptr last_error;
    std::optional<event_recorder::handful> events;
    for (;;) {
        if (is_lost_ || plan.next() == commit_plan::step::lost) {
            is_lost_ = true;
            refuse_lost();
        }
        if (plan.next() == commit_plan::step::done) {
            if (events) events->drop();
            co_return;
        }
        const bool gives_up =
            options_.is_best_effort && plan.fruitless() > 0 && plan.next() == commit_plan::step::write;
        if (plan.next() == commit_plan::step::failed || gives_up) std::rethrow_exception(last_error);
        if (plan.fruitless() > 0) co_await sleep_for(retry_delay(plan.fruitless()));
        if (plan.next() == commit_plan::step::write) {
            while (!writer_.prepare(where)) co_await yield_now();
            // Drafts and fences have many members: they are made where they are passed.
            const auto at = loop.clock().system_now();
            task<commit_result> writing =
                recorder_ ? write(fence_at(plan.head()), draft_of(where, kind, node, id, at), events)
                          : store_.commit(fence_at(plan.head()), draft_of(where, kind, node, id, at));
            store_answer<commit_result> answer = co_await answer_of(std::move(writing));
            if (answer)
                plan.written(*answer.value);
            else
                plan.threw(is_passing(answer.code) && !answer.may_retry() ? errc::store_unavailable : answer.code);
            last_error = answer.error;
            continue;
        }
        auto answer = co_await answer_of(store_.find(plan.wanted()));
        if (!answer)
            plan.threw(answer.code);
        else if (*answer.value)
            plan.found((*answer.value)->second);
        else
            plan.found(std::nullopt);
        last_error = answer.error;
    }
}

}  // namespace weft
