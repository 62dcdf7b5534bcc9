#include "chaos_course.hpp"

#include "durable/ledger.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/postgres_store.hpp>

#include <iostream>
#include <memory>

namespace engine_chaos {

namespace {

using namespace std::chrono_literals;
using ledger_ptr = std::shared_ptr<const weft_tests::ledger>;

constexpr weft::state_key<std::int64_t> round_key{"round"};
constexpr weft::state_key<std::int64_t, weft::add> visits{"visits"};

weft::task<void> take_a_while(weft::node_context& at)
{
    co_await weft::sleep_for(std::chrono::milliseconds{5 + at.loop().random().below(40)});
}

weft::task<void> begin_round(weft::node_context& at)
{
    at.set(round_key, at.value_or(round_key, 0) + 1);
    at.set(visits, 1);
    co_await take_a_while(at);
}

weft::task<void> visit(weft::node_context& at)
{
    at.set(visits, 1);
    co_await take_a_while(at);
}

weft::task<void> charge(weft::node_context& at, ledger_ptr notes)
{
    const auto effect = [&at, notes](const weft::effect_context& of) {
        notes->note({"effect", of.key(), of.address()});
        return take_a_while(at);
    };
    co_await at.once("charge", effect);
    at.set(visits, 1);
}

/** Four rounds of a -> (b, charge) -> d in each run; the state goes on from run to run. */
std::shared_ptr<const weft::durable_graphs> graphs_of(const ledger_ptr& notes)
{
    weft::graph_builder builder{graph_name};
    builder.state(round_key, visits);
    builder.node("a", begin_round).node("b", visit).node("d", visit);
    builder.node("charge", [notes](weft::node_context& at) { return charge(at, notes); });
    builder.edge(weft::start, "a").edge("a", "b").edge("a", "charge").edge("b", "d").edge("charge", "d");
    builder.edge_when("d", "a", [](const weft::state_view& at) {
        return at.value_or(round_key, 0) % rounds_of_a_run != 0;
    });
    builder.edge("d", weft::end);
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(builder.build());
    return graphs;
}

weft::task<void> open_and_work(worker_orders orders)
{
    weft::postgres_options options{orders.connection};
    options.schema = orders.schema;
    options.connections = 1;
    options.request_timeout = 2s;
    options.may_migrate = false;
    const std::unique_ptr<weft::postgres_store> store = co_await weft::postgres_store::open(std::move(options));
    const auto notes = std::make_shared<const weft_tests::ledger>(orders.ledger);
    weft::durable_options how;
    how.worker_name = "chaos";
    how.lifetime = worker_lifetime;
    how.heartbeat_every = worker_lifetime / 4;
    how.poll_every = 50ms;
    how.runs_max = 3;
    how.keep_last = 0;
    how.attempts_max = 1'000;
    weft::durable_engine durable{*store, graphs_of(notes), how};
    co_await durable.open();
    co_await durable.work();
}

}  // namespace

int work(const worker_orders& orders)
{
    try {
        weft::run_blocking(open_and_work(orders));
    } catch (const weft::error& e) {
        if (e.code() == weft::errc::store_unavailable) return 2;  // the server is away: the next process tries again
        std::cout << "worker: " << e.what() << '\n';
        return 1;
    }
    std::cout << "a worker has ended by itself\n";
    return 1;
}

}  // namespace engine_chaos
