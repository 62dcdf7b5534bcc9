// Sample 1, a first graph: two nodes that share state, one after the other.

// [graph]
#include <weft/weft.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

// What a run knows is its state. Each key names one value and fixes its type: a misspelt name or a
// wrong type does not compile. A program declares its keys once, at namespace scope.
inline constexpr weft::state_key<std::string> topic{"topic"}, outline{"outline"}, report{"report"};

// A node is a function on its context. It reads the state and writes to it; its writes count when it
// is done.
void plan(weft::node_context& ctx)
{
    ctx.set(outline, "1. What is " + ctx.get(topic) + "? 2. Why does it matter?");
}

// A node that waits for something is a coroutine. Here a timer stands in for a model; thousands of
// runs can wait on one OS thread, because a coroutine that waits holds none.
weft::task<void> write_report(weft::node_context& ctx)
{
    co_await weft::sleep_for(5ms);
    ctx.set(report, "A report after this outline: " + ctx.get(outline));
}

// The edges say what comes after what. `build` checks everything and throws one error that lists
// every mistake.
weft::graph make_graph()
{
    return weft::graph_builder{"first"}
        .state(topic, outline, report)
        .node("plan", plan)
        .node("write", write_report)
        .chain({weft::start, "plan", "write", weft::end})
        .build();
}
// [/graph]

// [run]
int main()
{
    const weft::run_result result = weft::run_blocking(make_graph(), {topic, "rain"});

    // A node that fails is no exception here but a status, with a message that names the node.
    // `result.throw_if_failed()` makes it one.
    if (!result.ok()) return std::cerr << result.message() << '\n', 1;
    std::cout << result.get(report) << '\n';
}
// [/run]
