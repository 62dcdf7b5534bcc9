#pragma once

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/ready_item.hpp>
#include <weft/async/loop/timer_wheel.hpp>
#include <weft/async/loop/turn_end.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace boost::asio {
class io_context;
}

namespace weft {

class loop_executor;
class serial_loop;
struct loop_strand;

/** Work handed to a loop from any OS thread: an intrusive node, owned by the poster until it runs.
 *
 *  `run` is called exactly once, on the loop or by the loop's destructor, and must not throw.
 */
struct remote_item {
    using function = void (*)(remote_item&);
    explicit remote_item(function run) noexcept : run{run} {}
    function run;
    remote_item* next = nullptr;
};

/** Something on the heap that a loop deletes in its own destructor, such as the root of a chain of coroutines that
 *  still waits then. Deleting it earlier takes it out.
 */
class loop_guest : public list_node<serial_loop> {
public:
    virtual ~loop_guest() = default;
};

/** Where runs live: one thing at a time, a ready queue, a timer wheel, a clock and a source of randomness.
 *
 *      boost::asio::io_context io{1};
 *      weft::serial_loop& loop = weft::serial_loop::of(io);
 *      weft::async_start(loop, serve(), boost::asio::detached);
 *      io.run();
 *
 *  A loop sits on an `io_context` that one OS thread runs (best), or on a strand of one that several run (about five
 *  times slower per hop). Everything of a run happens on its loop, so that nothing in it needs a lock.
 *
 *  @par Thread safety   `post` and `executor` from any OS thread; everything else on the loop.
 *  @par Lifetimes       Must outlive what runs on it. A loop from `of` lives as long as its `io_context`.
 */
class serial_loop {
public:
    /** A loop on `context`, which one OS thread runs. */
    explicit serial_loop(boost::asio::io_context& context);

    struct on_strand {};
    /** A loop on a strand of its own on `context`, which several OS threads may run. */
    serial_loop(boost::asio::io_context& context, on_strand);

    ~serial_loop();
    serial_loop(const serial_loop&) = delete;
    serial_loop& operator=(const serial_loop&) = delete;

    /** The loop of a single-threaded `io_context`, made on first use and kept by the context. */
    [[nodiscard]] static serial_loop& of(boost::asio::io_context& context);

    /** What it sits on. */
    [[nodiscard]] boost::asio::io_context& context() const noexcept { return context_; }
    /** Whether several OS threads may run it, one at a time. */
    [[nodiscard]] bool is_strand() const noexcept { return strand_ != nullptr; }
    /** For Asio; weft/async/loop/loop_executor.hpp defines it. This header and all that rest on it keep Asio out, which
     *  takes longer to compile than all of weft. */
    [[nodiscard]] loop_executor executor() const noexcept;
    /** The clock of all timers of the loop: the system's, or a virtual one that the `io_context` has. */
    [[nodiscard]] class clock& clock() const noexcept { return clock_; }
    /** For jitter and ids; of a simulation it is seeded. */
    [[nodiscard]] random_source& random() const noexcept { return random_; }
    /** A moment of its clock: steady, and of no relation to the time of day. */
    [[nodiscard]] time_point now() const noexcept { return clock_.now(); }
    /** An id for something that is made now. On the loop only. */
    template <class Id>
    [[nodiscard]] Id next_id(time_point now) noexcept
    {
        return Id{ids_.next(clock_, now, random_)};
    }

    /** Runs `item` soon, after what is already queued. On the loop only. */
    void defer(ready_item& item)
    {
        ready_.push(item);
        if (!pump_is_posted_) post_pump();
    }

    /** Runs `item` at the next tick of the clock, a millisecond later at most. On the loop only. */
    void defer_to_tick(ready_item& item)
    {
        next_tick_.push(item);
        if (!tick_timer_.is_armed()) tick_timer_.arm_after(std::chrono::nanoseconds{1});
    }

    /** Runs `item` when the turn of the loop ends: behind the ready items of a batch, or the timers that fire together.
     *  For what is only worth doing for something that outlives the turn, which takes the item back with `unlink`.
     *  @return  False: the loop is in no turn, but in an operation of Asio that ends. On the loop only. */
    [[nodiscard]] bool defer_to_turn_end(ready_item& item) noexcept { return turn_end_.defer(item); }

    /** Runs `item` on the loop soon. From any OS thread; items of one thread keep their order. */
    void post(remote_item& item);

    /** Deletes `guest` together with the loop, unless it is gone by then. */
    void adopt(loop_guest& guest) noexcept { guests_.push(guest); }

    /** Fires the timers that are due, as the loop does by itself on a real clock. For virtual clocks. */
    void fire_due_timers();

    /** Fires the earliest timer if it is due. @return False if none is. For simulations. */
    bool fire_due_timer();

