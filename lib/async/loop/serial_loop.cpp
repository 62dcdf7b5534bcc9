#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/loop_presence.hpp>
#include <weft/async/loop/serial_loop.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

namespace weft {

namespace {

namespace asio = boost::asio;

/** Only on the real clock does a timer of Asio wake the loop; what moves another clock fires the timers. */
bool is_real(const clock& one) noexcept { return &one == &real_clock(); }

/** Calls a function at the end of a block, also when an exception leaves it. */
template <class Function>
class at_exit {
public:
    explicit at_exit(Function function) noexcept : function_{function} {}
    at_exit(const at_exit&) = delete;
    at_exit& operator=(const at_exit&) = delete;
    ~at_exit() { function_(); }

private:
    Function function_;
};

/** Keeps the strands of loops. What Asio still has in flight when a loop dies ends on its strand, so that this lives on
 *  with the context; another loop may use it then.
 */
class strand_service final : public asio::execution_context::service {
public:
    using key_type = strand_service;
    static inline asio::execution_context::id id;

    explicit strand_service(asio::execution_context& owner) : service{owner}
    {
        // Services die in the reverse order of their making: Asio's own for strands, which ours need to their end, is
        // made by the first strand.
        static_cast<void>(loop_strand{static_cast<asio::io_context&>(owner)});
    }

    const loop_strand* take(asio::io_context& context)
    {
        const std::lock_guard guard{lock_};
        if (unused_.empty()) {
            all_.push_back(std::make_unique<loop_strand>(context));
            unused_.reserve(all_.size());
            return all_.back().get();
        }
        const loop_strand* reused = unused_.back();
        unused_.pop_back();
        return reused;
    }
    void give_back(const loop_strand* unused) noexcept
    {
        const std::lock_guard guard{lock_};
        unused_.push_back(unused);
    }

private:
    void shutdown() override {}

    std::mutex lock_;
    std::vector<std::unique_ptr<loop_strand>> all_;
    std::vector<const loop_strand*> unused_;
};

/** Keeps the loop of a single-threaded `io_context` as a service of that context. */
class loop_service final : public asio::execution_context::service {
public:
    using key_type = loop_service;
    static inline asio::execution_context::id id;

    explicit loop_service(asio::execution_context& owner)
        : service{owner}, loop{std::make_unique<serial_loop>(static_cast<asio::io_context&>(owner))}
    {
    }
    std::unique_ptr<serial_loop> loop;

private:
    void shutdown() override { loop.reset(); }
};

}  // namespace

/** What a loop has of Asio. */
struct serial_loop::asio_side {
    explicit asio_side(const loop_executor& executor) : wake_ups{{wake_up{executor}, wake_up{executor}}} {}

    /** A timer that wakes the loop, at `at`; `time_point::max()`: it is not set. */
    struct wake_up {
        explicit wake_up(const loop_executor& executor) : timer{executor} {}
        asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                                   loop_executor>
            timer;
        time_point at = time_point::max();
    };
    [[nodiscard]] time_point earliest() const noexcept { return std::min(wake_ups[0].at, wake_ups[1].at); }
    void take_back()
    {
        for (wake_up& each : wake_ups)
            if (std::exchange(each.at, time_point::max()) != time_point::max()) each.timer.cancel();
    }
    /** The one that is not set, or else the later one. */
    [[nodiscard]] wake_up& later() noexcept { return wake_ups[wake_ups[0].at < wake_ups[1].at ? 1 : 0]; }

