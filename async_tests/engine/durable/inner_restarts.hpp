#pragma once

#include "durable_cases.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <coroutine>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** What nodes have done, in all runs, and what is wrong with the world. */
struct trouble {
    std::map<std::string, int> begun;
    std::map<std::string, int> done;
    std::set<std::string> failing;  ///< Nodes that fail at their end.
    std::set<std::string> deaf;     ///< Nodes that never end and hear no stop.

    void clear()
    {
        failing.clear();
        deaf.clear();
    }
    /** Nodes that have completed more than once, or not at all. */
    [[nodiscard]] std::string not_once(const std::vector<std::string>& nodes) const
    {
        std::string names;
        for (const std::string& node : nodes)
            if (const auto found = done.find(node); found == done.end() || found->second != 1) names += node + " ";
        return names;
    }
};

/** A node that takes `span`, then adds 1 to `total` and its name to `words`. */
inline weft::task<void> troubled_node(weft::node_context& context, std::shared_ptr<trouble> at,
                                      std::chrono::nanoseconds span)
{
    const std::string name{context.node()};
    ++at->begun[name];
    if (at->deaf.contains(name)) {
        constexpr std::suspend_always for_ever;
        co_await for_ever;
    }
    co_await weft::sleep_for(span);
    if (at->failing.contains(name)) throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
    ++at->done[name];
    context.set(total, 1);
    context.set(words, name);
}
[[nodiscard]] inline auto troubled(std::shared_ptr<trouble> at, std::chrono::nanoseconds span = 10ms)
{
    return [at, span](weft::node_context& context) { return troubled_node(context, at, span); };
}

/** Such nodes in a row. */
[[nodiscard]] inline weft::graph troubled_chain(const std::vector<std::string>& nodes, std::shared_ptr<trouble> at,
                                                std::chrono::nanoseconds span = 10ms)
{
    weft::graph_builder builder = empty_graph("chain");
    std::string before{weft::start};
    for (const std::string& node : nodes) {
        builder.node(node, troubled(at, span)).edge(before, node);
        before = node;
    }
    return builder.build();
}

/** A graph in a node beside others: what it leaves in `total` and `words` is added to what the others leave. */
[[nodiscard]] inline weft::subgraph added(weft::graph inner)
{
    const auto add_up = [](const weft::state& left, weft::node_context& outer) {
        outer.set(total, left.get(total));
        std::string all;
        for (const std::string& word : left.get(words)) all += word + ",";
        outer.set(words, all);
        return weft::command::next();
    };
    return weft::subgraph{.graph = std::move(inner), .shares_keys = false, .take_outputs = add_up};
}

/** `a`, the graph in a node, `z`; `depth` times around each other. */
[[nodiscard]] inline weft::graph around(weft::graph inner, std::shared_ptr<trouble> at, int depth = 1,
                                        weft::node_options how = {})
{
    for (int level = depth; level > 0; --level) {
        const std::string number = depth == 1 ? "" : std::to_string(level);
        inner = empty_graph("around" + number)
                    .node("a" + number, troubled(at, 5ms))
                    .node("in" + number, weft::subgraph{std::move(inner)}, how)
                    .node("z" + number, troubled(at, 5ms))
                    .edge(weft::start, "a" + number).edge("a" + number, "in" + number)
                    .edge("in" + number, "z" + number)
                    .build();
    }
    return inner;
}

}  // namespace weft_tests
