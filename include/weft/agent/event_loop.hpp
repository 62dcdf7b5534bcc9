#pragma once

#include <weft/agent/conversation/handoff_summary.hpp>
#include <weft/agent/core/agent_mailbox.hpp>
#include <weft/agent/core/agent_settings.hpp>
#include <weft/agent/core/live_surroundings.hpp>
#include <weft/agent/event_loop/loop_limits.hpp>
#include <weft/agent/event_loop/loop_memory.hpp>
#include <weft/agent/event_loop/loop_output.hpp>
#include <weft/agent/event_loop/loop_dry_run.hpp>
#include <weft/agent/guard/guardrail.hpp>
#include <weft/agent/node/judge.hpp>
#include <weft/agent/node/human.hpp>
#include <weft/agent/prompt/prompt_sections.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What an event loop does, as a graph file says it. `system` and `prompt` are templates; see `prompt_template`. */
struct event_loop_settings : sampling_settings {
    std::string identity = {};  ///< Who the agent is, in all its nodes; isolated ones leave it out.
    std::string system = {};    ///< What this node is to do.
    std::string prompt = {};    ///< What it is told first; empty: the values of the keys that it reads.
    std::string criteria = {};  ///< When the work is good enough: then a model judges. Empty: the rules do.
    /** The key of a `conversation` that it carries on; empty: that of the graph (`graph_builder::conversation`), or a
     *  talk of its own. */
    std::string conversation = {};
    conversation_mode mode = conversation_mode::continuous;
    /** The key of a `list<handoff_summary>` with `append`, read and added to; empty: none. */
    std::string hand_offs = {};
    bool faces_client = false;   ///< It may ask a person.
    bool tells_time = false;     ///< The prompt says when the visit began.
    bool skips_judge = false;    ///< It is never accepted by a judge: it goes on until it is marked complete.
    std::string judge_model = {};  ///< Another model than the program has, for what judges by the criteria.
    loop_limits limits = {};
};
BOOST_DESCRIBE_STRUCT(event_loop_settings, (sampling_settings),
                      (identity, system, prompt, criteria, conversation, mode, hand_offs, faces_client, tells_time,
                       skips_judge, judge_model, limits))

/** What a judge sees of a turn. */
struct judged_turn {
    judged_turn() {}

    std::string node;
    std::uint32_t iteration = 0;
    std::string reply;              ///< The text that the model said.
    boost::json::object outputs;    ///< What was set so far.
    std::vector<std::string> missing;
};

/** A judge of one's own. What it says is written down where effects are, so it is asked once for each turn.
 *  An acceptance while required outputs are missing is overruled. What it throws fails the node. */
using judge_function = std::function<task<verdict>(judged_turn)>;

/** When a hook is called. */
enum class loop_moment : std::uint8_t {
    begin,  ///< Before the first turn of a visit.
    turn,   ///< Before each turn.
};

/** What a hook changes. */
struct loop_hook_answer {
    std::optional<std::string> focus = {};  ///< Instead of `event_loop_settings::system`, from now on.
    std::string inject = {};                ///< Said to the model; empty: nothing.
};

/** Called between turns. It must not block, and must lead to the same answer for the same memory. */
using loop_hook = std::function<loop_hook_answer(loop_moment, const event_loop_memory&)>;

struct sub_agent;

/** The tools of a node of the graph. */
struct node_tools {
    std::string node = {};
    std::shared_ptr<const tool_set> tools = {};
};

