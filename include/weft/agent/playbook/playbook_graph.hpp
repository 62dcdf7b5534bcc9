#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/node/watchdog.hpp>
#include <weft/agent/playbook.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** Where a playbook that was ended goes on. */
struct playbook_transfer {
    std::string workflow{};  ///< Empty: nowhere.
    std::string payload{};

    friend bool operator==(const playbook_transfer&, const playbook_transfer&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_transfer, (), (workflow, payload))

extern template struct compiled_value<playbook_transfer>;
extern template struct compiled_key<playbook_transfer>;

/** The keys of a playbook's graph. */
namespace playbook_keys {

inline constexpr state_key<boost::json::value> trigger{"trigger"};  ///< What it is started with.
/** By label: `{"nodeId", "label", "subtype", "result", "threadId", "completedAt"}`, as each node left it last. */
inline constexpr state_key<boost::json::object, merge> outputs{"outputs"};
inline constexpr state_key<boost::json::object, merge> loops{"loops"};  ///< By id: how loops stand.
inline constexpr state_key<std::string> response{"response"};           ///< What it said last.
inline constexpr state_key<playbook_transfer> transfer{"transfer"};
/** Of the agent that runs the playbook, if one does: the model that decides sees it. Only read. */
inline constexpr state_key<weft::conversation> conversation{"talk"};

}  // namespace playbook_keys

/** What the graph of a playbook is made of. */
struct playbook_options {
    playbook_options() {}

    agent_options agent{};  ///< Of agents; its model routes, and its tools are those of `tool-call`.
    watchdog_limits watch{};
    std::shared_ptr<const playbook_library> library{};  ///< For sub-workflows and transfers; null: none.
    std::uint32_t depth_max = 8;                        ///< Of sub-workflows in each other.
    std::uint32_t transfers_max = 10;                   ///< Of one run of `playbook_run_graph`.
    std::uint32_t repairs_max = 2;  ///< How often a model may mend the arguments of a tool call that do not fit.
};

/** Makes a graph of a playbook: each node is a node, each edge an edge, a checkpoint after each node comes with durable
 *  runs.
 *
 *  | subtype | what it does |
 *  |---|---|
 *  | `agent` | an agent graph inside (`subgraph`), under a watchdog; a blocked one gives `[BLOCKED] …` |
 *  | `parallel` and others with several edges | goes on where the branches meet if one succeeds; else it fails |
 *  | `router`, `condition` in words | a model chooses by a JSON schema; it sees what the playbook has brought so far |
 *  | `tool-call` and the like | arguments that do not fit go to a model with what is wrong, which mends them |
 *  | `wait` | until a moment that is written down: a run that is begun again does not begin to wait anew |
 *  | `sub-workflow` | a graph inside; its failure is the node's |
 *  | `transfer` | ends this playbook and those around it; see `playbook_run_graph` |
 *
 *  An agent whose model fails fails its node. What a model or a tool did is an effect (`node_context::once`): a durable
 *  run that is begun again in the middle of an agent's work pays for no reply twice.
 *
 *  @par Errors          `playbook_error` with every mistake, of sub-workflows too: also one that calls itself, and what
 *                       needs a model, tools or a library that is not there.
 *  @par Source          Sulla's workflow playbooks. */
[[nodiscard]] graph playbook_graph(const playbook_definition& of, const playbook_options& options);

/** How a loop stands. */
struct playbook_loop {
    bool is_active = false;
    std::int64_t iterations = 0;
    boost::json::array results{};

    friend bool operator==(const playbook_loop&, const playbook_loop&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_loop, (), (is_active, iterations, results))

/** Why a loop ends; empty: it goes on. A pure function. @param holds   Its condition, asked behind each iteration. */
[[nodiscard]] std::string_view playbook_loop_end(const playbook_loop& loop, std::int64_t max_iterations, bool has_body,
                                                 bool holds) noexcept;

}  // namespace weft
