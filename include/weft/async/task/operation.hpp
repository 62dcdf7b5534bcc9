#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/loop_presence.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/refused_wait.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace weft::async_detail {

// What `co_await socket.async_read_some(buffer, weft::use_task)` does, in order:
//
//   1. `use_task` makes an `initiated_operation`, a block with the arguments, and an `operation` that owns it. Asio has
//      not been called yet.
//   2. `await_suspend` looks at the stop scope, registers there and calls Asio with an `operation_handler`.
//   3. Asio calls the handler. If that is inside of step 2, the coroutine never suspends; else the handler resumes it.
//   4. `await_resume` makes an exception of an error, or gives back what is left of the results.
//
// A stop between 2 and 3 emits a cancellation signal; the handler is called as always, with `operation_aborted`. A
// coroutine that is destroyed between 2 and 3 abandons the block: the handler finds no waiter and frees it.
/** One pending Asio operation: what its handler and the awaiting coroutine share.
 *
 *  It stands in a block of its own, not in the coroutine frame: compilers give each awaiter of a frame its own place,
 *  so that six awaits of a 500-byte awaiter would make a 3 KB frame. Two owners, the awaiter and the handler; the last
 *  one frees it, so that a coroutine may be destroyed while its operation is pending.
 */
template <class Results>
class operation_state : public stoppable {
public:
    operation_state() noexcept : stoppable{[](stoppable& self) { static_cast<operation_state&>(self).cancel(); }} {}
    virtual ~operation_state() = default;
    // It is neither copied nor moved: Asio's handler and the stop scope know its address.
    /** Calls the Asio function with a handler that shares this state. The handler may be called inside. */
    virtual void initiate(const task_context& context) = 0;

    /** Starts the operation. @return True if the coroutine has to wait for it. */
    bool start(const task_context& context, std::coroutine_handle<> waiter)
    {
        ++owners_;  // the handler
        // Registered before Asio is called: an operation that ends inside the call leaves the scope like any other.
        loop_ = context.loop;
        context.begin_wait(*this);
        is_starting_ = true;
        initiate(context);
        is_starting_ = false;
        // A read whose bytes were there already: the coroutine goes on without a turn of the loop.
        if (results_) return false;
        waiter_ = waiter;
        return true;
    }

    /** The coroutine waits in a stopped scope: nothing is started, and it goes on a turn later without results. */
    void refuse(const task_context& context, std::coroutine_handle<> waiter) { part().refused.start(context, waiter); }

    /** The handler was called. Resumes the coroutine, unless the call came inside `start`, which then reports it, or
     *  the coroutine is gone. */
    void complete(Results results)
    {
        unlink();
        if (stop_relay_) stop_relay_->again.disarm();
        results_.emplace(std::move(results));
        const auto waiter = std::exchange(waiter_, nullptr);
        if (!waiter || is_starting_) return;
        const loop_presence here{*loop_};  // without a waiter, the loop may be gone
        loop_->begin_step();
        waiter.resume();
    }

    /** The coroutine is gone: the operation ends by itself, unnoticed. */
    void abandon()
    {
        waiter_ = nullptr;
        const bool is_pending = !results_ && owners_ > 1;
        unlink();
        if (is_pending) cancel();
        release();
    }

    /** Terminal is the only kind that composed TLS and Beast operations honour. At once, because what the operation
     *  works on may be gone a moment later, except where that is not allowed.
     */
    void cancel()
    {
        if (!repeats_in_handlers_) return signal_.emit(boost::asio::cancellation_type::terminal);
        ++owners_;
        const std::unique_ptr<operation_state, releaser> owned{this};
        cancel_later_again();
        if (loop_->executor().running_in_this_thread())
            return signal_.emit(boost::asio::cancellation_type::terminal);
        ++owners_;
        boost::asio::post(loop_->executor(), [owned = std::unique_ptr<operation_state, releaser>{this}] {
            if (!owned->results_) owned->signal_.emit(boost::asio::cancellation_type::terminal);
        });
    }

    /** An owner lets go. The last one frees the block, possibly on the OS thread that drops the handler. */
    void release()
    {
        if (--owners_ == 0) delete this;
    }

    /** See `operation::repeat_in_handlers`. */
    void repeat_in_handlers() noexcept { repeats_in_handlers_ = true; }
    /** Lets `owner` live as long as the operation: what a socket or a buffer stands in. */
    void keep(std::shared_ptr<const void> owner) noexcept { kept_ = std::move(owner); }
    /** Empty until the handler was called. */
    [[nodiscard]] std::optional<Results>& results() noexcept { return results_; }
    /** Where Asio puts what a signal does. It is read once, when the operation begins. */
    [[nodiscard]] boost::asio::cancellation_slot slot() noexcept { return signal_.slot(); }

private:
    /** What only an operation needs that a stop came to. */
    struct stop_relay {
        explicit stop_relay(operation_state& owner) noexcept
            : again{[](void* self) { static_cast<operation_state*>(self)->cancel(); }, &owner}
        {
        }
        refused_wait refused;               // the turn that a coroutine of a stopped scope waits
        loop_timer again;                   // sends the signal once more
        std::chrono::milliseconds pause{1};  // until then; it doubles
    };
    /** Made with the first stop: most operations are never stopped, and each pending one counts in bytes. */
    [[nodiscard]] stop_relay& part()
    {
        if (!stop_relay_) stop_relay_ = std::make_unique<stop_relay>(*this);
        return *stop_relay_;
    }

