#include "sqlite_call.hpp"

#include <weft/async/task/stop_check.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>

#include <string>

namespace weft::sqlite_detail {

namespace {

/** A call in its queue, from which it goes with the coroutine that waits. */
class queued_call {
public:
    queued_call(call_queue& queue, call& waiting, const std::string& file) : queue_{queue}, call_{waiting}
    {
        if (!queue_.push(call_))
            throw error{errc::limit_reached, file,
                        "too many calls wait for the store already: it is slower than what runs ask of it"};
    }
    ~queued_call() { queue_.withdraw(call_); }
    queued_call(const queued_call&) = delete;
    queued_call& operator=(const queued_call&) = delete;

    [[nodiscard]] bool withdraw() { return queue_.withdraw(call_); }

private:
    call_queue& queue_;
    call& call_;
};

[[noreturn]] void throw_late(const wait_rules& rules, bool has_begun)
{
    const std::string within = "no answer within " + std::to_string(rules.answer_max.count()) + " ms; ";
    if (has_begun && rules.when_begun == errc::store_outcome_unknown)
        throw error{rules.when_begun, rules.file,
                    within + "the write goes on: reload the head to see whether it counts"};
    throw error{errc::store_unavailable, rules.file, within + "nothing was done. The disk is slow or hangs"};
}

}  // namespace

call_queue::~call_queue()
{
    while (!waiting_.empty()) intrusive_ptr_release(&waiting_.pop());
}

bool call_queue::push(call& waiting)
{
    bool is_news = false;
    {
        const std::lock_guard guard{lock_};
        if (count_ >= waiting_max_) return false;
        ++count_;
        intrusive_ptr_add_ref(&waiting);
        waiting_.push(waiting);
        is_news = count_ >= wanted_;
    }
    if (is_news) changed_.notify_one();
    return true;
}

bool call_queue::withdraw(call& waiting)
{
    const std::lock_guard guard{lock_};
    if (!waiting.is_linked()) return false;
    waiting.unlink();
    --count_;
    intrusive_ptr_release(&waiting);
    return true;
}

void call_queue::gather(std::size_t calls, std::chrono::nanoseconds pause)
{
    if (calls <= 1) return;
    std::unique_lock guard{lock_};
    wanted_ = calls;
    changed_.wait_for(guard, pause, [this] { return count_ >= wanted_ || is_closed_; });
    wanted_ = 1;
}

std::size_t call_queue::waiting()
{
    const std::lock_guard guard{lock_};
    return count_;
}

void call_queue::take(call_batch& batch, batch_limits limits)
{
    std::unique_lock guard{lock_};
    changed_.wait(guard, [this] { return !waiting_.empty() || is_closed_; });
    move_to(batch, limits);
}

void call_queue::take_more(call_batch& batch, batch_limits limits)
{
    const std::lock_guard guard{lock_};
    move_to(batch, limits);
}

void call_queue::move_to(call_batch& batch, batch_limits limits)
{
    std::size_t bytes = 0;
    for (const intrusive_ptr<call>& one : batch) bytes += one->bytes();
    while (!waiting_.empty() && batch.size() < limits.calls) {
        bytes += waiting_.front().bytes();
        if (bytes > limits.bytes && !batch.empty()) return;
        batch.emplace_back(&waiting_.pop(), false);
        --count_;
    }
}

void call_queue::close()
{
    {
        const std::lock_guard guard{lock_};
        is_closed_ = true;
    }
    changed_.notify_all();
}

task<void> answer_of(call_queue& queue, intrusive_ptr<call> waiting, const wait_rules& rules)
{
    co_await async_detail::stop_check{};
    const task_context& context = co_await this_task::context();
    const outside_work work{*context.loop};
    queued_call place{queue, *waiting, rules.file};
    const time_point deadline = context.loop->now() + rules.answer_max;
    const bool is_answered = co_await waiting->answered()->wait_until(deadline);
    if (!is_answered) throw_late(rules, !place.withdraw());
    waiting->rethrow();
}

std::vector<blob_pack> giving_call::take_packs()
{
    const std::lock_guard guard{lock_};
    return std::exchange(packs_, {});
}

void giving_call::give(blob_pack pack)
{
    {
        const std::lock_guard guard{lock_};
        packs_.push_back(std::move(pack));
    }
    answered()->notify();
}

task<void> packs_of(call_queue& queue, intrusive_ptr<giving_call> waiting, const wait_rules& rules,
                    blob_receiver& into)
{
    co_await async_detail::stop_check{};
    const task_context& context = co_await this_task::context();
    const outside_work work{*context.loop};
    queued_call place{queue, *waiting, rules.file};
    for (bool is_answered = false; !is_answered;) {
        const time_point deadline = context.loop->now() + rules.answer_max;
        const bool is_told = co_await waiting->answered()->wait_until(deadline);
        if (!is_told) throw_late(rules, !place.withdraw());
        // Looked at before the packs: behind an answer there are no more.
        is_answered = waiting->is_answered();
        std::vector<blob_pack> packs = waiting->take_packs();
        for (std::size_t i = 0; i < packs.size(); ++i) {
            if (i > 0) co_await yield_now();
            into.take(std::move(packs[i]));
        }
    }
    waiting->rethrow();
}

}  // namespace weft::sqlite_detail
