#pragma once

#include <weft/agent/chat_agent/agent_state.hpp>
#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/agent/core/agent_settings.hpp>
#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/guard/guardrail.hpp>
#include <weft/agent/guard/input_guard.hpp>
#include <weft/agent/node/watchdog.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** What an agent is told before its conversation, in this order; empty parts are left out. */
struct agent_prompt {
    std::string base{};       ///< Who it is and how it works.
    std::string channel{};    ///< Where it speaks: a terminal, a chat, a telephone.
    std::string directive{};  ///< What it is to do, and how.
    // Here the words about the blocks follow: `completion_instructions`.
    std::string surroundings{};  ///< Its character, what it knows of the world and of the machine.
    bool tells_time = false;     ///< The time of day, to the minute. It makes beginnings of requests differ.
};

/** What an agent graph is made of. */
struct agent_options {
    agent_options() {}

    std::shared_ptr<chat_model> model{};          ///< Required. For recovery see `with_recovery`.
    std::shared_ptr<const tool_set> tools{};      ///< Null: none.
    tool_runner_options tool_options{};
    /** What looks at what is said to its model and at each reply; null: nothing. Summaries are no replies. */
    std::shared_ptr<const guardrails> guards{};
    std::string name = "agent";                   ///< Of the graph.
    agent_prompt prompt{};
    /** What happens around it while it works, told with each request; null: nothing. */
    std::shared_ptr<const live_surroundings> live{};
    input_guard_limits guard{};
    std::shared_ptr<chat_model> summary_model{};  ///< Null: the model itself.
    summary_rules summaries = agent_summary_rules();
    tokens budget{96'000};        ///< For the messages of a request,
    tokens context_max{200'000};  ///< and no more than 70 % of this.
    std::chrono::nanoseconds timeout = std::chrono::seconds{60};  ///< Of one call of the model.
    sampling_settings sampling{.temperature = 0.2};  ///< How the model is asked.
    std::uint32_t calls_max = 25;        ///< Of the model in one visit; then the agent's node is visited again.
    bool is_sub_agent = false;           ///< It works for another agent, and no person waits.
    /** Ends a visit that hangs, as a failure of the model; for agents that no person watches. Text and progress
     *  of tools are signs of life, and so is each reply. A person who is asked about a call is none. */
    std::optional<watchdog_limits> watch{};

    /** As `summary_rules`, but for the time: an agent waits for its summary at the end of a visit. */
    [[nodiscard]] static summary_rules agent_summary_rules();
};

/** An agent that talks with a person and works with tools until it says that it is done or blocked.
 *
 *      weft::agent_options options;
 *      options.model = model;
 *      options.tools = tools;
 *      const weft::graph agent = weft::agent_graph(options);
 *      weft::run_request request{"thread-1"};
 *      request.input(weft::agent_keys::input, text).options(weft::agent_run_options());
 *
 *      start ─ input_handler ─ agent ─ end
 *                              └──┘ again
 *
 *  `input_handler` looks at the input (`inspect_input`), adds it to the conversation, sees whether it is time for a
 *  summary, and how much of the conversation fits the budget; all of it stands in `diagnostics`, and nothing is
 *  refused. `agent` asks the model and carries out its tool calls until it calls none, reads the block at the end of
 *  the reply (`read_completion`), and decides (`decide_agent_step`). The reply goes into the conversation as people
 *  read it, unless it is the one before again.
 *
 *  Model and tools are asked by `node_context::once`: a run that keeps its effects and is begun again in the middle of
 *  a visit pays for no reply twice. Model failures and timeouts end the agent with an error in its conversation, and do
 *  not fail the run. A visit that is stopped leaves nothing in the conversation; the input stays.
 *
 *  It emits `delta` (text as it comes, blocks included), `retract`, `usage`, what tools emit, `warning`, and as
 *  `output` each reply as people read it.
 *
 *  @par Errors          `errc::invalid_configuration` without a model. In a run: `errc::guardrail_tripped`,
 *                       `errc::budget_exhausted`, those of the store, `errc::cancelled`.
 *  @par Cancellation    Stops model, tools and summary and waits for them.
 *  @par Thread safety   As `graph`, if model and tools are.
 *  @par Example         samples/15_agent_chat.cpp [graph]
 *  @par Source          Sulla's agent graph.
 */
[[nodiscard]] graph agent_graph(agent_options options);

/** The limits that an agent graph is made for: 40 visits of its node in a row, and then the run ends with what there
 *  is (`agent_stop::max_loops`). */
[[nodiscard]] run_options agent_run_options();

/** An agent graph as a part of another graph: with its 40 visits whatever the limits of the run, and nothing shared
 *  with the graph around it; `inputs` and `outputs` by function say what goes in and what is kept. */
[[nodiscard]] subgraph agent_inside(graph agent);

}  // namespace weft
