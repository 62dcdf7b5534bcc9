#include "run_launcher.hpp"

#include "run_history.hpp"
#include "serve/http/refusal.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/state/state_wire.hpp"
#include "thread_values.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/observe/telemetry/telemetry.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::chrono::milliseconds store_patience{500};
constexpr std::chrono::milliseconds turn_patience{20};

/** Whether a run that was told to have failed may go on all the same: the store did not answer, or has given it to
 *  another process. */
bool is_of_store(std::string_view name) noexcept
{
    return name == name_of(errc::store_unavailable) || name == name_of(errc::store_outcome_unknown) ||
           name == name_of(errc::thread_lost) || name == name_of(errc::timeout) || name == name_of(errc::cancelled);
}

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

/** What the store says of a run; asked again until it answers.
 *  @return  Nothing: the store has no such run. */
task<std::optional<run_record>> ask_until_answered(serve_core& core, run_id run)
{
    for (;;) {
        try {
            co_return co_await core.stores.runs->find_run(run);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
        }
        co_await sleep_for(store_patience);
    }
}

/** The end of a run whose end here may be none: it was cut short, given back by a drain, or this process has lost it,
 *  or its store. Elsewhere it may go on, and is waited for.
 *  @return  `told`, if the store has no such run. */
task<run_ending> end_in_store(serve_core& core, thread_key thread, run_id run, run_ending told)
{
    for (;;) {
        const std::optional<run_record> record = co_await ask_until_answered(core, run);
        if (!record || is_over(record->phase) || record->phase == run_phase::waiting) {
            const bool is_same = !record || record->phase == told.phase;
            co_return is_same ? std::move(told) : ending_of(*record);
        }
        if (core.is_draining) {
            told.is_given_back = true;
            co_return told;
        }
        try {
            static_cast<void>(co_await core.engine.follow(thread));
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
        }
        // Not at once if it is another run of the thread that has ended, or nothing was heard of it.
        co_await sleep_for(turn_patience);
    }
}

/** What other processes have told of a run is told here, too, before its end: asked again until the store answers.
 *  @par Errors  Those of the store while the server drains: then the end is told by another one. */
task<void> take_rest_of_log(serve_core& core, thread_key thread, std::shared_ptr<run_feed> feed)
{
    while (!feed->has_rested()) {
        try {
            co_await read_on(core, thread, feed);
            co_return;
        } catch (const error& e) {
            if (e.code() == errc::cancelled || core.is_draining) throw;
            if (!is_store_away(e.code())) {
                core.tell_error("the event log of run " + feed->run().text(), e.what());
                co_return;
            }
        }
        co_await sleep_for(store_patience);
    }
}

/** A feed that gets what other processes do in a run from its log: of a run that goes on, from now on. */
task<void> read_from_here(serve_core& core, const run_order& order, std::shared_ptr<run_feed> feed)
{
    if (feed->logged() || !core.follower.has_others()) co_return;
    std::uint64_t after = 0;
    if (!feed->is_whole()) {
        const event_page end = co_await core.stores.service->run_events().read(feed->run(), INT64_MAX, 1);
        after = end.last;
    }
    begin_log(core, *feed, order.graph->graph.name(), after);
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
    if (result.spent) ending.spent = *result.spent;
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
        order.observer = core_.options.telemetry;
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
    const std::shared_ptr<run_feed> feed = core.feeds.of(id);
    run_ending ending;
    bool may_go_on = false;
    try {
        co_await read_from_here(core, order, feed);
        run_result result = co_await perform(core, std::move(order));
        ending = ending_of(std::move(result));
        may_go_on = ending.phase == run_phase::cancelled || is_of_store(ending.error);
        // Before the end is told: a client that then searches finds what it has seen.
        if (ending.values) co_await note_values(core, thread, *ending.values);
    } catch (...) {
        ending = failed_ending(std::current_exception());
        may_go_on = is_of_store(ending.error) || core.is_draining;
    }
    try {
        if (may_go_on || core.is_draining) ending = co_await end_in_store(core, thread, id, std::move(ending));
        if (!ending.is_given_back) co_await take_rest_of_log(core, thread, feed);
    } catch (const error&) {
        ending.is_given_back = true;  // the server ends
    }
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
            request.on_event([feed, wants = std::move(order.wants)](const run_event& event) {
                if (!wants || wants(event)) feed->push(event);
            });
            request.amend_writes(
                [](const run_event& visit, write_set& writes) { return name_messages(visit, writes); });
        }
        if (order.observer) {
            serial_loop& loop = co_await this_task::loop();
            observe(request, *order.observer, {.graph = order.graph->graph.name(), .loop = &loop});
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
