#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/tool/tool_runner.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** What all runs of an agent graph share; never changed. */
struct agent_definition {
    agent_options options;
    std::shared_ptr<chat_model> model;          ///< That keeps within the budget of a run.
    std::shared_ptr<chat_model> summary_model;
    std::optional<tool_runner> runner;          ///< None without tools.
    list<tool_spec> tools;
    tokens tools_estimate{};                    ///< What the tools take of each request.
    std::string prompt;                         ///< Empty if it tells the time.
    bool runs_workflows = false;                ///< The graph has a way out `workflow` for `agent_keys::workflows`.

    /** The view options of a request, but for what the system says. */
    [[nodiscard]] view_options view_for(const token_estimator& estimator) const;
};

/** What an agent is told before its conversation. @param minute   Of the time of day, if it is told. */
[[nodiscard]] std::string agent_prompt_text(const agent_prompt& from,
                                            std::optional<std::chrono::sys_seconds> minute = std::nullopt);

/** Whose work an entry of the conversation is. */
[[nodiscard]] provenance provenance_at(const node_context& node, message_author author);

inline constexpr std::uint32_t agent_visits_max = 40;  ///< In a row.

/** Adds the nodes `input_handler` and `agent`, from the start to the end, and the keys of an agent graph.
 *  @param ways   Out of `agent`, beside those of its own.
 *  @par Errors   As `agent_graph`. */
void add_agent_nodes(graph_builder& builder, agent_options options, std::vector<labelled_target> ways = {});

/** The node `input_handler` of an agent graph. */
void handle_input(const agent_definition& agent, node_context& node);
/** The node `agent`. Its labels are `again`, `end`, and, if it runs workflows, `workflow`. */
[[nodiscard]] task<command> work_as_agent(std::shared_ptr<const agent_definition> agent, node_context& node);

}  // namespace agent_detail
}  // namespace weft
