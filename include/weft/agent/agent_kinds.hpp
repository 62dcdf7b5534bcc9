#pragma once

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/human_node.hpp>
#include <weft/agent/remote/http_node_options.hpp>
#include <weft/agent/memory/semantic_items.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/agent/node/agent_hooks.hpp>
#include <weft/agent/node/human.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/graph/build/agent_kind_names.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/call/tool_kind.hpp>

#include <memory>

namespace weft {

/** The kind `llm` of graph files: nodes that ask a model once for each attempt, with `llm_settings`. What the answer
 *  gives values to stands in the node's `writes`.
 *
 *  Its nodes do not retry by themselves: an attempt is one call, so that the node's `retry` says what a failed call or
 *  a useless answer leads to, as for the one-shot nodes of Hive.
 *
 *  @param model   Null for dry runs; see `llm_node`.
 *  @param tools   What the models may call if the file names it; null: nothing. */
[[nodiscard]] node_kind llm_kind(std::shared_ptr<chat_model> model, std::shared_ptr<const tool_set> tools = nullptr);

/** The kind `human` of graph files: nodes that ask a person, with `human_settings`. What the answer is for stands in
 *  the node's `writes`, one key. They face the client.
 *
 *  Its nodes ask again by themselves when an answer does not fit, so they have one attempt for each visit.
 *
 *  @param whom   Outlives the runs of the graphs. */
[[nodiscard]] node_kind human_kind(human& whom);
/** The same with a share in the person; null: the nodes ask by `node_context::interrupt`, and the answers to the
 *  run's questions are theirs. */
[[nodiscard]] node_kind human_kind(std::shared_ptr<human> whom);

/** What nodes that talk need of the program. */
struct agent_surroundings {
    std::shared_ptr<chat_model> model = {};  ///< Null: replies are scripted or made up.
    /** False: the replies of the model do not say what they cost, so that a file that limits the cost of an agent is a
     *  mistake. */
    bool knows_prices = true;
    weft::human* human = nullptr;           ///< Outlives the runs. Null: nodes that ask a person fail and say so.
    bool asks_by_interrupt = false;          ///< Without a person: they ask the run's questions.
    std::shared_ptr<const tool_set> tools = {};  ///< What files can name as tools; null: nothing.
    tool_runner_options tool_options = {};  ///< Policy and hooks of the kinds that call tools, limits of `tool`.
    std::shared_ptr<const semantic_items> documents = {};  ///< What the kind `retrieve` searches; null: it fails.
    http_node_options http = http_node_options{};          ///< What the kind `http` may call.
    turn_agent_options turns = {};          ///< What else agents of the kind `turn_agent` begin with; tools as above.
    agent_hooks hooks = {};                 ///< Around all calls of the kinds `react`, `team` and `supervisor`.
    /** What happens around agents of the kinds `agent`, `heartbeat`, `playbook`, `event_loop` and `turn_agent`; null:
     *  nothing. */
    std::shared_ptr<const live_surroundings> live = {};
    event_loop_options loops = {};  ///< Of the kind `event_loop`: judge, mailbox, spill store, hook; see there.
};

/** Adds the kinds of `agent_kind_names`, and the types of keys `messages`, `conversation` and `hand_offs`. */
node_registry& add_agent_kinds(node_registry& registry, const agent_surroundings& around);

}  // namespace weft
