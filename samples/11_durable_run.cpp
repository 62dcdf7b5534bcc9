// Sample 11, durable runs: a process dies in the middle of a run, and another one goes on from the
// last step. Here both are objects in one program, and the store is in memory.

#include <weft/weft.hpp>

#include <weft/async/scope.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<weft::list<std::string>, weft::append> findings{"findings"};
inline constexpr weft::state_key<std::string> report{"report"};

weft::task<void> search(weft::node_context& ctx)
{
    std::cout << "  " << ctx.node() << " works\n";
    const std::chrono::milliseconds span = ctx.node() == "papers" ? 60ms : 5ms;
    co_await weft::sleep_for(span);
    ctx.set(findings, std::string{ctx.node()} + " on " + ctx.get(topic));
}

void write_report(weft::node_context& ctx)
{
    ctx.set(report, std::to_string(ctx.get(findings).size()) + " findings on " + ctx.get(topic));
}

weft::graph make_graph()
{
    return weft::graph_builder{"research"}
        .state(topic, findings, report)
        .node("web", search)
        .node("papers", search)
        .node("write", write_report)
        .edge(weft::start, "web")
        .edge(weft::start, "papers")
        .edge("web", "write")
        .edge("papers", "write")
        .build();
}

// [run]
// What both processes have: the graphs by name, and the store.
std::shared_ptr<const weft::durable_graphs> make_graphs()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(make_graph());
    return graphs;
}

weft::task<void> first_process(weft::checkpoint_store& store, weft::durable_options options)
{
    weft::durable_engine durable{store, make_graphs(), options};
    co_await durable.open();
    weft::run_request request{"thread-1"};
    request.input(topic, "rain");
    co_await durable.run(std::move(request));
}

// A later process finds the run by itself: the worker that held it gives no sign of life any more.
weft::task<std::string> second_process(weft::checkpoint_store& store, weft::durable_options options)
{
    weft::durable_engine durable{store, make_graphs(), options};
    co_await durable.open();
    std::size_t taken = co_await durable.recover();
    while (taken == 0) {
        co_await weft::sleep_for(20ms);
        taken = co_await durable.recover();
    }
    const weft::thread_key thread{"thread-1"};
    const weft::thread_snapshot last = co_await durable.read(thread);
    co_return last.state().get(report);
}
// [/run]

// A process that is gone without a word: its coroutines are destroyed where they wait.
weft::task<void> die_after(weft::task<void> process, std::chrono::nanoseconds span)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(std::move(process));
    co_await weft::sleep_for(span);
}

weft::task<std::string> both(weft::checkpoint_store& store)
{
    weft::durable_options options;
    options.lifetime = 200ms;
    options.heartbeat_every = 50ms;
    std::cout << "The first process\n";
    weft::task<void> first = first_process(store, options);
    co_await die_after(std::move(first), 30ms);
    std::cout << "The second process\n";
    std::string told = co_await second_process(store, options);
    co_return told;
}

int main()
{
    weft::memory_store store;
    const std::string told = weft::run_blocking(both(store));
    std::cout << told << '\n';
    return told == "2 findings on rain" ? 0 : 1;
}
