#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class node_context;

/** Which part of the memory of a run the nodes of a graph use, and how much goes in.
 *
 *      weft::graph_builder{"assistant"}.memory({.scope = {"users", "{user}"}}) …
 *
 *  The names of `scope` lead to a namespace below that of `run_options::memory`. A name is taken as it is; `{key}` is
 *  the value of a state key, a text that is not empty or an integer, as it is when the node begins; `{__thread__}` is
 *  the run's thread. A key without value fails the node that uses memory: it never sees the namespace of others.
 *
 *  A graph inside a node uses the memory of that node; what it says itself is below that. */
struct graph_memory {
    static constexpr std::string_view thread_name = "__thread__";

    std::vector<std::string> scope = {};
    std::size_t items_max = 1'000;            ///< With those of namespaces below; more are refused. 0: no limit.
    std::size_t value_bytes_max = 16 * 1024;  ///< Of one value as JSON. 0: as the store says.
    std::optional<std::chrono::milliseconds> keep_for = {};  ///< Of a value that is given no time; nothing: for ever.
};

/** What is wrong with it in a graph that has these keys, a sentence each, with the place in `scope` in front. */
struct graph_memory_mistake {
    std::size_t name = 0;  ///< Of `scope`.
    std::string text;
};
[[nodiscard]] std::vector<graph_memory_mistake> mistakes_of(const graph_memory& what, const state_layout& keys);

/** The names of the namespace for a node, the outermost first.
 *  @par Errors  As `node_context::memory`. */
[[nodiscard]] std::vector<std::string> scope_of(const graph_memory& what, const node_context& node);

}  // namespace weft
