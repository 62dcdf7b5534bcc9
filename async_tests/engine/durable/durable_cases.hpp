#pragma once

#include "engine/nodes.hpp"

#include <weft/engine/durable_engine.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/store/memory_store.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** How often nodes have begun, across processes: what a store cannot know. */
struct begun_nodes {
    std::map<std::string, int> times;
};

/** A node that takes `span`, counts that it began, adds 1 to `total` and its name to `words`. */
inline weft::task<void> counted_node(weft::node_context& context, std::shared_ptr<begun_nodes> begun,
                                     std::chrono::nanoseconds span)
{
    ++begun->times[std::string{context.node()}];
    if (span.count() > 0) co_await weft::sleep_for(span);
    context.set(total, 1);
    context.set(words, std::string{context.node()});
}
[[nodiscard]] inline auto counts(std::shared_ptr<begun_nodes> begun, std::chrono::nanoseconds span)
{
    return [begun, span](weft::node_context& context) { return counted_node(context, begun, span); };
}

inline constexpr weft::state_key<std::vector<std::string>, weft::append> inner_words{"inner_words"};

/** The same within a graph in a node: its name goes to a key that only this graph writes. */
inline weft::task<void> counted_inner_node(weft::node_context& context, std::shared_ptr<begun_nodes> begun,
                                           std::chrono::nanoseconds span)
{
    ++begun->times[std::string{context.node()}];
    if (span.count() > 0) co_await weft::sleep_for(span);
    context.set(inner_words, std::string{context.node()});
}
[[nodiscard]] inline auto counts_inside(std::shared_ptr<begun_nodes> begun, std::chrono::nanoseconds span)
{
    return [begun, span](weft::node_context& context) { return counted_inner_node(context, begun, span); };
}

/** a -> b -> c, each of 10 ms. */
[[nodiscard]] inline weft::graph counted_chain(std::shared_ptr<begun_nodes> begun, weft::node_options of_b = {})
{
    weft::graph_builder builder{"chain"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, 10ms)).node("b", counts(begun, 10ms), std::move(of_b));
    builder.node("c", counts(begun, 10ms));
    return builder.edge(weft::start, "a").edge("a", "b").edge("b", "c").build();
}

/** Fan-outs within each other, a graph in a node, and a loop that goes round three times. */
[[nodiscard]] inline weft::graph counted_maze(std::shared_ptr<begun_nodes> begun)
{
    weft::graph_builder inner{"inner"};
    inner.state(inner_words);
    inner.node("p", counts_inside(begun, 5ms)).node("q", counts_inside(begun, 9ms));
    inner.node("r", counts_inside(begun, 4ms)).node("o", counts_inside(begun, 0ms));
    inner.edge(weft::start, "o").edge("o", "p").edge("o", "q").edge("p", "r").edge("q", "r");
    weft::graph_builder builder{"maze"};
    builder.state(value, other, total, words, inner_words);
    builder.node("s", counts(begun, 3ms)).node("x", counts(begun, 7ms)).node("y", counts(begun, 2ms));
    builder.node("y1", counts(begun, 8ms)).node("y2", counts(begun, 1ms)).node("z", counts(begun, 0ms));
    builder.node("inner", weft::subgraph{inner.build()}).node("j", counts(begun, 2ms));
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("s", "inner");
    builder.edge("y", "y1").edge("y", "y2").edge("y1", "z").edge("y2", "z");
    builder.edge("x", "j").edge("z", "j").edge("inner", "j");
    // Each round adds 7 to `total`, and four nodes run within the graph of a node.
    builder.edge_when("j", "s", [](const weft::state_view& state) { return state.value_or(total, 0) < 21; });
    return builder.edge("j", weft::end).build();
}

[[nodiscard]] inline std::shared_ptr<const weft::durable_graphs> graphs_of(weft::graph what,
                                                                            weft::run_options options = {})
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(std::move(what), std::move(options));
    return graphs;
}

[[nodiscard]] inline std::vector<std::string> sorted_words(const weft::state& state)
{
    const auto* found = state.find(words);
    std::vector<std::string> all = found ? *found : std::vector<std::string>{};
    if (state.layout().find(inner_words.name()) != weft::state_layout::none)
        for (const std::string& word : state.get(inner_words)) all.push_back(word);
    std::sort(all.begin(), all.end());
    return all;
}

/** A request for a thread. */
[[nodiscard]] inline weft::durable_request in_thread(std::string thread)
{
    return weft::durable_request{std::move(thread)};
}

/** The kinds of a thread's checkpoints, oldest first. */
[[nodiscard]] inline weft::task<std::vector<std::string>> kinds_of(weft::durable_engine& durable, std::string thread)
{
    const weft::thread_key key{std::move(thread)};
    const weft::history_page page{.count_max = 1000};
    weft::task<std::vector<weft::checkpoint_info>> reading = durable.history(key, page);
    const std::vector<weft::checkpoint_info> infos = co_await std::move(reading);
    std::vector<std::string> kinds;
    for (auto it = infos.rbegin(); it != infos.rend(); ++it)
        kinds.push_back(std::string{name_of(it->kind)} + (it->node.empty() ? "" : " " + it->node));
    co_return kinds;
}

/** A memory store whose secrets are the same in each run. */
[[nodiscard]] inline weft::hash_key test_key() { return weft::hash_key{}; }

}  // namespace weft_tests
