#pragma once

#include <weft/agent/remote/http_node_options.hpp>
#include <weft/async/task.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/tool/tool.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class node_context;
class state_layout;
struct node_spec;

namespace agent_detail {
struct a2a_plan;
struct a2a_agent;
}

/** An agent of another system that speaks A2A, and what it is asked. */
struct a2a_settings {
    static constexpr std::array<std::string_view, 1> required_members{"agent"};
    std::string agent = {};                          ///< The URL of its card, or the one that the card stands below.
    std::string message = {};                        ///< A template; empty: what the node reads, as JSON.
    std::string skill = {};                          ///< Goes along as `metadata.skill`; empty: none.
    std::map<std::string, std::string> headers = {}; ///< Values may hold `${NAME}`, a variable of the environment.
    std::optional<spec_duration> timeout = {};       ///< Of one message until it is answered; not given: five minutes.
    std::int64_t reply_bytes_max = 1024 * 1024;      ///< Of an answer, a stream included.
    /** The key, a text, that keeps the conversation from one visit to the next; empty: none. */
    std::string context = {};
    std::string into = {};     ///< The key that gets the whole answer.
};
BOOST_DESCRIBE_STRUCT(a2a_settings, (),
                      (agent, message, skill, headers, timeout, reply_bytes_max, context, into))

/** A node that has an agent of another system do something, over A2A: the kind `a2a` of graph files in C++.
 *
 *      weft::a2a_settings settings;
 *      settings.agent = "https://agents.example/a2a/translator";
 *      settings.message = "Translate into French: {text}";
 *      builder.node("translate", weft::a2a_node{settings, {"translation"}, program})
 *
 *  It reads the card, sends the message, and follows the task until it is over. Watchers of the run hear the pieces of
 *  its output as `output`, and `retract` if they do not count. The output is written as an answer of the kind `http`:
 *  a text into the one key of `writes`, the members of data into the keys of their names.
 *
 *  A task that asks (`INPUT_REQUIRED`) makes its question one of our run, with its schema if the agent gives one, and
 *  the answer goes back to the task. Each message is an effect of the visit, with the effect's key as its `messageId`:
 *  the same in each attempt, after a crash and in a resumed run, and it is not sent again once it was answered. It
 *  counts as one tool call in the run's budget. The header `traceparent` has the trace of the run; one without
 *  begins a trace with the digits of that key, by which the logs of both sides can be put together.
 *
 *  A stream that breaks off is no failure: the task is asked for until it is over.
 *
 *  @par Errors   In a run: those of the kind `http` (`http_kind.hpp`), and `errc::agent_refused` with the words of the
 *                agent: it fails, rejects or cancels the task, or refuses the message; it is not tried again.
 *  @par Cancellation   Closes the connection; the task of the agent goes on.
 *  @par Thread safety  A graph with it runs on many loops at once. */
class a2a_node {
public:
    /** @param writes   Keys of the graph that it may write; at most one if the agent answers with texts.
     *  @par Errors     `errc::invalid_configuration`, `errc::invalid_url`. */
    a2a_node(a2a_settings settings, std::vector<std::string> writes, http_node_options program = http_node_options{});
    explicit a2a_node(std::shared_ptr<const agent_detail::a2a_plan> plan) noexcept : plan_{std::move(plan)} {}

    [[nodiscard]] task<void> operator()(node_context& node) const;
    bool describe(node_spec& into, const state_layout& layout) const;
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout& layout) const;

private:
    std::shared_ptr<const agent_detail::a2a_plan> plan_;
};

/** What a tool that is an agent of another system is called. */
struct a2a_tool_options {
    a2a_tool_options() {}

    std::string name = "ask_agent";
    std::string description = "Asks another agent, and gives back what it says.";
    /** As for the node; `message`, `context` and `into` are not used. */
    a2a_settings agent = {};
    http_node_options program{};
};

/** An agent of another system as a tool: models give it a `message`. One that asks back gives its question as the
 *  result, with the ids `task` and `context` under which the model answers in another call.
 *
 *  @par Errors   `errc::invalid_configuration`, `errc::invalid_url`. In a call those of `a2a_node`: error results. */
[[nodiscard]] std::shared_ptr<tool> a2a_tool(a2a_tool_options options);

}  // namespace weft
