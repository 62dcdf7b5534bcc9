#include "worker_lease.hpp"

#include "change_signal.hpp"
#include "engine/commit/store_call.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>

#include <utility>

namespace weft {

namespace {

using namespace std::chrono_literals;

bool is_temporary(errc code) noexcept { return may_retry_after(code) || code == errc::timeout; }

}  // namespace

// The tenth of a lifetime as margin is for clocks of store and worker that run at different speeds.
worker_lease::worker_lease(checkpoint_store& store, const durable_options& options, change_signal& changes)
    : store_{store}, options_{options}, changes_{changes},
      lease_{options.lifetime, options.heartbeat_every, options.lifetime / 10}
{
}

void worker_lease::open(serial_loop& loop, std::vector<graph_ability> graphs)
{
    loop_ = &loop;
    graphs_ = std::move(graphs);
    if (options_.heartbeats_on && options_.heartbeats_on != &loop) {
        pulse_ = std::make_shared<worker_pulse>(store_, options_, lease_);
        pulse_->open(*options_.heartbeats_on);
    }
    is_open_ = true;  // after the loop, which another OS thread may ask for next
}

void worker_lease::use_graphs(std::vector<graph_ability> graphs)
{
    if (graphs == graphs_) return;
    graphs_ = std::move(graphs);
    ++named_;
    untold_->notify();
}

task<void> worker_lease::tell_graphs()
{
    for (;;) {
        // A worker that enters brings its list along.
        if (has_told_graphs() || !is_alive()) {
            co_await untold_->wait();
            continue;
        }
        const std::uint64_t list = named_;
        std::vector<graph_ability> graphs = graphs_;
        const worker_id worker = worker_;
        const store_answer<bool> answer =
            co_await answer_of(with_deadline(store_.change_graphs(worker, std::move(graphs)), options_.lifetime));
        if (!answer) co_await sleep_for(options_.heartbeat_every / 5);
        if (!answer || worker != worker_) continue;
        told_ = list;
        changes_.notify();
    }
}

void worker_lease::close()
{
    is_open_ = false;
    drop();
    if (pulse_) pulse_->close();
    pulse_.reset();
    changes_.notify();
}

void worker_lease::require_open() const
{
    if (is_open_) return;
    throw error{errc::invalid_configuration, "durable_engine",
                "it is not open: co_await its open() before anything else, and nothing after its close()"};
}

bool worker_lease::is_alive() const noexcept
{
    if (worker_ == 0) return false;
    return pulse_ ? pulse_->is_held(loop_->now()) : lease_.is_held(loop_->now());
}

worker_id worker_lease::drop() noexcept
{
    lease_.drop();
    if (pulse_) pulse_->drop();
    return std::exchange(worker_, 0);
}

task<void> worker_lease::enter()
{
    lease_.sent(loop_->now());
    worker_entry entry{options_.worker_name, options_.lifetime};
    entry.graphs = graphs_;
    const std::uint64_t list = named_;
    store_answer<worker_id> answer =
        co_await answer_of(with_deadline(store_.enter(std::move(entry)), options_.lifetime));
    entering_failed_ = answer.error;
    if (answer) {
        worker_ = *answer.value;
        lease_.answered(true);
        told_ = list;
        if (!has_told_graphs()) untold_->notify();
        if (pulse_) pulse_->begin(worker_, lease_);
        changes_.notify();
        co_return;
    }
    // Callers that wait hear at once what another try would not change.
    if (!is_temporary(answer.code)) changes_.notify();
    co_await sleep_for(options_.heartbeat_every / 5);
}

void worker_lease::want_heartbeat()
{
    if (pulse_) pulse_->hurry();
    else wanted_->notify();
}

task<std::optional<worker_pulse::signal_list>> worker_lease::next_heartbeat()
{
    if (pulse_) co_return co_await pulse_->hear();
    if (const time_point next = lease_.next(); loop_->now() < next) {
        // Also earlier, when the store says that a run here is asked to do something.
        const bool is_wanted = co_await wanted_->wait_until(next);
        if (!is_wanted) co_return std::nullopt;
    }
    co_return co_await send_heartbeat();
}

task<worker_pulse::signal_list> worker_lease::send_heartbeat()
{
    const time_point now = loop_->now();
    lease_.sent(now);
    store_answer<heartbeat_report> answer = co_await answer_of(
        with_deadline(store_.heartbeat(worker_, options_.lifetime), lease_.ends() - now));
    if (!answer) {
        lease_.failed(loop_->now());
        co_return worker_pulse::signal_list{};
    }
    lease_.answered(answer.value->is_alive);
    co_return std::move(answer.value->signals);
}

task<void> worker_lease::wait_until_alive()
{
    require_open();
    const time_point give_up = loop_->now() + options_.lifetime;
    if (is_alive()) co_return;
    change_signal::watch entered{changes_};
    while (!is_alive()) {
        const std::exception_ptr why = entering_failed_;
        if (why && !is_temporary(code_of(why))) std::rethrow_exception(why);
        if (loop_->now() >= give_up)
            throw error{errc::store_unavailable, "worker '" + options_.worker_name + "'",
                        "it could not enter the store in time" + (why ? ": " + text_of(why) : std::string{})};
        static_cast<void>(co_await entered.wait(100ms));
        require_open();
    }
}

}  // namespace weft
