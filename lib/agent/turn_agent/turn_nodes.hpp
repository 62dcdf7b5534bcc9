#pragma once

#include "agent/conversation/next_entries.hpp"
#include "agent/core/agent_inbox.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** What the nodes of a turn agent share. */
struct turn_definition {
    turn_agent_options options;
    std::vector<std::shared_ptr<chat_model>> paid_models;  ///< Those of the options, at the expense of a run's budget.
    std::shared_ptr<const tool_set> tools;
    list<tool_spec> specs;
    std::optional<tool_runner> runner;  ///< For agents without a mailbox; always there.
    std::string system;  ///< Composed, unless sections are asked for each turn.
};

[[nodiscard]] std::shared_ptr<const turn_definition> make_turn_definition(turn_agent_options options);

// The nodes.
void prepare_turn(const turn_definition& definition, node_context& node);
[[nodiscard]] task<void> call_turn_model(std::shared_ptr<const turn_definition> definition, node_context& node);
void parse_turn(const turn_definition& definition, node_context& node);
[[nodiscard]] task<void> execute_turn(std::shared_ptr<const turn_definition> definition, node_context& node);
void reconcile_turn(const turn_definition& definition, node_context& node);
void finish_turns(const turn_definition& definition, node_context& node);

/** The agent's conversation as the node sees it; an empty one if nothing was said. */
[[nodiscard]] const conversation& said_to(const node_context& node);

/** Adds to the agent's conversation. */
class turn_conversation {
public:
    turn_conversation(const turn_definition& definition, node_context& node);

    struct manner {
        std::string label{};
        bool is_pinned = false;
        bool survives = false;  ///< A stop of the run too.
    };
    void say(message what, message_author author, manner how);
    /** Makes it shorter if it has become too long. */
    void compact();

private:
    [[nodiscard]] provenance by(message_author author) const;

    const turn_agent_options& options_;
    node_context& node_;
    next_entries next_;
};

/** Where the agent finds what people say to it. */
[[nodiscard]] std::string turn_address(const turn_definition& definition, const node_context& node);

/** Emits an object as JSON. `make` gives it, for watchers only: an agent that nothing watches makes none. */
template <class Make>
void emit_object(node_context& node, agent_event_name kind, Make make)
{
    node.emit(kind, [&] { return boost::json::serialize(make()); });
}

/** Spends something of the run's budget. @return Why there is not enough; empty if there is. */
[[nodiscard]] std::string take_from_budget(const node_context& node, const spending& wanted);

/** Counts the time since it was counted last. */
void count_elapsed(turn_record& record, node_context& node);

/** Ends an agent without an answer. */
void end_turns(turn_record& record, agent_outcome outcome, turn_trouble trouble, std::string why);

}  // namespace weft::agent_detail
