#pragma once

#include "run.hpp"

#include <weft/async/task/refused_wait.hpp>

#include <coroutine>
#include <utility>

namespace weft {

/** Awaits a run: a stop of the awaiting chain cancels it, destroying the coroutine destroys the run's nodes. */
class run_awaiter : public stoppable, private run_waiter, private ready_item {
public:
    run_awaiter(graph&& what, run_request&& request) noexcept
        : stoppable{&run_awaiter::stop_requested}, ready_item{&run_awaiter::cancel}, graph_{&what}, request_{&request}
    {
    }
    /** Awaits a run that is made and has not begun. */
    explicit run_awaiter(intrusive_ptr<weft::run> what) noexcept
        : stoppable{&run_awaiter::stop_requested}, ready_item{&run_awaiter::cancel}, graph_{nullptr},
          request_{nullptr}, run_{std::move(what)}
    {
    }
    ~run_awaiter()
    {
        if (run_) run_->abandon();
    }

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        if (!run_) run_ = make_counted<weft::run>(std::move(*graph_), *context.loop, std::move(*request_));
        const bool is_stopped = context.scope->stop_requested();
        if (is_stopped)
            run_->cancel();
        else
            context.begin_wait(*this);
        around_ = context.scope;
        waiter_ = nullptr;
        run_->begin(*this);
        if (!has_ended_)
            waiter_ = self.address();
        else if (is_stopped)
            refused_.start(context, self);
        return !has_ended_ || is_stopped;
    }
    /** Valid as long as the awaiter. */
    ended_run await_resume() const noexcept { return ended_run{*run_}; }

private:
    static void cancel(ready_item& self) { static_cast<run_awaiter&>(self).run_->cancel(); }
    // A stop must not resume anybody by itself, and cancelling a run may end it.
    static void stop_requested(stoppable& self)
    {
        auto& waiting = static_cast<run_awaiter&>(self);
        waiting.run_->loop.defer(static_cast<ready_item&>(waiting));
    }
    bool is_stop_due() const noexcept override { return around_->stop_is_due(); }
    void run_ended(run&) override
    {
        stoppable::unlink();
        ready_item::unlink();
        has_ended_ = true;
        if (waiter_) std::coroutine_handle<>::from_address(waiter_).resume();
    }

    // What the run is made of is of no use once it has begun.
    union {
        graph* graph_;
        const stop_scope* around_;
    };
    union {
        run_request* request_;
        void* waiter_;  // the coroutine; null while it does not wait
    };
    intrusive_ptr<weft::run> run_;
    async_detail::refused_wait refused_;
    bool has_ended_ = false;
};

}  // namespace weft
