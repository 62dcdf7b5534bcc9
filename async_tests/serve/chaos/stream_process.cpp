#include "stream_course.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <memory>

namespace stream_chaos {

namespace {

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

weft::task<void> speak(weft::node_context& at)
{
    const std::string name{at.node()};
    for (int i = 0; i < pieces_of_a_step; ++i) {
        at.emit("output", name + "." + std::to_string(i) + " ");
        co_await weft::sleep_for(15ms);
    }
    at.set(said, name);
}

weft::durable_options brief_lives()
{
    weft::durable_options options;
    options.lifetime = 1s;
    options.heartbeat_every = 250ms;
    options.poll_every = 200ms;
    options.attempts_max = 1'000'000;
    return options;
}

weft::task<void> work(weft::postgres_store& store)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(speaking_graph());
    weft::durable_options options = brief_lives();
    options.event_log = &store.service().run_events();
    weft::durable_engine engine{store, graphs, std::move(options)};
    co_await engine.open();
    co_await engine.work();
}

int answer_clients(weft::postgres_store& store, std::uint16_t port)
{
    boost::asio::io_context io{1};
    weft::serial_loop& loop = weft::serial_loop::of(io);
    weft::server_options options;
    options.runs = brief_lives();
    options.runs.runs_max = 1;  // most runs are executed elsewhere
    options.heartbeat = 1s;
    weft::server server{loop, weft::server_stores{store}, {speaking_graph()}, std::move(options)};
    server.listen(weft::listen_address{"127.0.0.1:" + std::to_string(port)});
    weft::async_start(loop, server.run(), [](std::exception_ptr) {});
    io.run();
    return 0;
}

}  // namespace

weft::graph speaking_graph()
{
    weft::graph_builder builder{"speaking"};
    builder.state(said);
    std::string before;
    for (int i = 1; i <= steps_of_a_run; ++i) {
        const std::string name = "s" + std::to_string(i);
        builder.node(name, speak);
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
    if (orders.port != 0) return answer_clients(*store, orders.port);
    weft::run_blocking(work(*store));
    return 0;
}

}  // namespace stream_chaos
