#include "run_launcher.hpp"

#include "serve/http/refusal.hpp"
#include "serve/state/message_ids.hpp"
#include "thread_values.hpp"

#include <weft/async/wait/with_stop.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/net/server/http_error.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace weft::serve_detail {

namespace {

run_ending failed_ending(const std::exception_ptr& thrown)
{
    run_ending result;
    result.phase = run_phase::failed;
    try {
        std::rethrow_exception(thrown);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) result.phase = run_phase::cancelled;
        result.error = name_of(e.code());
        result.message = e.what();
    } catch (...) {
        result.error = "internal_error";
        result.message = "the server failed";
    }
    return result;
}

/** Nothing: as the graph is by default. */
std::optional<run_options> limits_of(const run_order& order)
{
    if (!order.steps_max) return order.graph->limits;
    run_options limits = order.graph->limits.value_or(run_options{});
    if (order.steps_max) limits.steps_max(*order.steps_max);
    return limits;
}

durable_request request_of(run_order& order)
{
    run_request request{order.thread->thread};
    request.input(std::move(order.input));
    if (order.trace) request.trace(*order.trace);
    // People go back in chats: to another answer to the first thing that they said, as well.
    request.saves_input(has_conversation(order.graph->graph));
    if (order.steps_max) request.options(*limits_of(order));
    durable_request result{std::move(request)};
    result.of(std::string{order.graph->graph.name()}).for_tenant(order.thread->tenant).on_busy(order.busy);
    result.identified(order.id).noted(std::move(order.metadata), std::move(order.webhook)).scheduled(order.not_before);
    result.idempotent(std::move(order.idempotency_key));
    return result.anew();  // an input is a new turn; what an earlier run had in hand is dropped
}

task<run_result> perform(serve_core& core, run_order order)
{
    if (order.what == run_order::kind::begin) {
        durable_request request = request_of(order);
        co_return co_await core.engine.run(std::move(request));
    }
    run_request with{order.thread->thread};
    // If it begins a further run, that has the id which the client was told.
    with.identity(run_identity{order.id, 1});
    with.input(std::move(order.input));
    if (order.trace) with.trace(*order.trace);
    if (order.steps_max) with.options(*limits_of(order));
    co_return co_await core.engine.resume(*order.thread, std::move(order.answers), std::move(with));
}

/** Whether a run that came to rest was given back to the store by a drain. */
task<bool> goes_on_elsewhere(serve_core& core, run_id run)
{
    if (!core.is_draining) co_return false;
    bool goes_on = false;
    try {
        const std::optional<run_record> record = co_await core.stores.runs->find_run(run);
        goes_on = record && !is_over(record->phase) && record->phase != run_phase::waiting;
    } catch (const error& e) {
        if (e.code() != errc::cancelled) core.tell_error("a run that was given back", e.what());
    }
    co_return goes_on;
}

}  // namespace

run_ending ending_of(run_result result)
{
    run_ending ending;
    switch (result.status) {
    case run_status::finished: ending.phase = run_phase::finished; break;
    case run_status::failed: ending.phase = run_phase::failed; break;
    case run_status::paused: ending.phase = run_phase::waiting; break;
    case run_status::cancelled: ending.phase = run_phase::cancelled; break;
    }
    if (result.why) {
        ending.error = name_of(result.why->code);
        ending.message = result.message();
    }
    ending.questions = std::move(result.questions);
    ending.values = std::move(result.state);
    return ending;
}

task<std::optional<run_record>> wait_for_entry(serve_core& core, std::shared_ptr<run_feed> feed)
{
    feed_reader reader{feed, feed->last_id()};
    for (;;) {
        std::optional<run_record> record = co_await core.stores.runs->find_run(feed->run());
        if (record) co_return record;
        if (feed->is_closed()) {
            const run_ending& ending = *feed->ending();
            // One that has begun was entered, and failed: that is told as any run's end is.
            if (ending.error.empty() || ending.values) co_return std::nullopt;
            const int status = status_of_refusal(errc_named(ending.error).value_or(errc::node_failed));
            throw http_error{status == 0 ? 500 : status, ending.error, ending.message};
        }
        co_await reader.wait(std::chrono::milliseconds{2});
    }
}

std::shared_ptr<run_feed> run_launcher::launch(run_order order)
{
    if (!core_.background || core_.is_draining || core_.background->running() >= core_.options.runs_max) {
        http_error refused{503, "no_capacity", "the server takes no further run now; try again"};
        refused.header("Retry-After", "1");
        throw refused;
    }
    order.place = core_.access.gate().begin_run(order.tenant);
    if (!order.thread) {
        auto feed = std::make_shared<run_feed>(core_.loop, order.id, core_.options.feed_events_max,
                                               &core_.feeds.names());
        feed->set_driven();
        feed->set_read_once();
        core_.background->spawn(run_unkept(std::move(order), feed));
        return feed;
    }
    std::shared_ptr<run_feed> feed = core_.news.begin(*order.thread, order.id);
    if (order.what == run_order::kind::begin) feed->set_whole();
    core_.background->spawn(run_kept(core_, std::move(order)));
    return feed;
}

task<void> run_launcher::run_kept(serve_core& core, run_order order)
{
    const run_id id = order.id;
    const thread_key thread = *order.thread;
    const bool forgets_thread = order.forgets_thread;
    const bool has_webhook = !order.webhook.empty() && core.ends;
    const std::shared_ptr<void> place = order.place;  // until the end of this, as the run is
    run_ending ending;
    try {
        run_result result = co_await perform(core, std::move(order));
        ending = ending_of(std::move(result));
        // Before the end is told: a client that then searches finds what it has seen.
        if (ending.values) co_await note_values(core, thread, *ending.values);
    } catch (...) {
        ending = failed_ending(std::current_exception());
    }
    ending.is_given_back = co_await goes_on_elsewhere(core, id);
    const bool is_waiting = ending.is_given_back || ending.phase == run_phase::waiting;
    core.news.end(thread, id, std::move(ending));
    if (has_webhook && !is_waiting) core.ends->note_end();
    if (!forgets_thread || is_waiting) co_return;
    if (has_webhook) co_await core.ends->before_forgetting(id);
    try {
        (void)co_await core.engine.forget(thread);
    } catch (const error& e) {
        core.tell_error("a thread that was made for one run", e.what());
    }
}

task<void> run_launcher::run_unkept(run_order order, std::shared_ptr<run_feed> feed)
{
    run_ending ending;
    try {
        run_request request;
        request.input(std::move(order.input)).on_questions(interrupts::pause);
        request.identity(run_identity{order.id, 1});
        if (order.trace) request.trace(*order.trace);
        if (auto limits = limits_of(order)) request.options(std::move(*limits));
        if (order.is_watched) {
            request.on_event([feed](const run_event& event) { feed->push(event); });
            request.amend_writes([](const run_event& visit, write_set& writes) { name_messages(visit, writes); });
        }
        const engine unkept{order.graph->graph};
        task<run_result> running = unkept.run(std::move(request));
        run_result result = co_await with_stop(std::move(running), order.stop);
        ending = ending_of(std::move(result));
    } catch (...) {
        ending = failed_ending(std::current_exception());
    }
    feed->close(std::move(ending));
}

}  // namespace weft::serve_detail
