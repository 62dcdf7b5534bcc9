#include "server_state.hpp"

#include "dead_routes.hpp"
#include "key_routes.hpp"
#include "loop_metrics.hpp"
#include "metrics_page.hpp"
#include "queue_routes.hpp"
#include "serve/a2a/a2a_routes.hpp"
#include "serve/ag_ui/ag_ui_routes.hpp"
#include "serve/http/openapi.hpp"
#include "serve/http/refusal.hpp"
#include "serve/openai/openai_routes.hpp"
#include "serve/order/assistants.hpp"
#include "serve/langgraph/langgraph_routes.hpp"
#include "serve/langgraph/schedule/cron_orders.hpp"
#include "serve/langgraph/schedule/cron_routes.hpp"
#include "serve/langgraph/schedule/entry_checks.hpp"
#include "serve/langgraph/schedule/entry_routes.hpp"
#include "serve/langgraph/schedule/webhook_body.hpp"
#include "serve/protocol/thread_protocol.hpp"
#include "serve/run/waiting_judge.hpp"
#include "serve/studio/studio_routes.hpp"
#include "serve/wire/view_schemas.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::string_view cors_exposed =
    "Content-Location, Location, X-Pagination-Next, X-Pagination-Total, WWW-Authenticate, Retry-After, Mcp-Session-Id";
constexpr std::string_view cors_allowed =
    "Accept, Authorization, Content-Type, Last-Event-ID, X-Api-Key, X-Auth-Scheme, Idempotency-Key, "
    "Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, A2A-Version";

/** The length of a compressed answer tells what stands in it twice. That is of use where an answer has a secret beside
 *  what others choose, and to a page of another site, whose requests a browser sends with what it has for the server by
 *  itself: cookies and certificates, but no key and no token (BREACH). */
bool must_stay_uncompressed(const http_call& call, const route_access& access)
{
    return access.shows_secrets() || call.headers().contains("cookie") || call.client_certificate() != nullptr;
}

}  // namespace

server_state::server_state(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs,
                           server_options options, loop_share share)
    : core{loop, stores, std::move(graphs), std::move(options), std::move(share)},
      http{loop, [this](http_call& call) { return handle(call); }, http_options()},
      webhooks{core.stores.service->documents(), core.options.webhooks,
               {.body = [this](outbox_message of) { return webhook_body(core, std::move(of)); },
                .problem = [this](std::string_view what) { core.tell_error("webhooks", what); },
                .attempted = [this](bool is_delivered) { note_webhook(is_delivered); }}},
      timers{core.stores.service->documents(), core.next_id<run_id>().text(),
             [this](std::string_view what) { core.tell_error("timers", what); }},
      crons{core.stores.service->documents(),
            [this](cron due) {
                note_cron(due);
                return begin_due_run(core, timers, std::move(due));
            },
            [this](std::string_view what) { core.tell_error("crons", what); }},
      sweeper{core.stores.service->documents(), core.stores.items,
              thread_sweeper{*core.stores.service, *core.stores.runs, core.engine},
              [this](std::string_view what) { core.tell_error("sweeping the store", what); }},
      a2a_pushes{core}
{
    core.ends = &webhooks;
    check_entries(*core.served);
    routes = routes_for(core.served);
}

/** Those of the user; exchanges are counted as well. */
http_server_options server_state::http_options()
{
    http_server_options options = core.options.http;
    if (!options.on_error)
        options.on_error = [this](std::string_view where, std::string_view what) { core.tell_error(where, what); };
    if (!core.options.telemetry) return options;
    options.on_access = [this, first = std::move(options.on_access)](const http_access& done) {
        if (first) first(done);
        count_exchange(core.options.telemetry->metrics(), *routes, done);
    };
    return options;
}

std::shared_ptr<const route_table> server_state::routes_for(const std::shared_ptr<const served_set>& served)
{
    const auto made = std::make_shared<route_table>();
    add_langgraph_routes(*made, core);
    add_thread_protocol_routes(*made, core);
    add_openai_routes(*made, core);
    add_mcp_routes(*made, mcp);
    add_cron_routes(*made, core);
    add_key_routes(*made, core);
    add_dead_routes(*made, core);
    add_queue_routes(*made, core);
    add_a2a_routes(*made, core, a2a_pushes);
    add_ag_ui_routes(*made, core);
    if (core.options.telemetry)
        made->add({"GET", "/metrics", {"metrics", "read"},
                   [this](api_call& call) {
                       return show_metrics(call.http(), core.options.telemetry, *core.stores.service);
                   },
                   {.summary = "Metrics of the process, as Prometheus and OpenMetrics have them",
                    .answer = {.type = "text/plain"}}});
    add_entry_routes(*made, core, served);
    if (core.options.shows_studio) add_studio_routes(*made, core);
    made->add({"GET", "/openapi.json", {"server", "read"}, [this](api_call& call) {
                   return call.reply(200, describe_routes(*routes));
               },
               {.summary = "These routes, as OpenAPI 3.1", .answer = {.of = &object_schema}}});
    return made;
}

