#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/refused_wait.hpp>

#include <coroutine>

namespace weft::async_detail {

class waiter;

/** Coroutines that wait for the same thing, in the order in which they came. */
using wait_line = linked_list<waiter, class wait_line_tag>;

/** A coroutine that waits in a line until it gets what it waits for, or a stop or a closing ends the wait.
 *
 *  However the wait ends, the coroutine is resumed through the ready queue: what ends it goes on first. It may be
 *  destroyed at any time and leaves all lists by itself.
 */
class waiter : public list_node<wait_line_tag>, private ready_item, private stoppable {
public:
    /** How a wait ended; `none` while it lasts, and before. */
    enum class outcome : unsigned char { none, granted, stopped, closed };

    waiter() noexcept
        : ready_item{[](ready_item& self) { static_cast<waiter&>(self).coroutine_.resume(); }},
          stoppable{[](stoppable& self) { static_cast<waiter&>(self).end(outcome::stopped); }}
    {
    }

    /** What `await_resume` looks at: it throws after a stop or a closing. */
    [[nodiscard]] outcome ended_by() const noexcept { return outcome_; }
    [[nodiscard]] bool is_waiting() const noexcept { return list_node<wait_line_tag>::is_linked(); }

    /** Out of the line, and neither ended nor resumed. */
    void leave_line() noexcept { list_node<wait_line_tag>::unlink(); }

    /** Ends the wait successfully; the coroutine runs soon. */
    void grant() { end(outcome::granted); }
    /** Ends the wait because there is nothing to wait for any more. */
    void close() { end(outcome::closed); }

protected:
    ~waiter() = default;

    /** Takes note of an end without any wait. */
    void end_at_once(outcome how) noexcept { outcome_ = how; }

    /** The scope is stopped: the coroutine suspends for a turn of the loop. @return True. */
    [[nodiscard]] bool refuse(const task_context& context, std::coroutine_handle<> coroutine)
    {
        outcome_ = outcome::stopped;
        coroutine_ = coroutine;
        async_detail::refuse(context, *this);
        return true;
    }

    /** Waits in `line`. The scope must not be stopped. */
    void wait_in(wait_line& line, const task_context& context, std::coroutine_handle<> coroutine)
    {
        loop_ = context.loop;
        coroutine_ = coroutine;
        context.begin_wait(*this);
        line.push(*this);
    }

private:
    /** Called when a stop takes this waiter out of its line. */
    virtual void left_line() {}

    /** Leaves scope and line first: nothing else can end the wait, however long the queue is. */
    void end(outcome how)
    {
        outcome_ = how;
        stoppable::unlink();
        leave_line();
        loop_->defer(*this);
        if (how == outcome::stopped) left_line();
    }

    serial_loop* loop_ = nullptr;
    std::coroutine_handle<> coroutine_;
    outcome outcome_ = outcome::none;
};

/** Closes each wait of a line, which is empty then. The coroutines run later, from the ready queue. */
inline void close_all(wait_line& line)
{
    while (!line.empty()) line.front().close();
}

}  // namespace weft::async_detail
