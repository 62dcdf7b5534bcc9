#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/tool/call/client_tools.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class node_context;
class state_layout;
struct node_spec;

/** What a node that calls tools does, as a graph file says it. */
struct tool_settings {
    std::string messages = "messages";    ///< The key of the conversation; see `messages_key`.
    std::vector<std::string> tools = {};  ///< The tools that may be called; empty: all that the program has.
    std::string remote = {};              ///< The node that waits for results of remote tools; empty: none does.
    std::optional<std::int64_t> calls_warned = {};      ///< More calls of one message are warned of.
    std::optional<std::int64_t> calls_max = {};         ///< More are refused.
    std::optional<std::int64_t> concurrency_max = {};   ///< Calls at the same time.
    std::optional<std::int64_t> result_chars_max = {};  ///< Of a result that the model sees.
    client_tools_offer client_tools = {};  ///< Tools of the run's client that may be called; see `client_tools`.

    /** What is wrong with the numbers, as `member: text`; empty if nothing is. */
    [[nodiscard]] std::string fault() const;
    /** These settings over others. */
    [[nodiscard]] tool_runner_options over(tool_runner_options options) const;
};
BOOST_DESCRIBE_STRUCT(tool_settings, (),
                      (messages, tools, remote, calls_warned, calls_max, concurrency_max, result_chars_max,
                       client_tools))

/** The work of a node that carries out the tool calls of the conversation's last message.
 *
 *      builder.node("tools", weft::tool_node{tools})
 *
 *  It looks for the last message of the assistant; calls that `tool` messages behind it answer already are not made
 *  again. The answers are added to the conversation in the order of the calls, then the updates of the results are
 *  written in the same order. Without calls it does nothing. A result that hands over, the first one, makes the branch
 *  go on at its node, whatever the edges say; name such nodes in `node_options::goes_to`.
 *
 *  Calls of remote tools stay open: it emits `remote_call` for each and goes on at the node `tool_settings::remote`.
 *  That is another tool node that pauses before it runs and waits at itself, so that the run stops there until the
 *  results are posted (`remote_results`), even if a process ends meanwhile:
 *
 *      builder.node("tools", weft::tool_node{tools, {.remote = "posted"}}, {.goes_to = {"posted"}})
 *             .node("posted", weft::tool_node{tools, {.remote = "posted"}},
 *                   {.goes_to = {"posted"}, .pauses = weft::pause_point::before})
 *
 *  With `tool_settings::client_tools` the tools that the run's client has sent may be called, too. Such a call is a
 *  question of the run; the node waits for all answers, however long that takes.
 *
 *  It emits `tool_start`, `tool_end`, `remote_call`, `warning`, and what the tools emit.
 *
 *  @par Errors          From the constructor: `errc::invalid_configuration`. In a run, never those of tools:
 *    - `errc::missing_state_value`   there are no messages.
 *    - `errc::budget_exhausted`      the run's budget has not enough tool calls; none was made, all stay open.
 *    - `errc::unknown_state_key`, `errc::state_type_mismatch`, `errc::key_out_of_scope`   the key of the messages, or
 *      one that a tool updates, cannot be used.
 *    - `errc::cancelled`             after every call got its answer, which survives.
 *  @par Cancellation    Stops the tools and waits for them.
 *  @par Thread safety   One object serves all runs on all OS threads, if tools and functions do.
 *  @par Source          LangGraph's ToolNode, Agentflow's ToolNode.
 */
class tool_node {
public:
    explicit tool_node(tool_set tools, tool_settings settings = {}, tool_runner_options options = {});

    [[nodiscard]] task<command> operator()(node_context& node) const;
    /** As a node of the kind `tool`; always true. */
    bool describe(node_spec& into, const state_layout& keys) const;
    /** The keys that it writes itself; see `node_body::written_keys`. */
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout& keys) const;

private:
    struct setup;
    std::shared_ptr<const setup> setup_;
};

}  // namespace weft
