#include "checkpoint_committer.hpp"

#include "commit_plan.hpp"
#include "store_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft {

namespace {

using namespace std::chrono_literals;

/** Between two tries: 50 ms, doubled each time, at most 2 s. */
std::chrono::nanoseconds pause_after(int fruitless)
{
    return std::min<std::chrono::nanoseconds>(50ms * (1 << std::min(fruitless - 1, 6)), 2s);
}

}  // namespace

checkpoint_committer::checkpoint_committer(checkpoint_store& store, id_source& ids, write_fence fence,
                                           checkpoint_writer writer, const durable_options& how)
    : store_{store}, ids_{ids}, fence_{std::move(fence)}, writer_{std::move(writer)}, how_{how}
{
}

void checkpoint_committer::begin_save() { to_settle_.push_back(std::exchange(settled_, {})); }

void checkpoint_committer::refuse_lost() const
{
    throw error{errc::thread_lost, "thread '" + fence_.thread.thread + "'",
                "its newest checkpoint stands; whoever has the thread goes on from there"};
}

checkpoint_draft checkpoint_committer::draft_of(const frontier& where, checkpoint_kind kind, const std::string& node,
                                         checkpoint_id id)
{
    checkpoint_draft draft = writer_.write(where);
    draft.id = id;
    draft.kind = kind;
    draft.node = node;
    if (!to_settle_.empty()) draft.settled = to_settle_.front();
    // A failed run goes on with its effects.
    const bool is_over = kind == checkpoint_kind::finish && !is_unfinished(where);
    if (is_over && !journal_.empty()) draft.settled.push_back(journal_);
    return draft;
}

task<void> checkpoint_committer::keep(frontier where, checkpoint_kind kind, std::string node)
{
    if (is_lost_) refuse_lost();
    if (is_end_open_ && kind == checkpoint_kind::cancel) co_return;
    commit_plan plan{ids_.next<checkpoint_id>(), fence_.head, doubtful_};
    const checkpoint_id id = plan.wanted();
    task<bool> writing = commit_all(plan, where, kind, node);
    store_answer<bool> answer = co_await answer_of(std::move(writing));
    if (!answer) {
        // What it settles is settled by the next one, if there is one.
        if (to_settle_.size() > 1) {
            auto& next = to_settle_[1];
            std::move(to_settle_.front().begin(), to_settle_.front().end(), std::back_inserter(next));
            to_settle_.pop_front();
        }
        if (plan.is_in_doubt()) doubtful_ = id;
        is_store_away_ = !how_.is_best_effort() && answer.may_retry();
        std::rethrow_exception(answer.error);
    }
    if (!to_settle_.empty()) to_settle_.pop_front();
    doubtful_ = checkpoint_id{};
    writer_.written();
    fence_.head = plan.head();
    if (on_first_kept_) std::exchange(on_first_kept_, nullptr)();
    ++kept_;
    if (++kept_since_prune_ < prune_interval()) co_return;
    task<void> pruning = prune();
    co_await std::move(pruning);
}

/** A long run does not fill the store before it ends. A store looks at all that a thread has in order to prune it: the
 *  more that is, the rarer. */
std::size_t checkpoint_committer::prune_interval() const noexcept
{
    constexpr std::size_t least = 32;
    constexpr std::size_t most = 4096;
    return std::max({how_.keep_last(), least, std::min(kept_ / 16, most)});
}

task<void> checkpoint_committer::prune()
{
    kept_since_prune_ = 0;
    if (how_.keep_last() == 0 && how_.keep_for().count() == 0) co_return;
    serial_loop& loop = co_await this_task::loop();
    retention what;
    what.keep_last = how_.keep_last() == 0 ? SIZE_MAX : how_.keep_last();
    if (how_.keep_for().count() > 0) what.older_than = loop.clock().system_now() - how_.keep_for();
    task<prune_report> call = store_.prune(fence_.thread, what);
    store_answer<prune_report> answer = co_await answer_of(std::move(call));
    static_cast<void>(answer);
}

/** Writes until it is known what became of it. @return True; else it throws. */
task<bool> checkpoint_committer::commit_all(commit_plan& plan, const frontier& where, checkpoint_kind kind,
                                     const std::string& node)
{
    const checkpoint_id id = plan.wanted();
    serial_loop& loop = co_await this_task::loop();
    std::exception_ptr last_error;
    for (;;) {
        if (is_lost_ || plan.next() == commit_plan::step::lost) {
            is_lost_ = true;
            refuse_lost();
        }
        if (plan.next() == commit_plan::step::done) co_return true;
        const bool gives_up = how_.is_best_effort() && plan.fruitless() > 0 && plan.next() == commit_plan::step::write;
        if (plan.next() == commit_plan::step::failed || gives_up) std::rethrow_exception(last_error);
        if (plan.fruitless() > 0) co_await sleep_for(pause_after(plan.fruitless()));
        if (plan.next() == commit_plan::step::write) {
            write_fence fence = fence_;
            fence.head = plan.head();
            checkpoint_draft draft = draft_of(where, kind, node, id);
            draft.at = loop.clock().system_now();
            task<commit_result> call = store_.commit(std::move(fence), std::move(draft));
            store_answer<commit_result> answer = co_await answer_of(std::move(call));
            if (answer)
                plan.written(*answer.value);
            else
                plan.threw(answer.code);
            last_error = answer.error;
            continue;
        }
        auto call = store_.find(plan.wanted());
        auto answer = co_await answer_of(std::move(call));
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
