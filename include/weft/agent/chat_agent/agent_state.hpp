#pragma once

#include <weft/agent/chat_agent/completion.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/guard/input_guard.hpp>
#include <weft/agent/text/token_estimator.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What the input handler of an agent graph found; for people and for programs that act on it. */
struct input_diagnostics {
    bool sanitized = false;
    bool rate_limited = false;
    rate_sign rate_limit_reason = rate_sign::none;
    bool spam_detected = false;
    spam_sign spam_reason = spam_sign::none;
    bool injection_detected = false;
    std::vector<injection_sign> injections{};
    std::int64_t messages_evicted = 0;  ///< Messages in force that have no room in the request.
    std::int64_t tokens_before = 0;     ///< Of all messages in force, as the provider counts.
    std::int64_t tokens_after = 0;      ///< Of those that go into the request.
    bool summary_triggered = false;     ///< The agent has older messages summarised beside its work.
    /** Messages that were compared with the newest, to choose those that are summarised; see
     *  `summary_rules::score_min`. */
    std::int64_t relevance_scored = 0;
    /** Messages that left the conversation in this turn: a summary stands for them. */
    std::int64_t eviction_summarized = 0;

    friend bool operator==(const input_diagnostics&, const input_diagnostics&) = default;
};
BOOST_DESCRIBE_STRUCT(input_diagnostics, (),
                      (sanitized, rate_limited, rate_limit_reason, spam_detected, spam_reason, injection_detected,
                       injections, messages_evicted, tokens_before, tokens_after, summary_triggered, relevance_scored,
                       eviction_summarized))

/** Where the conditional edge of an agent leads. */
enum class agent_step : std::uint8_t { end, again };
BOOST_DESCRIBE_ENUM(agent_step, end, again)

/** Why an agent has stopped. */
enum class agent_stop : std::uint8_t {
    none,              ///< It has not.
    done,
    blocked,           ///< It cannot go on by itself.
    no_block,          ///< It never said how it stands, not even when it was told to.
    agent_error,       ///< The model failed.
    workflow_running,  ///< A workflow has the word.
    max_loops,         ///< It went round too often.
    aborted,
    failed,            ///< The run failed outside of the model.
    paused,            ///< The run waits: for an answer, or because it was paused.
};
BOOST_DESCRIBE_ENUM(agent_stop, none, done, blocked, no_block, agent_error, workflow_running, max_loops, aborted,
                    failed, paused)

/** How an agent stands after a visit of its node. */
struct agent_status {
    completion outcome{};         ///< What it says about itself.
    std::string reply{};          ///< Its last reply, as people read it.
    bool called_tools = false;    ///< In this visit.
    bool was_nudged = false;      ///< It was told to say how it stands, and has got no further since.
    std::uint32_t loops = 0;      ///< How often it went round because there was more to do.
    agent_step next = agent_step::end;
    agent_stop stop = agent_stop::none;
    bool waiting_for_user = false;  ///< A person must help; never of a sub-agent.
    std::string failure{};        ///< Why the model failed, for people.
    std::optional<std::string> cause{};  ///< The same as the name of an `errc`.

    friend bool operator==(const agent_status&, const agent_status&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_status, (),
                      (outcome, reply, called_tools, was_nudged, loops, next, stop, waiting_for_user, failure,
                       cause))

/** A workflow that an agent has started; see `workflow_agent_graph`. */
struct agent_workflow {
    std::string name{};    ///< Of the playbook.
    std::string input{};   ///< What it is started with.
    std::string result{};  ///< Once it has ended well.

    friend bool operator==(const agent_workflow&, const agent_workflow&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_workflow, (), (name, input, result))

extern template struct compiled_value<message_times>;
extern template struct compiled_value<input_diagnostics>;
extern template struct compiled_value<agent_status>;
extern template struct compiled_value<token_estimator>;
extern template struct compiled_value<std::vector<agent_workflow>>;
extern template struct compiled_key<message_times>;
extern template struct compiled_key<input_diagnostics>;
extern template struct compiled_key<agent_status>;
extern template struct compiled_key<token_estimator>;
extern template struct compiled_key<std::vector<agent_workflow>, append>;

/** The keys that the nodes of an agent graph share. */
namespace agent_keys {

inline constexpr state_key<std::string> input{"input"};  ///< What the user says; empty once it is in the conversation.
inline constexpr state_key<weft::conversation, converse> conversation{"talk"};
inline constexpr state_key<message_times> input_times{"input_times"};
inline constexpr state_key<input_diagnostics> diagnostics{"diagnostics"};
inline constexpr state_key<agent_status> status{"status"};
inline constexpr state_key<token_estimator> estimator{"estimator"};
/** Written by tools that start workflows outside of the graph: the agent's loop ends while it is true. */
inline constexpr state_key<bool> workflow_running{"workflow_running"};
/** Workflows to be run behind the agent's loop, the first of them first; of `workflow_agent_graph` only. */
inline constexpr state_key<std::vector<agent_workflow>, append> workflows{"workflows"};
/** The view of the last request, so that the next one shares its messages. */
inline constexpr state_key<std::shared_ptr<const conversation_view>> last_view{"last_view", transient};

}  // namespace agent_keys

}  // namespace weft