    /** The deadline of the earliest armed timer, if any. */
    [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

    /** Lets `order` choose which ready item and which of several timers with one deadline runs next, instead of first
     *  in, first out; null goes back to that. One item then runs per handler of the `io_context`. For simulations. */
    void permute_ready(random_source* order) noexcept
    {
        order_ = order;
        timers_.permute_equal(order);
    }

    /** Keeps the `io_context` from running out of work while something is going on, whatever it waits for. */
    // Counted: each call has its `remove_work`.
    void add_work()
    {
        if (waiting_++ == 0) hold_context();
    }
    /** The end of what `add_work` began; with the last, an `io_context` without other work returns from `run`. */
    void remove_work() noexcept
    {
        if (--waiting_ > 0) return;
        release_context();
        if (wakes_at_ != time_point::max() && !rest_.is_queued()) defer(rest_);
    }

    /** As `add_work`, for what other OS threads do for this loop and end with a `post`. */
    void add_outside_work()
    {
        add_work();
        ++outside_;
    }
    /** The end of what `add_outside_work` began. On the loop, as all of these. */
    void remove_outside_work() noexcept
    {
        --outside_;
        remove_work();
    }
    /** Whether other OS threads are at work for this loop. For simulations, which wait for them before time jumps. */
    [[nodiscard]] bool has_outside_work() const noexcept { return outside_ > 0; }

    /** Measures from now on how long coroutines hold the loop between two waits, or no longer; calls are counted. While
     *  it is on, each wait of the loop's coroutines reads the clock. */
    void measure_steps(bool wanted) noexcept { measuring_ += wanted ? 1 : -1; }
    /** Whether `measure_steps` was asked for more often than given up. */
    [[nodiscard]] bool measures_steps() const noexcept { return measuring_ > 0; }
    /** Something begins to run. */
    void begin_step() noexcept
    {
        if (measuring_ > 0) step_began_ = clock_.now();
    }
    /** How long what runs has held the loop; the next step begins. While steps are measured. */
    [[nodiscard]] std::chrono::nanoseconds end_step() noexcept
    {
        const time_point now = clock_.now();
        return now - std::exchange(step_began_, now);
    }

    /** Whether nothing is queued and no timer is armed. */
    [[nodiscard]] bool is_idle() const noexcept
    {
        return ready_.empty() && timers_.empty() && !remote_.load(std::memory_order_relaxed);
    }

private:
    friend class loop_presence;
    friend class timed_item;
    /** The timer and the work guard of Asio, which this header keeps out. */
    struct asio_side;
    /** Takes back the wake-up of Asio's timer, once nothing waits for it any more. */
    struct rest_item : ready_item {
        explicit rest_item(serial_loop& loop) noexcept
            : ready_item{[](ready_item& self) { static_cast<rest_item&>(self).loop.rest(); }}, loop{loop}
        {
        }
        serial_loop& loop;
    };

    // Timers arm and disarm themselves.
    void arm(timed_item& timer, time_point deadline, time_point now);
    // One timer of Asio serves the wheel: it is set to its next stop, and moved only when that comes earlier.
    void wake_at(time_point deadline);
    void wake_for_earliest();
    void rest() noexcept;
    void hold_context();
    void release_context() noexcept;
    // One handler of Asio, the pump, runs what is ready; it gives way to sockets after a batch.
    void post_pump();
    void pump();
    [[nodiscard]] ready_item& next_ready() noexcept;
    void begin_tick();
    // What other OS threads posted, last in first out in the atomic list, runs in the order in which it came.
    void drain_remote() noexcept;

    boost::asio::io_context& context_;
    const loop_strand* strand_ = nullptr;
    class clock& clock_;
    random_source& random_;
    local_id_source ids_;
    ready_queue ready_;
    bool pump_is_posted_ = false;
    random_source* order_ = nullptr;  // of simulations
    timer_wheel timers_;
    turn_end turn_end_;
    ready_queue next_tick_;  // what waits for the next millisecond
    loop_timer tick_timer_{*this, [](void* self) { static_cast<serial_loop*>(self)->begin_tick(); }, this};
    time_point wakes_at_ = time_point::max();  // what Asio's timer is set to
    bool is_firing_ = false;
    rest_item rest_{*this};
    std::atomic<remote_item*> remote_{nullptr};
    linked_list<loop_guest, serial_loop> guests_;
    std::size_t waiting_ = 0;  // what keeps the `io_context` running
    std::size_t outside_ = 0;  // of that, what other OS threads do
    int measuring_ = 0;
    time_point step_began_{};
    std::unique_ptr<asio_side> asio_;
    std::shared_ptr<serial_loop*> alive_;  // handlers still queued in Asio look here before they touch the loop
};

}  // namespace weft
