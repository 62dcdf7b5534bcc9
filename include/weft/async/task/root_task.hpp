#pragma once

#include <weft/async/task.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <atomic>

namespace weft::async_detail {

/** The start of a chain of coroutines that is not awaited, owned by its loop until it ends.
 *
 *  It deletes itself: after `start`, only a `stopper` may be used. A loop that is destroyed first deletes it, with the
 *  coroutines of the chain, and `deliver` is not called.
 */
class root_task : public loop_guest, private ready_item, private outer_stop_scope {
public:
    explicit root_task(serial_loop& loop);
    ~root_task() override;

    /** Starts it on its loop: here if this is the loop, else soon. */
    void start();

    /** Stops a root from any OS thread; does nothing once it has ended. Shares what it needs. */
    class stopper;
    [[nodiscard]] stopper stop_handle() const noexcept;

protected:
    /** What the work is started with. */
    [[nodiscard]] const task_context& context() const noexcept { return context_; }
    /** The done function of the work; `self` is the root. */
    static void ended(void* self);

private:
    struct shared_state;
    bool is_due() const noexcept override;
    /** @return True if the work has ended already. */
    virtual bool start_work() = 0;
    /** The work has ended: calls its completion function on the loop, outside of any coroutine, and deletes this. */
    virtual void deliver() = 0;
    void begin();

    serial_loop& loop_;
    task_context context_;
    intrusive_ptr<shared_state> shared_;
    bool has_begun_ = false;
};

/** Where a stop finds the root, if it is still there. */
struct root_task::shared_state : ref_counted<shared_state> {
    explicit shared_state(root_task& root) noexcept : loop{root.loop_}, root{&root} {}
    serial_loop& loop;
    root_task* root;                  // read and written on the loop only
    std::atomic<bool> is_asked{false};  // to stop
};

/** A copyable function without parameters, for slots and callbacks. It may outlive root and loop. */
class root_task::stopper {
public:
    explicit stopper(intrusive_ptr<shared_state> shared) noexcept : shared_{std::move(shared)} {}
    void operator()() const;

private:
    intrusive_ptr<shared_state> shared_;
};

inline root_task::stopper root_task::stop_handle() const noexcept { return stopper{shared_}; }

}  // namespace weft::async_detail
