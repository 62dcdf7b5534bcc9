#pragma once

#include <weft/async/task/task_context.hpp>
#include <weft/async/task/task_result.hpp>
#include <weft/base/memory/free_list.hpp>

#include <boost/assert.hpp>

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft {

// A coroutine that returns a `task` is made by calling it and runs when it is awaited:
//
//     weft::task<int> length_of(std::string text) { co_return static_cast<int>(text.size()); }
//
//     weft::task<void> use()
//     {
//         const int length = co_await length_of("weft");   // starts here, on the loop of this coroutine
//     }
//
// From code that is no coroutine: `weft::run_blocking(use())` (weft/async/run_blocking.hpp), or `weft::async_start`
// with a completion token of Asio (weft/async/async_start.hpp).
template <class T = void>
class task;
template <class T>
class task_promise;

namespace async_detail {

// Not inlined: the address of a thread-local must not be kept in a coroutine that resumes on another OS thread.
[[nodiscard, gnu::noinline, gnu::returns_nonnull, gnu::malloc]] void* allocate_frame(std::size_t size);
[[gnu::noinline]] void free_frame(void* frame, std::size_t size) noexcept;

/** An awaiter that accepts the handle of a task; which type of result the task has makes no difference. */
template <class Awaiter>
concept awaiter_of_task = requires(Awaiter& awaiter, std::coroutine_handle<task_promise<void>> frame) {
    { awaiter.await_ready() } -> std::convertible_to<bool>;
    awaiter.await_suspend(frame);
};

/** Whether a coroutine that is a task can await it. */
template <class Awaited>
concept task_can_await = awaiter_of_task<std::remove_reference_t<Awaited>> ||
                         requires(Awaited&& awaited) { static_cast<Awaited&&>(awaited).operator co_await(); } ||
                         requires(Awaited&& awaited) { operator co_await(static_cast<Awaited&&>(awaited)); };

}  // namespace async_detail

/** How many frames of tasks the calling OS thread made, less those that it destroyed; for tests that look for leaks.
 *  A frame that the compiler put into its caller's is not counted. */
[[nodiscard]] std::ptrdiff_t live_frames() noexcept;

/** What a task's promise has whatever it returns: who waits for it, and the context of its chain. */
class task_promise_base {
public:
    /** Called when the task ends after it had suspended; a task that never suspends reports by `start` instead. */
    using done_function = void (*)(void* waiter);

    // Frames come from free lists of the OS thread: a task that never waits costs no call of the system's allocator.
    static void* operator new(std::size_t size) { return async_detail::allocate_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { async_detail::free_frame(frame, size); }

    /** A task is lazy: it starts when it is awaited, with the context of the coroutine that awaits it. */
    std::suspend_always initial_suspend() const noexcept { return {}; }

#if defined(__clang__) || __GNUC__ >= 14  // g++ 12 moves what passes through here; see docs/COMPILERS.md
    /** Everything that a task can await passes as it is. */
    template <class Awaited>
    static decltype(auto) await_transform(Awaited&& awaited) noexcept
    {
        constexpr bool is_awaitable = async_detail::task_can_await<Awaited>;
        static_assert(is_awaitable, "a weft::task awaits weft's tasks and operations: await Asio operations with "
                                    "weft::use_task, not with use_awaitable or deferred, and an asio::awaitable with "
                                    "weft::from_awaitable");
        if constexpr (is_awaitable)
            return static_cast<Awaited&&>(awaited);
        else
            return std::suspend_never{};
    }
#endif

    /** The end of a task: inside `start` it is only noted, later it resumes the waiter. */
    struct final_awaiter {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> self) const noexcept
        {
            task_promise_base& promise = self.promise();
            if (promise.context_ & was_suspended)
                promise.done_(promise.waiter_);  // may destroy this frame: nothing of it is touched afterwards
            else
                promise.context_ |= has_ended_inline;
        }
        void await_resume() const noexcept {}
    };
    final_awaiter final_suspend() const noexcept { return {}; }
    /** What the body threw waits for `take`, or for whatever looks at `exception`. */
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    /** Loop and stop scope of the chain. Once the task has started. */
    [[nodiscard]] const task_context& context() const noexcept
    {
        return *reinterpret_cast<const task_context*>(context_ & ~(has_ended_inline | was_suspended));
    }
    /** What the task threw; null if it has succeeded, has not ended, or the exception was taken. */
    [[nodiscard]] const std::exception_ptr& exception() const noexcept { return exception_; }

protected:
    /** Runs the coroutine up to its end, or to where it next gives control back.
     *  @return  Whether it came there within the call; otherwise `done_` is called with `waiter_` later. */
    bool resume_in(const task_context& context, std::coroutine_handle<> self)
    {
        const auto place = reinterpret_cast<std::uintptr_t>(&context);
        context_ = place;
        self.resume();
        if (context_ & has_ended_inline) return true;
        context_ = place | was_suspended;
        return false;
    }

    void when_done(done_function done, void* waiter) noexcept
    {
        done_ = done;
        waiter_ = waiter;
    }

    std::exception_ptr exception_;

private:
    template <class T>
    friend class task;
    // Bits that the alignment of a context leaves free. The return value of `start` says that the task has ended within
    // it; `done_` says so of a task that was suspended.
    static constexpr std::uintptr_t has_ended_inline = 1;
    static constexpr std::uintptr_t was_suspended = 2;
    static_assert(alignof(task_context) > (has_ended_inline | was_suspended));

    // Where the context is, with these bits: there are millions of frames. Zero until the task has started.
    std::uintptr_t context_ = 0;
    done_function done_ = nullptr;
    void* waiter_ = nullptr;  // what `done_` is called with: a frame, a branch, a root
};

/** The promise of a task with a result, which it keeps until it is taken. */
template <class T>
class task_promise final : public task_promise_base {
public:
    task<T> get_return_object() noexcept;

    /** `co_return value`. */
    template <class U>
        requires std::is_convertible_v<U&&, T>
    void return_value(U&& value)
    {
        value_.emplace(std::forward<U>(value));
    }
    /** Moves the result out, or throws what the task threw. Once. */
    T take() { return std::move(result()); }
    /** As `take`, but the result stays. It is there once the task has ended. */
    T& result()
    {
        if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
        return value_.get();
    }

private:
    async_detail::task_result<T> value_;
};

/** The promise of a task without a result. */
template <>
class task_promise<void> final : public task_promise_base {
public:
    task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    /** Throws what the task threw. */
    void take()
    {
        if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
    }
};

/** The one coroutine type of weft: lazy, awaited once, owned by its holder.
 *
 *  A task starts when it is awaited and runs on the caller's OS thread until it first waits for something. The awaiting
 *  coroutine goes on when it ends; an exception travels along. Awaiting a task that never waits costs a few
 *  nanoseconds: the child is resumed inside `await_suspend`, which then says whether it has finished (no symmetric
 *  transfer, which overflows the stack on GCC below -O2 and under sanitizers). The stack grows with the depth of
 *  nested awaits, not with their number.
 *
 *  @par Cancellation    The stop scope of the chain ends the operation that the innermost coroutine waits for with
 *                       `errc::cancelled`. Destroying a task destroys the chain from the innermost coroutine outwards;
 *                       pending operations let go of it.
 *  @par Thread safety   None: a task lives on one serial loop.
 *  @par Lifetimes       Parameters should be values: the frame outlives the full expression that made it.
 */
template <class T>
class [[nodiscard]] task {
public:
    using promise_type = task_promise<T>;
    using value_type = T;

    /** No coroutine: for members and containers that are filled later. */
    task() noexcept = default;
    explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_{frame} {}
    task(task&& other) noexcept : frame_{std::exchange(other.frame_, nullptr)} {}
    task& operator=(task&& other) noexcept
    {
        if (this != &other) {
            reset();
            frame_ = std::exchange(other.frame_, nullptr);
        }
        return *this;
    }
    ~task() { reset(); }

    /** Whether there is a coroutine: false of a default-constructed task and of one that was moved from. */
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(frame_); }

    /** Destroys the coroutine wherever it is. */
    void reset() noexcept
    {
        if (frame_) std::exchange(frame_, nullptr).destroy();
    }

    /** Starts the task from code that is not a coroutine.
     *  @param context  Outlives the task.
     *  @param done     Called with `waiter` when the task ends later; not called when it ends inside this call.
     *  @return         True if the task has ended already: `take` gives its result. */
    [[nodiscard]] bool start(const task_context& context, task_promise_base::done_function done, void* waiter)
    {
        when_done(done, waiter);
        return start(context);
    }

    /** As above; if it returns false, `when_done` must follow before anything else runs. */
    [[nodiscard]] bool start(const task_context& context)
    {
        task_promise_base& promise = frame_.promise();
        BOOST_ASSERT_MSG(promise.context_ == 0, "a task is started once");
        return promise.resume_in(context, frame_);
    }

    /** Starts the task for a coroutine that goes on when it ends; what `await_suspend` of an awaiter does.
     *  @return         Whether the coroutine suspends. */
    template <class Promise>
        requires std::is_base_of_v<task_promise_base, Promise>
    [[nodiscard]] bool start_for(std::coroutine_handle<Promise> parent)
    {
        constexpr auto resume = [](void* frame) { std::coroutine_handle<>::from_address(frame).resume(); };
        return !start(parent.promise().context(), resume, parent.address());
    }

    /** Says who hears of the end of a task that did not end inside `start`. */
    void when_done(task_promise_base::done_function done, void* waiter) noexcept
    {
        BOOST_ASSERT_MSG(frame_, "the task was moved from");
        static_cast<task_promise_base&>(frame_.promise()).when_done(done, waiter);
    }

    /** The result of an ended task, or its exception; `start` or the done function says when it has ended. */
    T take() { return frame_.promise().take(); }

    /** As `take`, but the result stays where it is, with the task. */
    [[nodiscard]] std::add_lvalue_reference_t<T> result()
        requires(!std::is_void_v<T>)
    {
        return frame_.promise().result();
    }

    /** The exception of an ended task without throwing it; null if it succeeded. */
    [[nodiscard]] const std::exception_ptr& exception() const noexcept { return frame_.promise().exception(); }

    /** Awaits a temporary task: the awaiter owns it, so that destroying the awaiting coroutine destroys it too. */
    class awaiter {
    public:
        explicit awaiter(task&& child) noexcept : child_{std::move(child)} {}
        bool await_ready() const noexcept { return false; }
        template <class Promise>
            requires std::is_base_of_v<task_promise_base, Promise>
        bool await_suspend(std::coroutine_handle<Promise> parent)
        {
            return child_.start_for(parent);
        }
        T await_resume() { return child_.take(); }

    private:
        task child_;
    };
    awaiter operator co_await() && noexcept { return awaiter{std::move(*this)}; }

    /** Awaits a task where it stands. */
    class place_awaiter {
    public:
        explicit place_awaiter(task& child) noexcept : child_{child} {}
        bool await_ready() const noexcept { return false; }
        template <class Promise>
            requires std::is_base_of_v<task_promise_base, Promise>
        bool await_suspend(std::coroutine_handle<Promise> parent)
        {
            return child_.start_for(parent);
        }
        std::add_lvalue_reference_t<T> await_resume()
        {
            if constexpr (std::is_void_v<T>)
                child_.take();
            else
                return child_.result();
        }

    private:
        task& child_;
    };
    /** Awaits a task that stays with its owner, and its result with it: nothing keeps room for another one.
     *
     *      weft::task<weft::run_result> running = engine.run(std::move(request));
     *      const weft::run_result& result = co_await running;
     */
    place_awaiter operator co_await() & noexcept { return place_awaiter{*this}; }

private:
    std::coroutine_handle<promise_type> frame_;
};

