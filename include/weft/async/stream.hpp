#pragma once

#include <weft/async/wait/stream_ends.hpp>
#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

namespace weft {

/** A bounded queue between coroutines of one loop: a full one makes the pushing side wait.
 *
 *      co_await numbers.push(1);
 *      std::optional<int> number = co_await numbers.pop();   // nothing: closed, and everything was taken
 *
 *  A producer that closes it, and a consumer that reads to the end:
 *
 *      for (int i = 0; i < 3; ++i) co_await numbers.push(i);
 *      numbers.close();
 *
 *      while (std::optional<int> number = co_await numbers.pop()) total += *number;
 *
 *  Values come out in the order in which they went in. Several coroutines may push and several may pop; each side is
 *  served in the order in which it came.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       May be destroyed while coroutines wait: that closes it for them.
 */
template <class T>
class stream {
public:
    class pushing;
    class popping;

    /** @param capacity  How many values wait in it at most; at least 1. */
    explicit stream(std::size_t capacity) noexcept : capacity_{capacity}
    {
        BOOST_ASSERT_MSG(capacity > 0, "a stream holds at least one value");
    }
    ~stream() { ends_.abandon(); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    /** `co_await s.push(value)`: puts a value in, waiting while the stream is full.
     *
     *  @par Errors
     *    - `errc::stream_closed`  it was closed, before or meanwhile.
     *    - `errc::cancelled`
     *  @par Cancellation    At once; the value is then not in the stream. */
    [[nodiscard]] pushing push(T value) { return pushing{*this, std::move(value)}; }

    /** Puts a value in if there is room. @return False, and `value` is untouched, if it is full or closed. */
    [[nodiscard]] bool try_push(T&& value)
    {
        if (ends_.is_closed() || values_.size() >= capacity_) return false;
        values_.push_back(std::move(value));
        ends_.offer();
        return true;
    }

    /** `co_await s.pop()`: takes the oldest value, waiting for one.
     *
     *  @return              Nothing when the stream is closed and empty.
     *  @par Errors
     *    - The error that it was closed with, when it is empty; each time.
     *    - `errc::cancelled`
     *  @par Cancellation    At once; no value is lost. */
    [[nodiscard]] popping pop() noexcept { return popping{*this}; }

    /** Takes the oldest value if there is one that no waiting coroutine has a claim to. */
    [[nodiscard]] std::optional<T> try_pop()
    {
        if (!ends_.has_unclaimed(values_.size())) return std::nullopt;
        return take();
    }

    /** Nothing more goes in; what is in it can still be taken. Doing it again changes nothing.
     *  @param error  What `pop` throws in the end, instead of giving nothing back. */
    void close(std::exception_ptr error = nullptr) { ends_.close(std::move(error)); }

    /** Whether `close` was called; values may be left. */
    [[nodiscard]] bool is_closed() const noexcept { return ends_.is_closed(); }
    /** Values that wait in it, those claimed by coroutines that are about to run included. */
    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    [[nodiscard]] T take()
    {
        T value = std::move(values_.front());
        values_.pop_front();
        // The longest waiting push takes the place, so that no newer one overtakes it.
        if (auto* next = static_cast<pushing*>(ends_.first_push())) {
            values_.push_back(std::move(next->value_));
            next->grant();
            ends_.offer();
        }
        return value;
    }

    std::size_t capacity_;
    std::deque<T> values_;
    async_detail::stream_ends ends_;
};

/** What awaiting a push looks like. */
template <class T>
class [[nodiscard]] stream<T>::pushing final : private async_detail::stream_push {
public:
    pushing(stream& owner, T&& value) : owner_{owner}, value_{std::move(value)} {}

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        if (context.scope->stop_requested()) return refuse(context, self);
        if (owner_.ends_.is_closed())
            end_at_once(outcome::closed);
        else if (owner_.try_push(std::move(value_)))
            end_at_once(outcome::granted);
        else
            wait(owner_.ends_, context, self);
        return is_waiting();
    }
    void await_resume() const { check(); }

private:
    friend class stream;
    stream& owner_;
    T value_;  // moved out when it goes in
};

/** What awaiting a value looks like. */
template <class T>
class [[nodiscard]] stream<T>::popping final : private async_detail::stream_pop {
public:
    explicit popping(stream& owner) noexcept : owner_{owner} {}

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(owner_.ends_, owner_.values_.size(), self.promise().context(), self);
    }
    std::optional<T> await_resume()
    {
        if (!use_claim()) return std::nullopt;
        return owner_.take();
    }

private:
    stream& owner_;
};

}  // namespace weft
