#include "forging_store.hpp"
#include "stream_course.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace stream_chaos {

namespace {

using namespace std::chrono_literals;

using ledger_ptr = std::shared_ptr<const weft_tests::ledger>;

/** Each step is noted, and the middle one has an effect. */
weft::task<void> note_step(weft::node_context& at, ledger_ptr ledger)
{
    const std::string place = std::string{at.tenant()} + "/" + std::string{at.thread()};
    const std::string name{at.node()};
    ledger->note({"step", place, name});
    if (name != "s" + std::to_string(steps_of_a_run / 2)) co_return;
    const auto charge = [ledger, place](const weft::effect_context& of) {
        ledger->note({"effect", place, of.key()});
    };
    co_await at.once("charge", charge);
}

weft::task<void> speak(weft::node_context& at, ledger_ptr ledger)
{
    const std::string name{at.node()};
    if (ledger) co_await note_step(at, ledger);
    for (int i = 0; i < pieces_of_a_step; ++i) {
        at.emit("output", name + "." + std::to_string(i) + " ");
        co_await weft::sleep_for(15ms);
    }
    at.set(said, name);
}

weft::durable_options brief_lives()
{
    weft::durable_options options;
    options.lifetime = worker_lifetime;
    options.heartbeat_every = 250ms;
    options.poll_every = 200ms;
    options.attempts_max = 1'000'000;
    return options;
}

/** Says whose request it is by a header. */
weft::task<std::optional<weft::principal>> tenant_of(const weft::http_call& call)
{
    weft::principal who;
    who.name = "client";
    who.tenant = call.headers().find("x-tenant").value_or(std::string_view{});
    co_return who;
}

weft::task<void> work(weft::postgres_store& store, process_orders orders)
{
    const bool is_of_fleet = !orders.ledger.empty();
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(speaking_graph(is_of_fleet ? std::make_shared<const weft_tests::ledger>(orders.ledger) : nullptr));
    weft::durable_options options = brief_lives();
    options.event_log = &store.service().run_events();
    if (is_of_fleet) {
        options.keep_last = 0;
        options.runs_max = places_of_a_worker;
    }
    if (orders.is_unfenced) options.lifetime = 1h;  // nor does it fence itself by its own clock
    forging_store forging{store, worker_lifetime};
    weft::checkpoint_store& used = orders.is_unfenced ? static_cast<weft::checkpoint_store&>(forging) : store;
    weft::durable_engine engine{used, graphs, std::move(options)};
    co_await engine.open();
    co_await engine.work();
}

int answer_clients(weft::postgres_store& store, const process_orders& orders)
{
    boost::asio::io_context io{1};
    weft::serial_loop& loop = weft::serial_loop::of(io);
    weft::server_options options;
    options.runs = brief_lives();
    options.runs.runs_max = 1;  // most runs are executed elsewhere
    options.heartbeat = 1s;
    if (!orders.ledger.empty()) {
        options.runs.performed_max = 0;
        options.auth.authenticate = tenant_of;
    }
    weft::server server{loop, weft::server_stores{store}, {speaking_graph()}, std::move(options)};
    server.listen(weft::listen_address{"127.0.0.1:" + std::to_string(orders.port)});
    weft::async_start(loop, server.run(), [](std::exception_ptr) {});
    io.run();
    return 0;
}

}  // namespace

weft::graph speaking_graph(std::shared_ptr<const weft_tests::ledger> ledger)
{
    const auto say = [ledger](weft::node_context& at) { return speak(at, ledger); };
    weft::graph_builder builder{"speaking"};
    builder.state(said);
    std::string before;
    for (int i = 1; i <= steps_of_a_run; ++i) {
        const std::string name = "s" + std::to_string(i);
        builder.node(name, say);
        if (before.empty()) builder.edge(weft::start, name);
        else builder.edge(before, name);
        before = name;
    }
    return builder.build();
}

int serve(const process_orders& orders)
{
    weft::postgres_options options{orders.connection};
    options.schema = orders.schema;
    options.connections = 1;
    options.may_migrate = false;
    options.request_timeout = 2s;
    options.away_timeout = 50ms;
    const auto store = weft::run_blocking(weft::postgres_store::open(std::move(options)));
    if (orders.port != 0) return answer_clients(*store, orders);
    weft::run_blocking(work(*store, orders));
    return 0;
}

}  // namespace stream_chaos
