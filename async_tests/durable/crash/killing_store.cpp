#include "killing_store.hpp"

#include <weft/async/wait/remote_signal.hpp>

#include <unistd.h>

#include <csignal>
#include <utility>

namespace weft_crash {

namespace {

void die() { ::kill(::getpid(), SIGKILL); }

/** Waits for what never comes. */
weft::task<void> stand_still()
{
    const auto never = weft::make_counted<weft::remote_signal>();
    co_await never->wait();
}

weft::task<weft::commit_result> acknowledge(std::int64_t head)
{
    weft::commit_result result;
    result.head = head;
    co_return result;
}

}  // namespace

killing_store::killing_store(weft::checkpoint_store& inner, const worker_orders& orders,
                             const weft_tests::ledger& notes)
    : forwarding_store{inner}, any_{orders.any}, is_careless_{orders.is_careless}, notes_{notes}
{
    for (const slot& each : orders.slots)
        if (each.write > 0) slots_.emplace(each.thread, each);
}

void killing_store::kill_if_all_are_there() const
{
    if (!slots_.empty() && there_.size() == slots_.size()) die();
}

void killing_store::note_end(const std::string& thread)
{
    if (slots_.contains(thread)) there_.insert(thread);
    kill_if_all_are_there();
}

std::uint64_t killing_store::writes(const std::string& thread) const
{
    const auto found = writes_.find(thread);
    return found == writes_.end() ? 0 : found->second;
}

bool killing_store::loses_next(const std::string& thread) const
{
    const auto found = slots_.find(thread);
    return is_careless_ && found != slots_.end() && found->second.when == slot::moment::before &&
           found->second.write == writes(thread) + 2;
}

void killing_store::arrive(const std::string& thread)
{
    if (standing_.insert(thread).second) notes_.note({"reached", thread});
    there_.insert(thread);
    kill_if_all_are_there();
}

/** A write of a thread: counted, and where the process may be killed. */
template <class Make>
auto killing_store::at_boundaries(std::string thread, Make make) -> decltype(make())
{
    if (standing_.contains(thread)) co_await stand_still();
    const std::uint64_t number = ++writes_[thread];
    const auto found = slots_.find(thread);
    const bool is_it = found != slots_.end() && found->second.write == number;
    if (is_it && found->second.when == slot::moment::before) {
        arrive(thread);
        co_await stand_still();
    }
    auto answer = co_await of_all(std::move(make));
    if (is_it) arrive(thread);
    if (standing_.contains(thread)) co_await stand_still();
    co_return answer;
}

/** A write of whichever thread, or of none. */
template <class Make>
auto killing_store::of_all(Make make) -> decltype(make())
{
    const std::uint64_t number = ++all_writes_;
    const bool is_it = any_.write == number;
    if (is_it && any_.when == slot::moment::before) die();
    auto answer = co_await make();
    if (is_it) die();
    co_return answer;
}

weft::task<weft::worker_id> killing_store::enter(weft::worker_entry entry)
{
    return of_all([this, entry = std::move(entry)] { return inner().enter(entry); });
}

weft::task<std::size_t> killing_store::reap(std::size_t runs_max)
{
    return of_all([this, runs_max] { return inner().reap(runs_max); });
}

weft::task<std::vector<weft::run_claim>> killing_store::claim(weft::worker_id worker, std::size_t max)
{
    return of_all([this, worker, max] { return inner().claim(worker, max); });
}

weft::task<weft::run_admission> killing_store::enqueue(weft::new_run run)
{
    threads_[run.id] = run.thread.thread;
    std::string thread = run.thread.thread;
    return at_boundaries(std::move(thread), [this, run = std::move(run)] { return inner().enqueue(run); });
}

weft::task<std::optional<weft::run_claim>> killing_store::resume(weft::worker_id worker, weft::run_id run)
{
    return at_boundaries(threads_[run], [this, worker, run] { return inner().resume(worker, run); });
}

weft::task<weft::write_state> killing_store::finish(weft::write_fence fence, weft::run_outcome outcome)
{
    std::string thread = fence.thread.thread;
    return at_boundaries(std::move(thread), [this, fence = std::move(fence), outcome = std::move(outcome)] {
        return inner().finish(fence, outcome);
    });
}

weft::task<weft::write_state> killing_store::yield(weft::write_fence fence)
{
    std::string thread = fence.thread.thread;
    return at_boundaries(std::move(thread), [this, fence = std::move(fence)] { return inner().yield(fence); });
}

weft::task<std::optional<weft::run_record>> killing_store::active_run(weft::thread_key thread)
{
    std::string name = thread.thread;
    std::optional<weft::run_record> found = co_await inner().active_run(std::move(thread));
    if (found) threads_[found->id] = name;
    co_return found;
}

weft::task<weft::commit_result> killing_store::commit(weft::write_fence fence, weft::checkpoint_draft draft)
{
    std::string thread = fence.thread.thread;
    const bool is_lost = loses_next(thread);
    return at_boundaries(std::move(thread), [this, is_lost, fence = std::move(fence), draft = std::move(draft)] {
        return is_lost ? acknowledge(fence.head + 1) : inner().commit(fence, draft);
    });
}

/** What has an outcome that is kept must not be paid again. */
weft::task<weft::write_state> killing_store::record_and_note(weft::write_fence fence, weft::effect_record effect)
{
    const bool is_done = effect.phase == weft::effect_phase::done;
    const std::vector<std::string> words{"paid", fence.thread.thread, effect.key};
    const weft::write_state state = co_await inner().record(std::move(fence), std::move(effect));
    const bool is_kept = state == weft::write_state::ok || state == weft::write_state::duplicate;
    if (is_done && is_kept) notes_.note(words);
    co_return state;
}

weft::task<weft::write_state> killing_store::record(weft::write_fence fence, weft::effect_record effect)
{
    std::string thread = fence.thread.thread;
    return at_boundaries(std::move(thread), [this, fence = std::move(fence), effect = std::move(effect)] {
        return record_and_note(fence, effect);
    });
}

weft::task<weft::write_state> killing_store::ask(weft::write_fence fence, weft::question_record question)
{
    std::string thread = fence.thread.thread;
    return at_boundaries(std::move(thread), [this, fence = std::move(fence), question = std::move(question)] {
        return inner().ask(fence, question);
    });
}

weft::task<weft::answer_state> killing_store::answer(weft::thread_key thread, std::string address, std::string answer)
{
    std::string name = thread.thread;
    return at_boundaries(std::move(name), [this, thread = std::move(thread), address = std::move(address),
                                           answer = std::move(answer)] {
        return inner().answer(thread, address, answer);
    });
}

weft::task<weft::prune_report> killing_store::prune(weft::thread_key thread, weft::retention what)
{
    std::string name = thread.thread;
    return at_boundaries(std::move(name),
                         [this, thread = std::move(thread), what] { return inner().prune(thread, what); });
}

}  // namespace weft_crash
