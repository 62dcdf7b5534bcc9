#pragma once

#include <weft/async/task/waiter.hpp>

#include <cstddef>
#include <exception>

namespace weft::async_detail {

class stream_ends;

/** A coroutine that waits for room in a stream. */
class stream_push : public waiter {
protected:
    /** Joins the line for room. A stream that dies or closes ends the wait; `check` tells. */
    void wait(stream_ends& ends, const task_context& context, std::coroutine_handle<> self);
    /** Throws unless the value went in. */
    void check() const;
};

/** A coroutine that waits for a value of a stream. While it is in the list of claims, one value is its own. */
class stream_pop : public waiter, private list_node<stream_ends> {
protected:
    stream_pop() noexcept = default;
    ~stream_pop();

    /** @return True if the coroutine has to wait. */
    [[nodiscard]] bool start(stream_ends& ends, std::size_t values, const task_context& context,
                             std::coroutine_handle<> self);
    /** Uses the claim. @return False if the stream has ended; throws if it ended with an error, or on a stop. */
    [[nodiscard]] bool use_claim();

private:
    friend class stream_ends;
    friend class linked_list<stream_pop, stream_ends>;
    [[nodiscard]] bool has_claim() const noexcept { return list_node<stream_ends>::is_linked(); }

    stream_ends* ends_ = nullptr;
    std::exception_ptr error_;
};

/** What a stream knows apart from its values: who waits at its two ends, and whether it is closed.
 *
 *  A value that comes while coroutines wait is claimed for the first, which takes it when it runs. Until then only
 *  values beyond the claims can be taken by others; so coroutines wait only while every value is claimed.
 */
class stream_ends {
public:
    /** Whether nothing more can go in. */
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

    /** Whether one of `values` is not claimed. */
    [[nodiscard]] bool has_unclaimed(std::size_t values) const noexcept { return values > claims_; }

    /** A value has no claim: the first who waits for one gets it. */
    void offer()
    {
        if (pops_.empty()) return;
        auto& first = static_cast<stream_pop&>(pops_.front());
        add_claim(first);
        first.grant();
    }

    /** The push that has waited longest; null if none waits. */
    [[nodiscard]] stream_push* first_push() const noexcept
    {
        return pushes_.empty() ? nullptr : &static_cast<stream_push&>(pushes_.front());
    }

    /** No value comes any more. Those that wait for one get the end, or `error` if there is one; values that are there
     *  are still handed out first. Pushes that wait fail. */
    void close(std::exception_ptr error);
    /** The stream dies: everybody who waits finds it closed and looks at it no more. */
    void abandon();

private:
    friend class stream_push;
    friend class stream_pop;
    // The count stands beside the list, which would have to be walked.
    void add_claim(stream_pop& pop) noexcept
    {
        claimed_by_.push(pop);
        ++claims_;
    }
    void drop_claim(stream_pop& pop) noexcept
    {
        pop.list_node<stream_ends>::unlink();
        --claims_;
    }

    wait_line pushes_;  // while the stream is full
    wait_line pops_;    // while each value is claimed
    linked_list<stream_pop, stream_ends> claimed_by_;  // granted, and not yet run
    std::size_t claims_ = 0;
    bool is_closed_ = false;
    std::exception_ptr error_;  // what a pop of an empty stream throws
};

inline void stream_push::wait(stream_ends& ends, const task_context& context, std::coroutine_handle<> self)
{
    wait_in(ends.pushes_, context, self);
}

}  // namespace weft::async_detail
