#pragma once

#include <weft/agent/conversation/compaction.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/core/agent_mailbox.hpp>
#include <weft/agent/core/agent_settings.hpp>
#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/guard/guardrail.hpp>
#include <weft/agent/prompt/prompt_sections.hpp>
#include <weft/agent/turn_agent/turn_cascade.hpp>
#include <weft/agent/turn_agent/turn_rules.hpp>
#include <weft/agent/turn_agent/turn_state.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How Ivy's agent carries out tool calls: one after the other, and 4,000 characters of a result. */
[[nodiscard]] tool_runner_options turn_tool_options();

/** An agent that takes turns. What stands here are Ivy's defaults. */
struct turn_agent_options {
    std::string name = "agent";                             ///< Of its graph, and in its events.
    std::vector<std::shared_ptr<chat_model>> models = {};   ///< The most capable first; the next ones stand in for it.
    tool_set tools = {};

    /** @name The prompt of the system: sections that are composed, see `compose` */
    ///@{
    std::vector<prompt_section> sections = {};
    /** Further sections, asked before each call of a model. */
    std::function<std::vector<prompt_section>(const node_context&)> turn_sections = {};
    prompt_options prompt = {};
    /** What happens around it while it works, told with each request; null: nothing. */
    std::shared_ptr<const live_surroundings> live = {};
    ///@}

    bool requires_cost = false;           ///< A reply that does not say what it cost ends the agent.
    turn_budget budget = {};              ///< See also `budget_from_environment`.
    std::uint32_t reminders_max = 3;      ///< Empty replies in a row; one more and it has failed.
    cascade_rules cascade = {};           ///< What models that fail lead to.
    tool_runner_options calls = turn_tool_options();  ///< Policy, confirmation, hooks, limits.
    /** What looks at what people and the task say, and at each reply; null: nothing. Trips end the agent. */
    std::shared_ptr<const guardrails> guards = {};
    view_options view = {};               ///< What of the conversation a model sees. Its lane is that of the agent.
    /** The task stays in every request, also when later messages of people and warnings push others out. Turn it off
     *  for threads with very many runs. */
    bool pins_task = true;
    /** When older messages are shortened and left out for good, before each call of a model; not given: never, and
     *  what has no room in the view is not seen. */
    std::optional<compaction_rules> compaction = {};
    sampling_settings sampling = {};      ///< How the models are asked.

    std::shared_ptr<agent_mailbox> mailbox = {};  ///< Null: it is not steered.
    std::string address = {};             ///< In the mailbox: `<thread>/<address>`; empty: `<thread>`. Agents that work
                                          ///< at the same time in one run need different ones.
    std::vector<any_state_key> keys = {};  ///< Further keys of its graph, for tools that read and write state.
};

/** What became of an agent. */
struct turn_agent_result {
    agent_outcome outcome = agent_outcome::none;  ///< `none`: it is paused.
    turn_trouble trouble = turn_trouble::none;  ///< If it failed or was aborted.
    std::string answer{};     ///< If it answered.
    std::string why{};        ///< If it failed or was aborted.
    std::string hand_over{};  ///< The node that a tool handed over to, if one did.
    turn_counters spent{};
    weft::conversation conversation{};
    run_result run{};
};

/** An agent as a graph: prepare → llmCall → parse → execute → reconcile, and back to prepare or on to finish.
 *
 *      weft::turn_agent agent{{.models = {capable, balanced}, .tools = tools}};
 *      weft::turn_agent_result result = co_await agent.run(agent.request("Why does it rain?"));
 *
 *  Each node is a step of a run, so that a durable run goes on at the turn that it was at. What the nodes do:
 *
 *  - *prepare* takes the messages of the mailbox, oldest first; warns of budgets at 70 and 90 percent; ends the agent
 *    if a budget is used up or it was asked to stop.
 *  - *llmCall* asks a model, as `cascade_rules` say. The whole of it is one effect, `reply`.
 *  - *parse* finds calls in the text of a model that writes them there; drops calls with an id that was there.
 *  - *execute* carries the calls out; each gets one result. When a message comes meanwhile, the rest is skipped. The
 *    reply and the results join the conversation together.
 *  - *reconcile* decides by `turn_memory::reconcile`.
 *  - *finish* says how it ended. A node that fails leads here too.
 *
 *  It emits `agent_start`, then for each turn `turn_start`, `message_delta` for the text as it comes (`retract`: what
 *  came is void), `message_end`, `tool_start` and `tool_end` for each call that is made, `turn_end`; at last `error` if
 *  it failed, and `agent_end`, once. `usage` says what a call of a model took. All but `message_delta`, `retract`
 *  and `warning` are JSON objects.
 *
 *  A budget is compared between turns, so that a turn may go beyond it. A run's own budget (`run_options::budget`)
 *  counts too; when it is used up the agent is `aborted`. `agent_mailbox::abort` ends an agent in order; stopping its
 *  run stops it where it is, without `agent_end`, and what tools have done by then is kept.
 *
 *  Its state are the keys of `turn_keys`.
 *
 *  @par Errors          From the constructor: `errc::invalid_configuration` without a model; `graph_error` for keys
 *                       that contradict its own. None in a run: they are outcomes.
 *  @par Thread safety   Const: from any OS thread, for any number of runs, if models, tools and functions bear that.
 *  @par Lifetimes       Graphs and runs share in what they need; it may go before them.
 *  @par Example         samples/13_turn_agent.cpp [agent]
 *  @par Source          Ivy's turn graph (nucleic.se, "The turn graph routes").
 */
class turn_agent {
public:
    explicit turn_agent(turn_agent_options options);

    /** The graph, for an engine, a `durable_graphs`, or as a node of another graph. */
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }
    /** Enough steps for all the turns it may take. */
    [[nodiscard]] run_options limits() const;
    /** The graph as a node. Without mappings it shares the keys of `turn_keys` that the outer graph declares:
     *
     *      weft::subgraph research = agent.as_node();
     *      research.inputs = {{"task", "topic"}};
     *      research.outputs = {{"report", "answer"}};
     */
    [[nodiscard]] subgraph as_node() const;

    /** A run that begins with a task for it, with `limits`. */
    [[nodiscard]] run_request request(std::string task, std::string thread = {}) const;
    /** Runs it. @param request   From `request`, or one that resumes or answers.
     *  @par Cancellation   As `engine::run`. */
    [[nodiscard]] weft::task<turn_agent_result> run(run_request request) const;
    /** Gives it a task, with `limits`, and gives its answer.
     *  @par Errors          Those of `run_result::throw_if_failed`; of a run that came to its end without an answer
     *                       `errc::node_failed`, with `turn_agent_result::why`.
     *  @par Cancellation    As `engine::run`. The agent may go while it is at work. */
    [[nodiscard]] weft::task<std::string> ask(std::string task) const;
    /** What a run of its graph, by whatever engine, came to. */
    [[nodiscard]] static turn_agent_result result_of(run_result run);

private:
    [[nodiscard]] std::uint32_t steps_max() const noexcept;

    turn_budget budget_;
    weft::graph graph_;
};

}  // namespace weft
