#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/json_schema.hpp>
#include <weft/graph/edge/edge.hpp>
#include <weft/graph/node/node_cache.hpp>
#include <weft/graph/state_key.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class node_context;

/** Names of keys, for `node_options::reads` and `writes`: `weft::keys(topic, report)`. */
template <class... Keys>
[[nodiscard]] std::vector<std::string> keys(const Keys&... keys)
{
    return {std::string{keys.name()}...};
}

/** What is checked when a node has succeeded; a node that does not pass has failed, and is tried again as usual. */
struct output_check {
    bool required = false;                   ///< Each key of `node_options::writes` has a value that is not blank.
    std::vector<std::string> nullable = {};  ///< Keys that need none.
    std::size_t text_max = 50'000;           ///< Characters of a text that is required.
    /** Gives what is wrong with the outputs, or nothing. */
    std::function<std::string(const node_context&)> passes = {};
    /** By key: what its value, as JSON, must be if it has one. All mistakes are reported, so that the next attempt,
     *  or a model, can mend them. */
    std::map<std::string, json_schema> schemas = {};
};

/** Where a run pauses by itself, once for each visit: a person looks, changes values, and it is resumed. */
enum class pause_point : std::uint8_t {
    never,
    before,  ///< When its branch has come to the node.
    after,   ///< When the node has succeeded and its edges are chosen; at the end of the run too.
    both,
};

/** How a node runs. */
struct node_options {
    retry_policy retry = {.attempts_max = 1};    ///< A node is tried once unless it says otherwise.
    std::chrono::nanoseconds timeout{0};         ///< For one attempt; 0: the run's `node_timeout`.
    /** For one attempt without progress; 0: none. What the node emits is progress, tokens of models included, and in
     *  a graph within the node each node that begins. The time in which it waits for a person does not count. A plain
     *  node has none: it holds its loop. */
    std::chrono::nanoseconds idle_max{0};
    std::uint32_t visits_max = 0;                ///< More visits in a run skip the node; 0: unlimited.
    std::vector<std::string> goes_to = {};       ///< Nodes that its commands may name beside its edges.
    std::optional<std::vector<std::string>> reads = {};   ///< Keys it may read beside those it writes; not given: all.
    std::optional<std::vector<std::string>> writes = {};  ///< Keys it may write; not given: all.
    output_check outputs = {};                   ///< What must hold of its writes.
    std::vector<std::string> clears = {};        ///< Keys that lose their value when the node is visited again.
    std::optional<weft::routing> routing = {};   ///< Instead of the graph's.
    pause_point pauses = pause_point::never;     ///< Then no further node starts; see `run_result::paused_at`.
    bool is_deferred = false;                    ///< Runs once, when the run would end otherwise.
    bool gives_feedback = false;                 ///< On a further visit `node_context::revision` has the last outputs.
    bool is_isolated = false;                    ///< Has no part in the conversation of the graph.
    bool faces_client = false;                   ///< Speaks with a person; only one branch of a fan-out should.
    std::optional<node_cache_policy> cache = {}; ///< Its result is kept by what it reads; see there.
    std::string description = {};                ///< For people, drawings and models that choose among nodes.
};

/** Options that a description and the graphs that are built of it share. */
[[nodiscard]] std::shared_ptr<const node_options> share_options(node_options options);
/** The options of all nodes that are given none. */
[[nodiscard]] const std::shared_ptr<const node_options>& node_options_by_default();

}  // namespace weft
