#include "worker_loop.hpp"

#include "durable_core.hpp"
#include "run_claimer.hpp"
#include "run_driver.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/random.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** Workers that one call gives up: each costs the store a write, and the next call takes more. */
constexpr std::size_t reaped_max = 1000;

}  // namespace

/** How many runs may be taken beside those that the loop has. */
std::size_t worker_loop::free_for(std::size_t busy) const
{
    const std::size_t max = std::max<std::size_t>(core_.options.runs_max, 1);
    return std::min(max - std::min(max, busy), core_.free_places());
}

task<void> worker_loop::perform(run_claim claim, interrupts mode)
{
    run_request request;
    request.on_questions(mode);
    static_cast<void>(
        co_await answer_of(driver_.drive(std::move(claim), std::move(request), run_driver::on_stop::yield)));
}

task<std::vector<run_claim>> worker_loop::claim_left(std::size_t free)
{
    co_await core_.lease.wait_until_alive();
    static_cast<void>(co_await core_.patient.reap(reaped_max));
    co_return co_await claimer_.claim(free);
}

task<std::size_t> worker_loop::recover()
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    change_signal::watch changes{*core_.changes};
    std::size_t taken = 0;
    std::exception_ptr failed;
    while (!failed) {
        run_places::hold asked{core_.places, free_for(children.running())};
        store_answer<std::vector<run_claim>> claims = co_await answer_of(claim_left(asked.count()));
        const bool may_retry = !claims && claims.may_retry() && core_.lease.is_alive();
        if (!claims && !may_retry) {
            failed = claims.error;
            break;
        }
        const bool has_none = claims && claims.value->empty();
        if (has_none && children.running() == 0 && !core_.claims.has_only_unknown_runs()) break;
        if (claims) {
            taken += claims.value->size();
            for (run_claim& each : *claims.value) children.spawn(perform(std::move(each), interrupts::pause));
        }
        asked.release();
        co_await core_.claims.leave_if_unsure();
        if (claims && !has_none) continue;
        // Until one has ended, or a suspect is none any more.
        const std::chrono::nanoseconds rest = may_retry ? retry_delay(1) : core_.look_every();
        const store_answer<bool> waited = co_await answer_of(changes.wait(rest));
        // A stop ends the waiting; the children are awaited all the same.
        failed = waited.error;
    }
    co_await children.join();
    if (failed) std::rethrow_exception(failed);
    co_return taken;
}

// A store that does not answer is asked again with the next look, so that nothing here is patient.
task<std::vector<run_claim>> worker_loop::claim_ready(std::size_t free, bool reaps)
{
    co_await core_.lease.wait_until_alive();
    if (reaps) static_cast<void>(co_await core_.store.reap(reaped_max));
    co_await core_.claims.leave_if_unsure();
    const bool may_claim =
        free > 0 && !core_.is_draining && !core_.claims.has_unknown_runs() && core_.lease.worker() != 0 &&
        core_.lease.has_told_graphs();
    if (!may_claim) co_return std::vector<run_claim>{};
    co_return co_await claimer_.claim(free);
}

/** When to look for work again without being told: at `reap_at`, or when something becomes due before.
 *  @param has_looked  Just now: what is due all the same, such as a suspect that must wait, is not looked at for ever.
 */
task<time_point> worker_loop::next_look(time_point reap_at, bool has_looked)
{
    const store_news* const news = core_.store.news();
    if (!news) co_return reap_at;
    const store_answer<std::optional<std::chrono::milliseconds>> due = co_await answer_of(news->next_due());
    if (!due || !*due.value) co_return reap_at;
    std::chrono::milliseconds span = **due.value;
    if (has_looked && span.count() == 0) span = core_.options.poll_every;
    co_return std::min(reap_at, core_.lease.loop().now() + span);
}

// Workers that began together do not ask the store together for ever.
std::chrono::nanoseconds worker_loop::rest()
{
    const auto whole = std::chrono::nanoseconds{core_.look_every()};
    const double jitter = static_cast<double>(whole.count()) * 0.2 * core_.lease.loop().random().uniform();
    return whole + std::chrono::nanoseconds{static_cast<std::int64_t>(jitter)};
}

task<void> worker_loop::work()
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    change_signal::watch changes{*core_.changes};
    time_point reap_at{};
    time_point look_at{};
    while (!core_.is_draining) {
        const bool looks = context.loop->now() >= look_at;
        if (looks) look_at = reap_at = context.loop->now() + rest();
        // Runs that are parked take no place.
        const std::size_t busy = children.running() - std::min(children.running(), core_.runs->parked_of_worker());
        run_places::hold asked{core_.places, free_for(busy)};
        const std::size_t wanted = asked.count();
        store_answer<std::vector<run_claim>> claims = co_await answer_of(claim_ready(wanted, looks));
        if (claims) core_.looked_at = context.loop->now();
        const bool is_stopped = co_await this_task::stop_requested();
        if (claims)
            for (run_claim& each : *claims.value) {
                // In a stopped scope it would not start, and the run would wait for our end.
                if (is_stopped) core_.claims.abandon(each.fence);
                else children.spawn(perform(std::move(each), core_.options.on_questions));
            }
        asked.release();
        if (is_stopped) break;
        // Behind a lone run there was nothing; what comes later has a notice of its own. Where several are ready, some
        // may have been passed over, as another process had locked them.
        const std::size_t taken = claims ? claims.value->size() : 0;
        if (taken > 1 || (taken == 1 && wanted == 1)) continue;
        look_at = reap_at;
        if (wanted > 0) look_at = co_await next_look(reap_at, looks);
        const store_answer<bool> waited = co_await answer_of(changes.wait(look_at - context.loop->now()));
        // It was stopped.
        if (!waited) break;
    }
    co_await children.join();
}

task<void> worker_loop::drain()
{
    core_.is_draining = true;
    core_.runs->yield_all();
    core_.changes->notify();
    change_signal::watch changes{*core_.changes};
    const serial_loop& loop = core_.lease.loop();
    std::optional<time_point> stop_at;
    if (core_.options.drain_for) stop_at = loop.now() + *core_.options.drain_for;
    while (!core_.runs->is_empty()) {
        const bool is_late = stop_at && loop.now() >= *stop_at;
        if (is_late) core_.runs->stop_all();
        if (is_late) stop_at.reset();
        const std::chrono::nanoseconds rest = stop_at ? *stop_at - loop.now() : core_.options.lifetime;
        static_cast<void>(co_await changes.wait(rest));
    }
}

}  // namespace weft
