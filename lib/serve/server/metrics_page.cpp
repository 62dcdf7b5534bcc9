#include "metrics_page.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/store/role/queue_view.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr std::size_t queue_kinds_max = 1'000;
constexpr std::chrono::seconds queue_patience{2};  // scrapers wait for ten

/** What the store says of its queue. */
struct queue_state {
    std::vector<queue_depth> depths = {};
    std::vector<unclaimable_runs> unclaimable = {};
    std::vector<dead_runs> dead = {};
    std::vector<listed_worker> workers = {};
};

task<queue_state> ask_queue(service_store& service)
{
    queue_view& queue = service.queue();
    queue_state state;
    state.depths = co_await queue.depths(queue_kinds_max);
    state.unclaimable = co_await queue.unclaimable(queue_kinds_max);
    state.dead = co_await queue.dead(queue_kinds_max);
    state.workers = co_await queue.workers(queue_kinds_max);
    co_return state;
}

void note_queue(weft_metrics& metrics, const queue_state& state, wall_time now)
{
    metrics.queue_depth.reset();
    metrics.queue_oldest_seconds.reset();
    metrics.queue_unclaimable.reset();
    metrics.dead_letters.reset();
    metrics.workers.reset();
    for (const queue_depth& each : state.depths) {
        // Of all tenants and revisions together: labels have neither.
        metrics.queue_depth.at({each.graph, name_of(each.phase)}).add(static_cast<double>(each.count));
        metric_series& oldest = metrics.queue_oldest_seconds.at({each.graph, name_of(each.phase)});
        const std::chrono::duration<double> age = now - each.oldest;
        if (age.count() > oldest.value()) oldest.set(age.count());
    }
    for (const unclaimable_runs& each : state.unclaimable)
        metrics.queue_unclaimable.at({each.graph}).add(static_cast<double>(each.count));
    for (const dead_runs& each : state.dead)
        metrics.dead_letters.at({each.graph}).add(static_cast<double>(each.count));
    for (const listed_worker& each : state.workers) metrics.workers.at({each.is_alive ? "alive" : "lost"}).add();
}

}  // namespace

task<void> show_metrics(http_call& call, std::shared_ptr<telemetry> of, service_store& service)
{
    serial_loop& loop = co_await this_task::loop();
    weft_metrics& metrics = of->metrics();
    std::optional<queue_state> state;
    std::exception_ptr failed;
    try {
        queue_state found = co_await with_deadline(ask_queue(service), queue_patience);
        state.emplace(std::move(found));
    } catch (const error&) {
        failed = std::current_exception();
    }
    if (failed && code_of(failed) == errc::cancelled) std::rethrow_exception(failed);
    if (failed) metrics.store_errors.at({"queue", name_of(code_of(failed))}).add();
    if (state) note_queue(metrics, *state, loop.clock().system_now());
    note_process(of->registry());
    const metric_format format = metric_format_for(call.headers().find("accept").value_or(""));
    http_reply answer{200, metric_text(of->registry(), format), std::string{content_type_of(format)}};
    co_await call.reply(std::move(answer));
}

}  // namespace weft::serve_detail
