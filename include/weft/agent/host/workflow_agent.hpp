#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/playbook/playbook_graph.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <cstdint>

namespace weft {

/** What an agent that runs workflows is made of. */
struct workflow_agent_options {
    workflow_agent_options() {}

    agent_options agent{};  ///< The agent that talks; its model also decides in workflows, and sees its conversation.
    /** What the agents and tools of workflows are, and the library that workflows come from. */
    playbook_options workflows{};
    std::uint32_t workflows_max = 10;  ///< In one turn of the agent; one more ends it as `agent_stop::max_loops`.
};

/** An agent graph whose agent can start workflows, the playbooks of a library. A workflow runs when the agent's loop
 *  has ended; its result goes into the conversation, and the agent goes on with it.
 *
 *      weft::workflow_agent_options options;
 *      options.agent.model = options.workflows.agent.model = model;
 *      options.workflows.library = library;
 *      weft::agent_session session{weft::workflow_agent_graph(options), "thread-1"};
 *
 *      start ─ input_handler ─ agent ─ end
 *                              └──┘ again
 *                              agent ─ workflow ─ workflow_end ─ agent
 *
 *  The agent has one tool more, `start_workflow`, which puts a workflow into `agent_keys::workflows`. A program can do
 *  that too, as input of the run or from a tool of its own: `tool_result::set`. Several run one after the other.
 *
 *  A workflow that is done leaves `[Workflow 'name' completed]` and its response, one without a response the results of
 *  its steps; one that fails leaves `[Workflow 'name' failed]` and why. A question that it asks pauses the run.
 *
 *  @par Errors          As `agent_graph`; `errc::invalid_configuration` without a library, or if the agent has a tool
 *                       `start_workflow`; those of `playbook_graph`, of every playbook of the library.
 *  @par Cancellation    Stops what is at work and waits for it.
 *  @par Thread safety   As `agent_graph`.
 *  @par Source          Sulla's graph engine: after the main loop the active workflow is processed. */
[[nodiscard]] graph workflow_agent_graph(workflow_agent_options options);

/** Such a graph as a part of another one, as `agent_inside`. */
[[nodiscard]] subgraph workflow_agent_inside(graph agent, std::uint32_t workflows_max = 10);

}  // namespace weft