task<std::vector<waiting_threads>> server_state::replace_graphs(std::vector<served_graph> graphs,
                                                                std::vector<served_entry> entries)
{
    const slot_limiter::slot slot = co_await one_exchange.acquire();
    check_graphs(graphs);
    const auto next = std::make_shared<const served_set>(std::move(graphs), std::move(entries));
    check_entries(*next);
    std::shared_ptr<const route_table> with_entries = routes_for(next);
    std::shared_ptr<const durable_graphs> before = core.of_engine;
    core.use(next);
    routes = std::move(with_entries);
    mcp.note_graphs();
    co_await make_assistants(core, {});
    co_await enter_timers(core, timers);
    co_return co_await judge_waiting(core, std::move(before));
}

listen_address server_state::listen(const listen_address& at, const std::optional<tls_server_options>& tls)
{
    listen_address bound = tls ? http.listen(at, *tls) : http.listen(at);
    is_local_only_ = is_local_only_ && bound.is_local();
    return bound;
}

task<void> server_state::run()
{
    const task_context& context = co_await this_task::context();
    scope background{context, failure_policy::keep_going};
    co_await core.engine.open();
    co_await make_assistants(core, {});
    co_await enter_timers(core, timers);
    core.background = &background;
    core.access.trail().write_in(&background);
    background.spawn(take_over(*this));
    scope chores{context, failure_policy::keep_going};  // what is no run, and counts as none
    chores.spawn(work_at(*this, core.follower.work(), "runs of other processes"));
    chores.spawn(work_at(*this, webhooks.work(), "webhooks"));
    chores.spawn(work_at(*this, crons.work(), "crons"));
    chores.spawn(work_at(*this, sweeper.work(), "sweeping the store"));
    chores.spawn(work_at(*this, timers.work(), "timers"));
    chores.spawn(work_at(*this, a2a_pushes.work(), "a2a push notifications"));
    if (core.options.telemetry)
        chores.spawn(work_at(*this, measure_loop(http, core.options.telemetry->metrics(), core.index), "metrics"));
    if (core.access.is_asking()) chores.spawn(work_at(*this, core.access.watch().work(), "authentication"));
    std::exception_ptr failure;
    try {
        co_await http.run();
    } catch (...) {
        failure = std::current_exception();
    }
    // Runs that a drain has given back have ended by now; a stop of this coroutine cuts the others short.
    background.request_stop();
    co_await background.join();
    chores.request_stop();
    co_await chores.join();
    core.background = nullptr;
    core.access.trail().write_in(nullptr);
    if (failure) std::rethrow_exception(failure);
    co_await timers.leave();
    co_await core.engine.close();
}

void server_state::note_cron(const cron& due) const
{
    if (!core.options.telemetry) return;
    const wall_time now = core.loop.clock().system_now();
    const std::chrono::duration<double> late = now - due.next.value_or(now);
    core.options.telemetry->metrics().cron_late_seconds.at({}).observe(std::max(0.0, late.count()));
}

void server_state::note_webhook(bool is_delivered) const
{
    if (!core.options.telemetry) return;
    core.options.telemetry->metrics().webhooks.at({is_delivered ? "delivered" : "failed"}).add();
}

/** Goes on with what an earlier life of this process, or another one, has left. */
task<void> server_state::take_over(server_state& self)
{
    try {
        co_await self.core.engine.work();
    } catch (const error& e) {
        if (e.code() != errc::cancelled) self.core.tell_error("taking runs over", e.what());
    }
}

/** @param name   A literal. */
task<void> server_state::work_at(server_state& self, task<void> chore, const char* name)
{
    try {
        co_await std::move(chore);
    } catch (const error& e) {
        if (e.code() != errc::cancelled) self.core.tell_error(name, e.what());
    }
}

task<void> server_state::serve_mcp_stdio(server_state& self)
{
    // A client may call at once, before the store is open.
    constexpr std::chrono::milliseconds open_look{1};
    while (!self.core.background) co_await sleep_for(open_look);
    co_await self.mcp.serve_stdio();
}

void server_state::drain()
{
    if (std::exchange(core.is_draining, true)) return;
    core.news.begin_drain();
    core.follower.look_again();
    // Runs first: their streams end with them, and then the connections are idle.
    if (core.background) core.background->spawn(drain_runs(*this));
    else http.drain();
}

