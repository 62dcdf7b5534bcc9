#pragma once

#include <weft/graph/graph_builder.hpp>

#include <string_view>

namespace weft_tests {

inline constexpr weft::state_key<std::int64_t> value{"value"};
inline constexpr weft::state_key<std::int64_t> other{"other"};
inline constexpr weft::state_key<std::int64_t, weft::add> total{"total"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> words{"words"};

/** A builder with the keys above and a node that does nothing for each letter of `nodes`: "abc". */
inline weft::graph_builder graph_of(std::string_view nodes)
{
    weft::graph_builder builder{"test"};
    builder.state(value, other, total, words);
    for (const char node : nodes) builder.node(std::string(1, node), [] {});
    return builder;
}

/** Adds plain edges: "ab bc" is a -> b, b -> c; '^' is the start, '$' the end. */
inline weft::graph_builder& add_edges(weft::graph_builder& builder, std::string_view edges)
{
    const auto name = [](char c) {
        return c == '^' ? std::string{weft::start} : c == '$' ? std::string{weft::end} : std::string(1, c);
    };
    for (std::size_t i = 0; i + 1 < edges.size(); i += 3) builder.edge(name(edges[i]), name(edges[i + 1]));
    return builder;
}

/** A graph of plain edges only. */
inline weft::graph_builder plain_graph(std::string_view nodes, std::string_view edges)
{
    weft::graph_builder builder = graph_of(nodes);
    add_edges(builder, edges);
    return builder;
}

/** A retry policy without jitter. */
inline weft::node_options tries(int attempts_max, std::chrono::nanoseconds initial = std::chrono::seconds{1})
{
    weft::node_options options;
    options.retry = {.attempts_max = attempts_max, .initial = initial, .jitter = weft::jitter::none};
    return options;
}

}  // namespace weft_tests
