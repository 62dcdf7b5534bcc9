#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/playbook.hpp>
#include <weft/agent/watchdog.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where a playbook that was ended goes on. */
struct playbook_transfer {
    std::string workflow{};  ///< Empty: nowhere.
    std::string payload{};

    friend bool operator==(const playbook_transfer&, const playbook_transfer&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_transfer, (), (workflow, payload))

/** The keys of a playbook's graph. */
namespace playbook_keys {

inline constexpr state_key<boost::json::value> trigger{"trigger"};  ///< What it is started with.
/** By label: `{"nodeId", "label", "subtype", "result", "threadId", "completedAt"}`, as each node left it last. */
inline constexpr state_key<boost::json::object, merge> outputs{"outputs"};
inline constexpr state_key<boost::json::object, merge> loops{"loops"};  ///< By id: how loops stand.
inline constexpr state_key<std::string> response{"response"};           ///< What it said last.
inline constexpr state_key<playbook_transfer> transfer{"transfer"};

}  // namespace playbook_keys

/** What the graph of a playbook is made of. */
struct playbook_options {
    playbook_options() {}

    agent_options agent{};  ///< Of agents; its model routes, and its tools are those of `tool-call`.
    watchdog_limits watch{};
    std::shared_ptr<const playbook_library> library{};  ///< For sub-workflows and transfers; null: none.
    std::uint32_t depth_max = 8;                        ///< Of sub-workflows in each other.
    std::uint32_t transfers_max = 10;                   ///< Of one `run_playbook`.
};

/** Makes a graph of a playbook: each node is a node, each edge an edge, a checkpoint after each node comes with durable
 *  runs.
 *
 *  | subtype | what it does |
 *  |---|---|
 *  | `agent` | a run of an agent graph of its own, under a watchdog; a blocked one gives `[BLOCKED] …`, one whose model
 *     fails fails the node |
 *  | `parallel`, or any node with several edges | goes on behind where the branches meet if one of them succeeds; else the
 *     playbook fails |
 *  | `sub-workflow` | a graph inside (`subgraph`); its failure is the node's |
 *  | `transfer` | ends this playbook and those around it; `run_playbook` goes on |
 *
 *  What an agent or a tool did is an effect (`node_context::once`): it is not done again when its node is begun again.
 *  A node that waits for the clock waits anew then.
 *
 *  @par Errors          `playbook_error` with every mistake, of sub-workflows too: also one that calls itself, and what
 *                       needs a model, tools or a library that is not there.
 *  @par Source          Sulla's workflow playbooks. */
[[nodiscard]] graph playbook_graph(const playbook_definition& of, const playbook_options& options);

/** What becomes of a playbook, with those that it transferred to. */
struct playbook_result {
    playbook_result() {}

    run_result last{};
    std::vector<std::string> workflows{};  ///< In the order in which they ran.
};

/** Runs a playbook of the library, and those that it transfers to, one after the other.
 *
 *  @par Errors   Those of `playbook_graph`; `errc::unknown_node` if there is no playbook of a name;
 *                `errc::limit_reached` after `transfers_max` transfers.
 *  @par Cancellation    Stops what is at work and waits for it. */
[[nodiscard]] task<playbook_result> run_playbook(std::string name, boost::json::value payload,
                                                 playbook_options options, std::string thread);

/** Something that happened in a playbook, in the words of playbooks. */
struct playbook_event {
    std::string_view name{};  ///< `workflow_started`, `node_completed`, …
    std::string node{};
    std::string text{};
};
/** @return   Nothing for events that playbooks have no word for. */
[[nodiscard]] std::optional<playbook_event> playbook_event_of(const run_event& event);

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