task<void> server_state::drain_runs(server_state& self)
{
    try {
        co_await self.core.engine.drain();
    } catch (const error& e) {
        self.core.tell_error("draining", e.what());
    }
    self.core.tapes.close_all();
    self.http.drain();
}

http_headers server_state::common_headers(const http_call& call) const
{
    http_headers headers;
    const std::string& allowed = core.options.allowed_origin;
    const auto origin = call.headers().find("origin");
    if (allowed.empty() || !origin || (allowed != "*" && *origin != allowed)) return headers;
    headers.set("Access-Control-Allow-Origin", allowed);
    headers.set("Access-Control-Expose-Headers", cors_exposed);
    if (allowed != "*") headers.set("Vary", "Origin");
    return headers;
}

task<void> server_state::handle(http_call& call)
{
    std::exception_ptr failure;
    call.always_send(common_headers(call));
    try {
        co_await dispatch(call);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) co_await refuse(call, std::move(failure));
}

/** A page of a foreign site can have a name of its own lead to this machine, and is then no foreign site any more to
 *  the browser. What it cannot change is the name that its requests carry. */
void server_state::check_host(const http_call& call) const
{
    const std::vector<std::string>& allowed = core.options.allowed_hosts;
    std::string_view host = call.head().host;
    if (host.empty() || (allowed.empty() && !is_local_only_)) return;
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    const bool has_port = colon != host.npos && (bracket == host.npos || colon > bracket);
    if (has_port) host = host.substr(0, colon);
    constexpr std::array<std::string_view, 3> own{"localhost", "127.0.0.1", "[::1]"};
    const auto is_host = [host](std::string_view name) { return equals_ignoring_case(name, host); };
    const bool is_known = allowed.empty() ? std::any_of(own.begin(), own.end(), is_host)
                                          : std::any_of(allowed.begin(), allowed.end(), is_host);
    if (!is_known) throw http_error{421, "wrong_host", "the server is not known under the name " + std::string{host}};
}

task<void> server_state::answer(http_call& call, const route& to, std::vector<std::string> parts)
{
    if (must_stay_uncompressed(call, to.access)) call.never_compress();
    admission admitted;
    const bool is_of_tenant = core.access.is_asking() && !to.access.is_open();
    if (is_of_tenant) {
        admitted = co_await core.access.admit(call, to.access.resource, to.access.action);
        co_await make_assistants(core, admitted.who.tenant);
    }
    api_call request{call, std::move(parts), admitted.who, core.access.trail()};
    request.let_in_by(admitted.by);
    // A statement that forgets its condition finds nothing of other tenants, if the store guards rows.
    on_behalf_of handled{to.handle(request), is_of_tenant ? &admitted.who.tenant : nullptr};
    co_await handled;
    if (to.access.is_change()) request.audit(std::string{to.access.resource}.append(".").append(to.access.action));
}

task<void> server_state::dispatch(http_call& call)
{
    check_host(call);
    const std::shared_ptr<const route_table> of = routes;
    route_table::found found = of->find(call.method(), call.path());
    if (found.which) {
        co_await answer(call, *found.which, std::move(found.parts));
        co_return;
    }
    if (found.allowed.empty())
        throw http_error{404, "not_found", "there is nothing at " + std::string{call.path()}};
    if (call.method() == "OPTIONS") {
        http_reply answer{204};
        answer.headers.set("Allow", found.allowed);
        answer.headers.set("Access-Control-Allow-Methods", found.allowed);
        answer.headers.set("Access-Control-Allow-Headers", cors_allowed);
        answer.headers.set("Access-Control-Max-Age", "600");
        co_await call.reply(std::move(answer));
        co_return;
    }
    http_error refused{405, "method_not_allowed", "allowed here: " + found.allowed};
    refused.header("Allow", found.allowed);
    throw refused;
}

task<void> server_state::refuse(http_call& call, std::exception_ptr thrown)
{
    const refusal why = refusal_for(thrown);
    // Too late for an answer: the connection ends, so that the client does not take a part for the whole.
    if (call.has_answered() || call.is_gone()) std::rethrow_exception(thrown);
    if (why.is_of_server) core.tell_error(call.head().target, text_of(thrown));
    http_reply answer = routes->form_of(call.path())(why);
    if (why.retry_after_s > 0) answer.headers.set("Retry-After", std::to_string(why.retry_after_s));
    try {
        std::rethrow_exception(thrown);
    } catch (const http_error& refused) {
        for (std::size_t i = 0; i < refused.headers().size(); ++i)
            answer.headers.set(refused.headers()[i].name, refused.headers()[i].value);
    } catch (...) {
        // It has no headers.
    }
    co_await call.reply(std::move(answer));
}

}  // namespace weft::serve_detail