    // Made at once, and the reactor with them, which another OS thread wakes while it holds the lock of the context.
    // Without a reactor it would signal a condition afterwards, when the loop may have ended, and its context too.
    //
    // Two, since Asio sets the timer of the system each time the earliest of its own has fired: if there is a second
    // one, to that, and nothing is left to do; else to a moment far away, and once more when the loop sets the next.
    std::array<wake_up, 2> wake_ups;
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
};

serial_loop::serial_loop(asio::io_context& context)
    : context_{context}, clock_{clock_of(context)}, random_{random_of(context)},
      asio_{std::make_unique<asio_side>(executor())}, alive_{std::make_shared<serial_loop*>(this)}
{
}

serial_loop::serial_loop(asio::io_context& context, on_strand)
    : context_{context}, strand_{asio::use_service<strand_service>(context).take(context)}, clock_{clock_of(context)},
      random_{random_of(context)}, asio_{std::make_unique<asio_side>(executor())},
      alive_{std::make_shared<serial_loop*>(this)}
{
}

serial_loop::~serial_loop()
{
    // It may die in what it runs itself. What is posted from here on finds no loop any more.
    loop_presence::forget(*this);
    while (!guests_.empty()) delete &guests_.pop();
    drain_remote();  // what was posted and not yet run lets go of what it owns
    *alive_ = nullptr;
    timers_.clear();
    if (strand_) asio::use_service<strand_service>(context_).give_back(strand_);
}

serial_loop& serial_loop::of(asio::io_context& context)
{
    return *asio::use_service<loop_service>(context).loop;
}

// Not by the executor of the loop, which would queue the pump in the queue that it empties.
void serial_loop::post_pump()
{
    pump_is_posted_ = true;
    auto run = [alive = alive_] {
        if (*alive) (*alive)->pump();
    };
    if (strand_)
        asio::post(strand_->strand, std::move(run));
    else
        asio::post(context_, std::move(run));
}

ready_item& serial_loop::next_ready() noexcept
{
    return order_ ? ready_.pop_at(order_->below(ready_.size())) : ready_.pop();
}

void serial_loop::pump()
{
    const loop_presence here{*this};
    // What it runs may end the loop: then nothing of it is touched any more.
    const std::shared_ptr<serial_loop*> alive = alive_;
    // The flag stays set meanwhile: what the batch queues runs in it, or in one pump that follows it.
    const at_exit post_next{[&alive] {
        serial_loop* const loop = *alive;
        if (!loop) return;
        loop->turn_end_.come();
        loop->pump_is_posted_ = false;
        if (!loop->ready_.empty()) loop->post_pump();
    }};
    turn_end_.begin();
    // A bounded batch, then sockets and timers get their turn; single steps in a simulation.
    const int batch = order_ ? 1 : 256;
    for (int run = 0; run < batch && *alive && !ready_.empty(); ++run) {
        begin_step();
        ready_queue::run(next_ready());
    }
}

void serial_loop::begin_tick()
{
    while (!next_tick_.empty()) defer(next_tick_.pop());
}

void serial_loop::post(remote_item& item)
{
    remote_item* head = remote_.load(std::memory_order_relaxed);
    do {
        item.next = head;
    } while (!remote_.compare_exchange_weak(head, &item, std::memory_order_release, std::memory_order_relaxed));
    if (head) return;  // the first post of the batch has posted the drain
    asio::post(executor(), [alive = alive_] {
        if (!*alive) return;
        const loop_presence here{**alive};
        (*alive)->drain_remote();
    });
}

void serial_loop::drain_remote() noexcept
{
    remote_item* newest = remote_.exchange(nullptr, std::memory_order_acquire);
    remote_item* oldest = nullptr;
    while (newest) {
        remote_item* next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        remote_item* item = oldest;
        oldest = item->next;
        item->run(*item);
    }
}

void serial_loop::arm(timed_item& timer, time_point deadline, time_point now)
{
    timers_.insert(timer, deadline, now);
    if (deadline < wakes_at_ && !is_firing_ && is_real(clock_)) wake_at(deadline);
}

void serial_loop::wake_at(time_point deadline)
{
    asio_side::wake_up& free = asio_->later();
    free.at = deadline;
    wakes_at_ = asio_->earliest();
    free.timer.expires_at(deadline);
    free.timer.async_wait([alive = alive_, woken = &free](const boost::system::error_code& code) {
        if (code || !*alive) return;
        serial_loop& loop = **alive;
        if (woken->at > loop.now()) return;  // it had fired already when it was set anew
        woken->at = time_point::max();
        loop.wakes_at_ = loop.asio_->earliest();
        loop.fire_due_timers();
    });
}

void serial_loop::wake_for_earliest()
{
    if (!is_real(clock_)) return;
    if (timers_.empty()) {
        asio_->take_back();
        wakes_at_ = time_point::max();
        return;
    }
    const time_point next = timers_.next_stop();
    if (next < wakes_at_) wake_at(next);
    // Where timers fire tick after tick, those of the tick after the next are likely.
    constexpr std::chrono::milliseconds tick{1};
    const bool is_dense = next - clock_.now() <= tick;
    if (is_dense && wakes_at_ == next && asio_->later().at == time_point::max()) wake_at(next + tick);
}

void serial_loop::rest() noexcept
{
    // A pending wait of Asio would keep `io_context::run` from returning until a deadline that is over.
    if (waiting_ > 0 || !timers_.empty()) return;
    asio_->take_back();
    wakes_at_ = time_point::max();
}

void serial_loop::hold_context() { asio_->work.emplace(context_.get_executor()); }
void serial_loop::release_context() noexcept { asio_->work.reset(); }

void serial_loop::fire_due_timers()
{
    const loop_presence here{*this};
    // Asio's timer is set once, for the earliest of what the callbacks leave behind.
    is_firing_ = true;
    turn_end_.begin();
    const at_exit set_timer{[this] {
        turn_end_.come();
        is_firing_ = false;
        wake_for_earliest();
    }};
    // Bounded by what is armed now, so that a callback which arms a past deadline does not keep the loop here.
    const time_point now = clock_.now();
    begin_step();
    for (std::size_t left = timers_.size(); left > 0 && timers_.fire_due(now); --left) begin_step();
}

bool serial_loop::fire_due_timer()
{
    begin_step();
    return timers_.fire_due(clock_.now());
}

std::optional<time_point> serial_loop::next_deadline() const noexcept
{
    if (timers_.empty()) return std::nullopt;
    return timers_.earliest();
}

}  // namespace weft