template <class T>
task<T> task_promise<T>::get_return_object() noexcept
{
    return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

inline task<void> task_promise<void>::get_return_object() noexcept
{
    return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

/** A promise whose coroutine may await weft's operations: it knows its context. */
template <class Promise>
concept task_promise_type = std::is_base_of_v<task_promise_base, Promise>;

/** What a coroutine can ask about itself. A parser that works for long between two waits:
 *
 *      while (parser.has_more()) {
 *          if (co_await weft::this_task::stop_requested()) co_return partial;
 *          parser.step();
 *      }
 */
namespace this_task {

// Awaiters that only look at the promise of the awaiting coroutine: `await_suspend` gives false, so that the coroutine
// goes on at once.
struct context_awaiter {
    const task_context* context = nullptr;
    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) noexcept
    {
        context = &self.promise().context();
        return false;
    }
    const task_context& await_resume() const noexcept { return *context; }
};

/** Looks at the loop of the context. */
struct loop_awaiter : context_awaiter {
    serial_loop& await_resume() const noexcept { return *context->loop; }
};

/** Looks whether the scope of the context is to end. */
struct stop_requested_awaiter : context_awaiter {
    bool await_resume() const noexcept { return context->scope->stop_is_due(); }
};

/** Makes a token of the scope of the context. */
struct stop_token_awaiter : context_awaiter {
    std::stop_token await_resume() const { return context->scope->token(); }
};

/** `co_await this_task::context()`: the context of the awaiting coroutine. Never suspends. */
[[nodiscard]] inline context_awaiter context() noexcept { return {}; }
/** `co_await this_task::loop()`: the serial loop that the coroutine runs on. Never suspends. */
[[nodiscard]] inline loop_awaiter loop() noexcept { return {}; }
/** `co_await this_task::stop_requested()`: whether a stop was asked for, by another OS thread as well, or a limit of
 *  time has passed; at once, see `stop_scope::stop_is_due`. Never suspends. */
[[nodiscard]] inline stop_requested_awaiter stop_requested() noexcept { return {}; }
/** `co_await this_task::stop_token()`: a standard token that follows the coroutine's stop scope; for other OS threads,
 *  see `stop_scope::token`. Never suspends. */
[[nodiscard]] inline stop_token_awaiter stop_token() noexcept { return {}; }

}  // namespace this_task

}  // namespace weft
