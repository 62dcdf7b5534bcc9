#pragma once

#include <weft/async/group/single_flight_limits.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class node_context;
template <class Value>
class single_flight_cache;

/** What a node wrote, as a cache keeps it: values that are shared and never change. */
struct cached_node_result {
    struct write {
        std::string key;
        bool is_overwrite = false;
        bool is_published = false;
        value_ptr value;
    };
    std::vector<write> writes;
};

/** Where results of nodes are kept beyond a process, for several processes to share.
 *
 *  `node_results_in` in `weft/store/node_results.hpp` makes one of an item store.
 *
 *  @par Errors          What it throws is no failure of the node: the result counts as not there, and a `warning` of
 *                       the node says why.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out. */
class node_result_store {
public:
    virtual ~node_result_store() = default;

    /** @return  Nothing if there is none or its time is up. */
    [[nodiscard]] virtual task<std::optional<boost::json::value>> load(std::string key) = 0;
    /** @param keep_for   Nothing: for ever. */
    [[nodiscard]] virtual task<void> save(std::string key, boost::json::value result,
                                          std::optional<std::chrono::milliseconds> keep_for) = 0;
};

/** What a cache of nodes keeps. */
struct node_cache_options {
    single_flight_limits limits = {};  ///< Of what is kept in the memory of the process.
    std::shared_ptr<node_result_store> store = {};  ///< Asked for what is not in memory; null: nothing else is kept.
};

/** Results of nodes by what they read. Copies share everything.
 *
 *  Equal calls at the same time are made once: the others wait and share what becomes of it, also a failure. If the one
 *  that computes is stopped, another one does it. A store that processes share does not prevent that each of them
 *  computes a result once.
 *
 *  @par Thread safety   From any OS thread, all on one clock. */
class node_cache {
public:
    explicit node_cache(node_cache_options options = {});

    [[nodiscard]] single_flight_counts counts() const;

    // For the graph.
    using results = single_flight_cache<cached_node_result>;
    [[nodiscard]] const results& in_memory() const noexcept { return *results_; }
    /** Null if it has none. */
    [[nodiscard]] const std::shared_ptr<node_result_store>& store() const noexcept { return store_; }

private:
    std::shared_ptr<const results> results_;
    std::shared_ptr<node_result_store> store_;
};

/** Keeps the result of a node, so that a further visit which reads the same gets it without the node's work: in this
 *  run or another one, and with a store in other processes.
 *
 *      weft::node_options{.reads = weft::keys(topic), .writes = weft::keys(report),
 *                         .cache = weft::node_cache_policy{.keep_for = 1h}}
 *
 *  What is the same: the graph's name, the node's name, `version`, and the keys that the node may read, those that it
 *  writes too; a node that declares nothing is computed again when anything in the state has changed. `keys` or `key`
 *  says it more closely.
 *
 *  A result is kept if the node succeeded at once or after a retry, and did nothing but write: not if it asked a
 *  person, had an effect (`node_context::once`), used memory, stopped a sibling, or answered with a command that goes
 *  elsewhere. Whatever else a node does outside happens only when it works. An attempt after a failed one does not
 *  look for a result, and replaces the one that is kept.
 *
 *  A node emits `cached` when it was given a result: `hit`, `store` (another process or run kept it) or `shared` (an
 *  equal call was under way); `not kept: …` says why a result was not.
 *
 *  A node whose work is a graph, one that faces a client and one that gets feedback cannot be cached: `build` says
 *  so. */
struct node_cache_policy {
    std::chrono::milliseconds keep_for{0};  ///< Time to live; 0: as long as there is room.
    std::string version = {};               ///< Change it when the work changes, so that older results count no more.
    std::optional<std::vector<std::string>> keys = {};  ///< Instead of those that the node may read and write.
    /** Instead of keys: what makes two visits the same. It reads the state; what it throws fails the node. */
    std::function<std::string(const node_context&)> key = {};
    std::optional<node_cache> where = {};   ///< Nothing: a cache in memory that the nodes of the graph share.
};

/** The label of what a node emits that was given a result. */
inline constexpr std::string_view cached_label = "cached";

}  // namespace weft