    /** A signal reaches only what the operation waits for at that moment, so it is sent until the operation has ended:
     *  after 1 ms, 2 ms, … and then each 128 ms. */
    void cancel_later_again()
    {
        constexpr std::chrono::milliseconds pause_max{128};
        stop_relay& repeated = part();
        repeated.again.attach(*loop_);
        repeated.again.arm_after(repeated.pause);
        repeated.pause = std::min(2 * repeated.pause, pause_max);
    }
    /** An owner that a `unique_ptr` stands for. */
    struct releaser {
        void operator()(operation_state* state) const noexcept { state->release(); }
    };

    boost::asio::cancellation_signal signal_;
    std::optional<Results> results_;  // from the handler until `await_resume`
    serial_loop* loop_ = nullptr;     // null before `start`
    std::coroutine_handle<> waiter_;  // null before the coroutine suspends, and once it is gone
    std::shared_ptr<const void> kept_;
    std::unique_ptr<stop_relay> stop_relay_;
    unsigned owners_ = 1;
    bool is_starting_ = false;  // a call of the handler is inside of `start`
    bool repeats_in_handlers_ = false;
};

/** The completion handler of an operation: carries the loop's executor, the cancellation slot and pooled memory. */
template <class Results>
class operation_handler {
public:
    // Asio asks a handler for these by their names: where it runs, what cancels it, and whose memory queues it.
    using executor_type = loop_executor;
    using cancellation_slot_type = boost::asio::cancellation_slot;
    using allocator_type = block_allocator<std::byte>;

    operation_handler(operation_state<Results>& state, loop_executor executor) noexcept
        : state_{&state}, executor_{executor}
    {
    }
    // Asio moves handlers while it queues them: only the last place releases the state.
    operation_handler(operation_handler&& other) noexcept
        : state_{std::exchange(other.state_, nullptr)}, executor_{other.executor_}
    {
    }
    operation_handler& operator=(operation_handler&&) = delete;
    ~operation_handler()
    {
        // A handler that is dropped uncalled, as by an `io_context` that ends, only lets go: the coroutine never runs.
        if (state_) state_->release();
    }

    // The state outlives the call, which may resume a coroutine that abandons it.
    /** Asio's call, once, with the results of the operation. */
    template <class... Args>
    void operator()(Args&&... args)
    {
        operation_state<Results>* state = std::exchange(state_, nullptr);
        state->complete(Results{std::forward<Args>(args)...});
        state->release();
    }

    [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }
    [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept { return state_->slot(); }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type{}; }

private:
    operation_state<Results>* state_;
    loop_executor executor_;
};

/** An operation together with what starts it: the initiation that Asio hands to a completion token, and its arguments.
 *  They stand here, not in the frame, because the operation starts only when it is awaited. Blocks come from the pool
 *  of the OS thread. */
template <class Results, class Initiation, class Arguments>
class initiated_operation final : public operation_state<Results> {
public:
    initiated_operation(Initiation initiation, Arguments arguments)
        : initiation_{std::move(initiation)}, arguments_{std::move(arguments)}
    {
    }
    /** Once: initiation and arguments are moved out. */
    void initiate(const task_context& context) override
    {
        operation_handler<Results> handler{*this, context.loop->executor()};
        std::apply(
            [&](auto&&... arguments) {
                std::move(initiation_)(std::move(handler), std::forward<decltype(arguments)>(arguments)...);
            },
            std::move(arguments_));
    }

    // An operation begins and ends with almost every await: the system's allocator would be a third of its time.
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

private:
    Initiation initiation_;
    Arguments arguments_;
};

/** What an awaited operation gives back, by the kind of its signature:
 *
 *      void(error_code)                  ->  nothing; throws
 *      void(error_code, std::size_t)     ->  std::size_t; throws
 *      void(error_code, A, B)            ->  std::tuple<A, B>; throws
 *      void(error_code, A), as_tuple     ->  std::tuple<error_code, A>
 *      void(A), void(A, B), void()       ->  A, std::tuple<A, B>, nothing
 */
template <bool Throws, class... Args>
struct operation_result {
    /** A stopped scope can end it with `operation_aborted` only if there is an error to say so. */
    static constexpr bool starts_with_error = false;
    static auto give(std::tuple<Args...>&& results, const task_context&)
    {
        if constexpr (sizeof...(Args) == 0)
            return;
        else if constexpr (sizeof...(Args) == 1)
            return std::get<0>(std::move(results));
        else
            return std::move(results);
    }
};

