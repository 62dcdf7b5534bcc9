#pragma once

#include <weft/async/task/waiter.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace weft {

/** Lets at most `slots` coroutines of one loop do something at the same time, first come, first served.
 *
 *      slot_limiter limiter{4};
 *      slot_limiter::slot slot = co_await limiter.acquire();
 *      co_await download();       // four at a time; the slot goes back at the end of the block, by an exception too
 *
 *  The order is that of the calls of `acquire`: a coroutine that wants many slots one after the other gives way to each
 *  that came before.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Outlives its slots. Coroutines that still wait when it is destroyed get `errc::cancelled`.
 */
class slot_limiter {
public:
    class slot;
    class acquisition;

    /** @param slots   With 0 each `acquire` waits until it is stopped. */
    explicit slot_limiter(std::size_t slots) noexcept : free_{slots} {}
    ~slot_limiter() { async_detail::close_all(waiting_); }
    slot_limiter(const slot_limiter&) = delete;
    slot_limiter& operator=(const slot_limiter&) = delete;

    /** `co_await limiter.acquire()`: waits for a free slot.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    At once; the place in the line is lost. */
    [[nodiscard]] acquisition acquire() noexcept;

    /** A slot if one is free and no coroutine waits. */
    [[nodiscard]] std::optional<slot> try_acquire() noexcept;

    /** How many slots nothing holds; 0 while coroutines wait. */
    [[nodiscard]] std::size_t free() const noexcept { return free_; }
    /** How many coroutines wait; counts them. */
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    // A coroutine does not overtake those that wait, not even for a slot that is free for a moment.
    [[nodiscard]] bool take() noexcept
    {
        if (free_ == 0 || !waiting_.empty()) return false;
        --free_;
        return true;
    }
    // A slot goes from hand to hand: it is never free while a coroutine waits, so that none can take it in between.
    void give_back()
    {
        if (waiting_.empty())
            ++free_;
        else
            waiting_.front().grant();
    }

    std::size_t free_;
    async_detail::wait_line waiting_;
};

/** One slot of a limiter; gives it back when it is destroyed. Only moved, never copied. */
class [[nodiscard]] slot_limiter::slot {
public:
    /** Holds none. */
    slot() noexcept = default;
    slot(slot&& other) noexcept : owner_{std::exchange(other.owner_, nullptr)} {}
    slot& operator=(slot&& other) noexcept
    {
        if (this != &other) {
            release();
            owner_ = std::exchange(other.owner_, nullptr);
        }
        return *this;
    }
    ~slot() { release(); }

    /** Whether it holds a slot: false of one that is empty, was moved from or released. */
    [[nodiscard]] explicit operator bool() const noexcept { return owner_ != nullptr; }

    /** Gives the slot back early. */
    void release()
    {
        if (owner_) std::exchange(owner_, nullptr)->give_back();
    }

private:
    friend class slot_limiter;
    explicit slot(slot_limiter& owner) noexcept : owner_{&owner} {}
    slot_limiter* owner_ = nullptr;
};

/** What awaiting a slot looks like. */
class [[nodiscard]] slot_limiter::acquisition final : private async_detail::waiter {
public:
    explicit acquisition(slot_limiter& owner) noexcept : owner_{owner} {}
    ~acquisition()
    {
        // Granted and destroyed before it ran: the next in line gets it.
        if (ended_by() == outcome::granted && !is_taken_) owner_.give_back();
    }

    bool await_ready() const noexcept { return false; }
    /** @return  False if a slot was free, and no coroutine waited for one. */
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return start(self.promise().context(), self);
    }
    slot await_resume();

private:
    [[nodiscard]] bool start(const task_context& context, std::coroutine_handle<> self);

    slot_limiter& owner_;
    bool is_taken_ = false;  // by `await_resume`: the slot has an owner
};

inline slot_limiter::acquisition slot_limiter::acquire() noexcept { return acquisition{*this}; }

inline std::optional<slot_limiter::slot> slot_limiter::try_acquire() noexcept
{
    if (!take()) return std::nullopt;
    return slot{*this};
}

}  // namespace weft