/** An event loop, and what it needs of the program. */
struct event_loop_options {
    event_loop_settings settings = {};
    std::vector<event_loop_output> outputs = {};       ///< The keys that it gives values to.
    std::vector<std::string> reads = {};         ///< The keys whose values it is told.
    std::vector<any_state_key> carries = {};     ///< Keys of the graph that its tools read and write.
    std::shared_ptr<const tool_set> tools = {};  ///< What the model may call; null: only the tools of the loop itself.
    /** In a conversation that is carried on, the tools of the nodes here that had a part in it before are offered too;
     *  of tools of one name, the loop's own counts. */
    std::vector<node_tools> tools_of_others = {};
    tool_runner_options tool_options = {};       ///< Policy and hooks; the limits are those of the settings.
    /** What looks at what it is told and at each reply; null: nothing. What judges say, and summaries, is no reply. */
    std::shared_ptr<const guardrails> guards = {};
    judge_function judge = {};
    std::shared_ptr<chat_model> judge_model = {};  ///< Judges by the criteria; null: the model of the loop.
    std::vector<sub_agent> sub_agents;
    std::shared_ptr<agent_mailbox> mailbox = {};   ///< What comes from outside, by the thread of the run.
    std::shared_ptr<spill_store> spill = {};       ///< For long results and outputs; the model gets `read_result`.
    loop_hook hook = {};
    std::shared_ptr<human> whom = {};  ///< Whom it asks; null: answers to the run's questions come from outside.
    std::string goal = {};  ///< What all of the graph is for; empty: as the graph says it, `node_context::purpose`.
    std::vector<prompt_section> surroundings = {};  ///< For the prompt: accounts, skills, protocols.
    /** What happens around it while it works, told with each request; null: nothing. */
    std::shared_ptr<const live_surroundings> live = {};
    /** Is told how each prompt came about, for people. Called on the loops of the runs; it must not block or throw. */
    std::function<void(const composed_prompt&)> on_prompt = {};
    std::optional<loop_dry_run> dry_run = {};  ///< What it says when there is no model.
    bool once = true;       ///< Where a run writes its effects down, a reply is not paid twice.
};

/** An agent that a loop can hand tasks to. It is an event loop in a state of its own: it sees the values that the loop
 *  reads and the outputs that the loop has set, as they are when the task is handed over, and can change none of them.
 *  It has at most ten turns, asks a person by `report_to_parent` only, and has no sub-agents. */
struct sub_agent {
    std::string id = {};
    std::string when = {};  ///< For the model: what it is good for.
    event_loop_options how = {};
};

/** A node in which a model works in turns until its work is accepted, as a graph that is a node of another one.
 *
 *      weft::event_loop_options work;
 *      work.settings.system = "Write a report about the topic.";
 *      work.reads = {"topic"};
 *      work.outputs = {weft::output_of(report, "The report, as Markdown.")};
 *      weft::add_event_loop(builder, "write", model, std::move(work));
 *
 *  A turn is: what came from outside and compaction, one call of the model, its tool calls side by side, the guards
 *  (an empty reply, a stall, a doom loop), a question to a person, the judge. Each of these is a step of its own, so
 *  that a durable run goes on within a turn; a reply that was paid is not paid again.
 *
 *  It ends when it is accepted, and then writes the outputs. Otherwise the node fails for good, and its failure edges
 *  apply: the judge or the agent escalates, it stalls, the model says nothing, its turns are used up, the model
 *  refuses. The reason is told by `node_context::previous_failure`.
 *
 *  It emits: the text as it comes, `output` if it faces the client, else `internal_output`; `retract`; `usage`;
 *  `warning`; `loop_iteration`; `context_compacted`; `tool_start`, `tool_end`; `output_key_set`; `node_input_blocked`;
 *  `escalation_requested`; `subagent_report`; `node_stalled`; `tool_doom_loop`; `client_input_requested`,
 *  `client_input_received`; `judge_verdict` (JSON).
 *
 *  @param model   A failed call that may pass is made again as the limits say: give no `retrying_model`. Null only with
 *                 `event_loop_options::dry_run`.
 *
 *  @par Errors          `errc::invalid_configuration`: there is no model, a limit is out of range, a template is none,
 *                       a sub-agent has sub-agents or a name that is none, a tool has a name that the loop needs.
 *  @par Cancellation    Stops the call of the model and the tools, and withdraws questions.
 *  @par Thread safety   One object serves all runs on all OS threads, if model, tools and functions do.
 *  @par Example         samples/14_judge_loop.cpp [loop]
 *  @par Source          Hive's event-loop node.
 */
[[nodiscard]] subgraph event_loop(std::shared_ptr<chat_model> model, event_loop_options options);

/** Adds an event loop to a graph as a node.
 *
 *  The node has one attempt for each visit, whatever `options.retry` says, since the loop retries by itself: if more
 *  were asked for, each visit warns of it. It faces the client if the loop does. Without a timeout it gets one of 30
 *  days, since the steps within it have those of the run. */
graph_builder& add_event_loop(graph_builder& to, std::string name, std::shared_ptr<chat_model> model,
                              event_loop_options what, node_options options = {});

}  // namespace weft
