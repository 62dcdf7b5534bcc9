// Sample 3, parallel branches: several edges from one node fan out, the branches meet again, and
// their writes with them.

#include <weft/weft.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

// [keys]
// A key with a reducer takes updates from any number of branches: `append` adds an element, `add`
// sums up.
inline constexpr weft::state_key<weft::list<std::string>, weft::append> findings{"findings"};
inline constexpr weft::state_key<std::int64_t, weft::add> cost{"cost"};
// A key without one holds a single value. When two branches write it, a conflict strategy says which value counts.
inline constexpr weft::state_key<std::string> headline{"headline"};
// [/keys]

// All branches run this. Each sees the state as it was at the fan-out, and none sees what its
// siblings write.
weft::task<void> research(weft::node_context& ctx, std::chrono::milliseconds delay)
{
    co_await weft::sleep_for(delay);
    const std::string name{ctx.node()};
    ctx.set(findings, "what " + name + " found");
    ctx.set(cost, 10);
    ctx.set(headline, "by " + name);
}

// [join]
// Runs once, when every branch has ended, on the merged state. `branches()` tells how each of them
// ended.
void write_report(weft::node_context& ctx)
{
    for (const weft::branch_result& branch : ctx.branches())
        if (branch.error)
            std::cout << "  without " << branch.node << ": " << branch.error->message << '\n';
    for (const std::string& found : ctx.get(findings)) std::cout << "  " << found << '\n';
    std::cout << "  headline " << ctx.get(headline) << ", cost " << ctx.get(cost) << '\n';
}
// [/join]

void fail(weft::node_context&) { throw std::runtime_error{"the archive is closed on Sundays"}; }

// [fan_out]
weft::graph make_graph(weft::conflict_strategy strategy)
{
    // A coroutine with parameters of its own becomes a node through a lambda that only calls it.
    // The coroutine's frame keeps its own copies; a lambda that is itself a coroutine and captures
    // would be a trap.
    const auto taking = [](std::chrono::milliseconds delay) {
        return [delay](weft::node_context& ctx) { return research(ctx, delay); };
    };
    return weft::graph_builder{"parallel"}
        .state(findings, cost, headline)
        .node("plan", [] {})
        .node("web", taking(20ms))
        .node("papers", taking(5ms))
        .node("archive", fail)
        .node("write", write_report)
        .edge(weft::start, "plan")
        .edge("plan", "web")  // three plain edges from one node: three branches
        .edge("plan", "papers")
        .edge("plan", "archive")
        .edge("web", "write")  // the first node that all of them reach: here they meet
        .edge("papers", "write")
        .edge("archive", "write")
        .edge("write", weft::end)
        // By default one failed branch stops its siblings and fails the run. Here the others go on
        // without it.
        .fan_out("plan", {.on_failure = weft::branch_policy::continue_others, .conflict = strategy})
        .build();
}
// [/fan_out]

bool run(const char* what, weft::conflict_strategy strategy, const std::string& expected)
{
    std::cout << what << '\n';
    const weft::graph graph = make_graph(strategy);
    const weft::run_result result = weft::run_blocking(graph);
    // `degraded`: it finished, and something on the way went wrong.
    std::cout << "  " << result.message() << ", quality " << name_of(result.quality) << '\n';
    return result.get(headline) == expected;
}

int main()
{
    using enum weft::conflict_strategy;
    bool is_fine = run("last_wins, the default: the branch that finishes last", last_wins, "by web");
    is_fine &= run("first_wins: the branch that finishes first", first_wins, "by papers");
    is_fine &= run("branch_order: the last in the order of the edges, whatever the timing",
                   branch_order, "by papers");
    is_fine &= run("error: the branch that finishes later fails", error, "by papers");
    return is_fine ? 0 : 1;
}
