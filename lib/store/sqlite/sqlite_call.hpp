#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/errc.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/store/record/blob_pack.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft::sqlite_detail {

/** What a coroutine wants of a connection, on its way to the OS thread of one and back.
 *
 *  Shared by both: the coroutine may leave at any time.
 *
 *  @par Thread safety   The coroutine touches it before it is queued and after its answer, the OS thread in between.
 */
class call : public ref_counted<call>, public list_node<class call_queue> {
public:
    virtual ~call() = default;
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    /** Does it, inside a transaction. It may come again when that was rolled back. */
    virtual void run(connection& db) = 0;

    void fail(std::exception_ptr why) noexcept { error_ = std::move(why); }
    /** Wakes the coroutine. */
    void answer()
    {
        is_answered_.store(true, std::memory_order_release);
        answered_->notify();
    }
    [[nodiscard]] bool is_answered() const noexcept { return is_answered_.load(std::memory_order_acquire); }
    void rethrow()
    {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }
    [[nodiscard]] bool has_failed() const noexcept { return error_ != nullptr; }
    /** About how much it will write. */
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const intrusive_ptr<remote_signal>& answered() const noexcept { return answered_; }

protected:
    explicit call(std::size_t bytes) : bytes_{bytes} {}

private:
    intrusive_ptr<remote_signal> answered_ = make_counted<remote_signal>();
    std::atomic<bool> is_answered_{false};
    std::exception_ptr error_;
    std::size_t bytes_;
};

/** A call of a function `result(connection&, const moment&)`. */
template <class Work>
class function_call final : public call {
    using result = std::invoke_result_t<const Work&, connection&, const moment&>;
    using stored_result = std::conditional_t<std::is_void_v<result>, std::monostate, result>;

public:
    function_call(Work work, moment made, std::size_t bytes) : call{bytes}, work_{std::move(work)}, made_{made} {}

    result take()
    {
        if constexpr (!std::is_void_v<result>) return std::move(*result_);
    }

private:
    void run(connection& db) override
    {
        if constexpr (std::is_void_v<result>)
            std::invoke(std::as_const(work_), db, made_);
        else
            result_.emplace(std::invoke(std::as_const(work_), db, made_));
    }

    Work work_;
    moment made_;
    std::optional<stored_result> result_;
};

/** A call that gives packs of blobs while it goes on. */
class giving_call : public call {
public:
    /** On the coroutine's side: what was given since the last time. */
    [[nodiscard]] std::vector<blob_pack> take_packs();

protected:
    giving_call() : call{0} {}
    /** On the OS thread's side. */
    void give(blob_pack pack);

private:
    std::mutex lock_;
    std::vector<blob_pack> packs_;
};

/** One of a function `void(connection&, give)`, where `give(pack)` may be called any number of times. */
template <class Work>
class function_giving_call final : public giving_call {
public:
    explicit function_giving_call(Work work) : work_{std::move(work)} {}

private:
    void run(connection& db) override
    {
        work_(db, [this](blob_pack pack) { give(std::move(pack)); });
    }

    Work work_;
};

/** How many calls are taken at a time. */
struct batch_limits {
    std::size_t calls = 1;
    std::size_t bytes = SIZE_MAX;  ///< One call is taken however large it is.
};

using call_batch = std::vector<intrusive_ptr<call>>;

/** Calls that wait for an OS thread, first in, first out. A call whose coroutine has left is in it no longer, so that
 *  it is never longer than there are coroutines that wait.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class call_queue {
public:
    explicit call_queue(std::size_t waiting_max) noexcept : waiting_max_{waiting_max} {}
    ~call_queue();
    call_queue(const call_queue&) = delete;
    call_queue& operator=(const call_queue&) = delete;

    /** @return False if it is full. */
    [[nodiscard]] bool push(call& waiting);
    /** Waits until so many calls are there, or it is closed, and no longer than `pause`; takes none. By the only OS
     *  thread that takes calls. */
    void gather(std::size_t calls, std::chrono::nanoseconds pause);
    [[nodiscard]] std::size_t waiting();
    /** Takes a call back. @return False if an OS thread has it already. */
    bool withdraw(call& waiting);
    /** Waits for calls and takes what the limits allow, without waiting for more.
     *  @param batch  Empty; stays so only when the queue is closed. */
    void take(call_batch& batch, batch_limits limits);
    /** Takes what is there and the limits allow, of which those in the batch are a part. */
    void take_more(call_batch& batch, batch_limits limits);
    /** No more calls come: what waits is still taken. */
    void close();

private:
    void move_to(call_batch& batch, batch_limits limits);

    const std::size_t waiting_max_;
    std::mutex lock_;
    std::condition_variable changed_;
    linked_list<call, call_queue> waiting_;
    std::size_t count_ = 0;
    std::size_t wanted_ = 1;  // how many have to be there before an OS thread is woken
    bool is_closed_ = false;
};

/** How a call is waited for. */
struct wait_rules {
    std::chrono::milliseconds answer_max;
    errc when_begun;          ///< What it means that the answer does not come in time although the work has begun.
    const std::string& file;  ///< For errors.
};

/** Queues a call and waits for its answer. */
[[nodiscard]] task<void> answer_of(call_queue& queue, intrusive_ptr<call> waiting, const wait_rules& rules);
/** The same, and hands over what the call gives meanwhile. Each pack is an answer in time.
 *  @param into   Outlives the task. */
[[nodiscard]] task<void> packs_of(call_queue& queue, intrusive_ptr<giving_call> waiting, const wait_rules& rules,
                                  blob_receiver& into);

/** Keeps the loop, and the time of a simulation, waiting for what other OS threads do. */
class outside_work {
public:
    explicit outside_work(serial_loop& loop) : loop_{loop} { loop_.add_outside_work(); }
    ~outside_work() { loop_.remove_outside_work(); }
    outside_work(const outside_work&) = delete;
    outside_work& operator=(const outside_work&) = delete;

private:
    serial_loop& loop_;
};

}  // namespace weft::sqlite_detail
