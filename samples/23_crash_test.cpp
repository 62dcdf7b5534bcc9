// Sample 23, a crash test of one's own graph: a process that serves an order is killed with SIGKILL just
// before and just after each write of its store, and the next one has to finish. Nothing may be lost, and
// no card charged twice.

#include <weft/weft.hpp>

#include <weft/engine/durable_engine.hpp>
#include <weft/testing/crash_kit.hpp>

#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <iostream>
#include <memory>
#include <string>

inline constexpr weft::state_key<std::string> item{"item"};
inline constexpr weft::state_key<std::string> receipt{"receipt"};
inline constexpr weft::state_key<std::string> parcel{"parcel"};

#ifdef WEFT_HAS_SQLITE

// [crash]
// The graph under test. Its effects tell the ledger of the round when they happen to the world; a real
// one calls a bank there, with the same key.
weft::task<void> charge(weft::node_context& ctx, const weft::testing::crash_round& round)
{
    const auto charging = [&](const weft::effect_context& effect) {
        round.effect(effect);
        return "receipt for " + ctx.get(item);
    };
    const std::string paid = co_await ctx.once("charge", charging);
    ctx.set(receipt, paid);
}

void pack(weft::node_context& ctx) { ctx.set(parcel, ctx.get(item) + " with " + ctx.get(receipt)); }

std::shared_ptr<const weft::durable_graphs> make_graphs(const weft::testing::crash_round& round)
{
    const auto charging = [&round](weft::node_context& ctx) { return charge(ctx, round); };
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"order"}
                    .state(item, receipt, parcel)
                    .node("charge", charging)
                    .node("pack", pack)
                    .edge(weft::start, "charge")
                    .edge("charge", "pack")
                    .build());
    return graphs;
}

// One process: it takes over what an earlier one has left, and asks for the order under the same name.
weft::task<void> serve(const weft::testing::crash_round& round)
{
    const std::string file = (round.folder() / "orders.db").string();
    const auto real = co_await weft::sqlite_store::open(weft::sqlite_options{file});
    weft::testing::crash_store store{*real, round};
    weft::durable_engine durable{store, make_graphs(round)};
    co_await durable.open();
    co_await durable.recover();
    weft::run_request request{"order-1"};
    request.input(item, "a lamp");
    weft::durable_request once{std::move(request)};
    once.idempotent("order-1");
    const weft::run_result result = co_await durable.run(std::move(once));
    round.end_with(result.state.to_json());
}

int main()
{
    const auto process = [](const weft::testing::crash_round& round) { weft::run_blocking(serve(round)); };
    const weft::testing::crash_report report = weft::testing::kill_at_every_write(process);
    std::cout << report.text() << '\n';
    return report.is_clean() ? 0 : 1;
}
// [/crash]

#else

int main() { std::cout << "This sample needs SQLite.\n"; }

#endif