/** With `as_tuple`: the error is one of the values, and the coroutine looks at it. */
template <class... Args>
struct operation_result<false, boost::system::error_code, Args...> {
    static constexpr bool starts_with_error = true;
    static std::tuple<boost::system::error_code, Args...> give(std::tuple<boost::system::error_code, Args...>&& results,
                                                               const task_context&)
    {
        return std::move(results);
    }
};

/** Throws an error of Asio as one of weft: `errc::cancelled` for an aborted operation in a stopped scope, else the
 *  `boost::system::system_error` itself. */
[[noreturn]] void throw_operation_error(const boost::system::error_code& code, bool stopped);

/** Without: an error is thrown, and the coroutine gets what is left, nothing, one value or a tuple. */
template <class... Args>
struct operation_result<true, boost::system::error_code, Args...> {
    static constexpr bool starts_with_error = true;
    static auto give(std::tuple<boost::system::error_code, Args...>&& results, const task_context& context)
    {
        const auto& code = std::get<0>(results);
        if (code) throw_operation_error(code, context.scope->stop_requested());
        return std::apply(
            [](auto&&, auto&&... rest) {
                if constexpr (sizeof...(rest) == 1)
                    return (std::forward<decltype(rest)>(rest), ...);
                else if constexpr (sizeof...(rest) > 1)
                    return std::make_tuple(std::forward<decltype(rest)>(rest)...);
            },
            std::move(results));
    }
};

/** The awaitable that an Asio function returns when it is given `use_task`; it starts when it is awaited.
 *
 *  @par Errors          What the operation ended with, as `boost::system::system_error`; `errc::cancelled` when a stop
 *                       of the scope aborted it. With `as_tuple` the code, and nothing is thrown.
 *  @par Cancellation    Terminal, by the stop scope of the awaiting coroutine. In a stopped scope nothing is started.
 *  @par Thread safety   None: it lives on the loop of the coroutine that awaits it.
 *  @par Lifetimes       Buffers and the I/O object outlive the handler, not only the coroutine: a destroyed coroutine
 *                       leaves the operation behind. `keep` ties them to it.
 */
template <bool Throws, class... Args>
class [[nodiscard]] operation {
public:
    using results_type = std::tuple<Args...>;

    explicit operation(operation_state<results_type>* state) noexcept : state_{state} {}
    operation(operation&& other) noexcept
        : state_{std::exchange(other.state_, nullptr)}, context_{std::exchange(other.context_, nullptr)}
    {
    }
    operation& operator=(operation&&) = delete;
    ~operation()
    {
        if (state_) state_->abandon();
    }

    /** Lets `owner` live until the operation has ended, also if the coroutine is gone before. */
    void keep(std::shared_ptr<const void> owner) noexcept { state_->keep(std::move(owner)); }
    /** For `co_spawn`. A stop or a tear-down cancels it inside a handler of the loop only, if need be a little later:
     *  Boost 1.81 forwards the signal with a plain pointer through its executor (asio issue 1332). And again until it
     *  has ended, since each signal reaches only what the coroutine waits for at that moment.
     */
    void repeat_in_handlers() noexcept { state_->repeat_in_handlers(); }

    bool await_ready() const noexcept { return false; }
    /** @return  False if the operation ended inside the call of Asio. */
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        context_ = &self.promise().context();
        if constexpr (operation_result<Throws, Args...>::starts_with_error) {
            if (context_->scope->stop_requested()) return refuse(self);
        }
        return state_->start(*context_, self);
    }
    auto await_resume()
    {
        if constexpr (operation_result<Throws, Args...>::starts_with_error) {
            // Without results it was refused: Asio was never called.
            if (!state_->results()) {
                if constexpr (Throws) {
                    throw_operation_error(boost::asio::error::operation_aborted, true);
                } else if constexpr (std::is_default_constructible_v<results_type>) {
                    results_type aborted;
                    std::get<0>(aborted) = boost::asio::error::operation_aborted;
                    return aborted;
                }
            }
        }
        return operation_result<Throws, Args...>::give(std::move(*state_->results()), *context_);
    }

private:
    /** Nothing starts in a stopped scope, except what alone can make the results that come with `operation_aborted`:
     *  sockets. @return Whether the coroutine suspends. */
    bool refuse(std::coroutine_handle<> self)
    {
        if constexpr (Throws || std::is_default_constructible_v<results_type>) {
            state_->refuse(*context_, self);
            return true;
        } else {
            const bool is_pending = state_->start(*context_, self);
            if (is_pending) state_->cancel();
            return is_pending;
        }
    }

    operation_state<results_type>* state_;
    const task_context* context_ = nullptr;
};

}  // namespace weft::async_detail
