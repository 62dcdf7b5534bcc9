#pragma once

#include <boost/system/error_code.hpp>

#include <optional>
#include <string_view>

namespace weft {

/** Every way in which weft says no. The sentence of each stands in `lib/base/error/errc.cpp` and in `describe`. */
enum class errc {
    // Graphs and their state.
    invalid_graph = 1,       ///< The graph has mistakes; the message lists all of them.
    unknown_state_key,       ///< A key is used that the graph does not declare.
    state_type_mismatch,     ///< A key is used with another type than it was declared with.
    missing_state_value,     ///< A key is read that has no value and no default.
    state_conversion,        ///< A value does not convert to or from JSON; the message names key and path.
    write_conflict,          ///< Two branches wrote one key and the strategy is `error`.

    // Runs.
    node_failed,             ///< A node threw something that is not a `weft::error`.
    node_timeout,            ///< A node took longer than its timeout.
    branch_timeout,          ///< A branch took longer than its fan-out allows.
    budget_exhausted,        ///< A budget has not enough left for what is asked; the message names it.
    run_timeout,             ///< The run took longer than `elapsed_max`.
    steps_exceeded,          ///< The run used up its node executions before it reached an end.
    no_edge_matched,         ///< A node has outgoing edges and none of them fires.
    unknown_node,            ///< A command names a node that the graph does not have.
    unknown_label,           ///< A node or a route answered with a label that leads nowhere.
    key_out_of_scope,        ///< A node used a key that it does not declare.
    invalid_output,          ///< A node succeeded without the outputs that it owes.
    node_repeated,           ///< A node ran too often in a row.
    condition_failed,        ///< The predicate of an edge threw.
    branches_failed,         ///< No branch of a fan-out succeeded.
    quorum_missed,           ///< Too many branches failed for the quorum to be reached.
    cancelled,               ///< The work was stopped from outside.
    node_did_not_stop,       ///< A node went on after the grace period of a cancel; it was destroyed.

    // Waiting.
    timeout,                 ///< A deadline passed.
    stream_closed,           ///< The other side of an in-process stream is gone.
    limit_reached,           ///< A bounded queue, pool or counter is full.

    // Text and configuration.
    invalid_json,            ///< A text is not JSON; the message names line and column.
    unexpected_json,         ///< A JSON value has another shape than expected; the message names the path.
    invalid_configuration,   ///< A setting is missing or contradicts another.
    invalid_url,             ///< A text is not an absolute http or https URL.
    invalid_expression,      ///< A text is not an expression, or uses what is not allowed; names line and column.

    // The wire.
    resolve_failed,          ///< The host name has no address.
    address_refused,         ///< The client's address filter refuses an address of the host.
    listen_failed,           ///< An address cannot be listened on: it is in use, not of this machine, or forbidden.
    connect_failed,          ///< No address of the host accepts a connection.
    connect_timeout,         ///< Connecting took too long.
    tls_untrusted,           ///< The peer's certificate chain ends in nothing that is trusted.
    tls_expired,             ///< The peer's certificate is expired or not yet valid.
    tls_wrong_host,          ///< The peer's certificate names another host.
    tls_failed,              ///< The TLS handshake or record layer failed for another reason.
    connection_lost,         ///< The peer closed or reset the connection.
    send_timeout,            ///< The peer did not take the request in time.
    first_byte_timeout,      ///< The response did not start in time.
    gap_timeout,             ///< The response started and then fell silent for too long.
    invalid_response,        ///< The peer's bytes are not valid HTTP.
    response_too_large,      ///< A header, line, event or body is larger than allowed.
    response_truncated,      ///< The response ended before its own terminator.
    http_refused,            ///< A service answers with a status that says no; the same request again is of no use.
    http_unavailable,        ///< A service answers with a status that may pass: 408, 425, 429, or from 500 on.

    // Models.
    model_unauthorized,      ///< The endpoint refuses the credentials.
    model_not_found,         ///< The endpoint does not know the model or path.
    model_rejected,          ///< The endpoint refuses the request as it is.
    model_rate_limited,      ///< The endpoint asks to slow down.
    model_quota_exhausted,   ///< The account has no credit left; waiting does not help.
    model_overloaded,        ///< The endpoint is overloaded or failing; a later try may succeed.
    model_stream_error,      ///< The endpoint reported an error inside the stream.
    invalid_model_reply,     ///< The endpoint answered with something that is not a reply.
    script_exhausted,        ///< A scripted endpoint or model was asked more often than it has steps.

    // MCP servers.
    mcp_refused,             ///< The server answered with an error; the message has its words.
    mcp_unauthorized,        ///< The server refuses the credentials.
    mcp_unsupported,         ///< The server does not speak our revisions, or has not the capability.
    invalid_mcp_message,     ///< The server sent something that the protocol does not allow.

    // Drawings.
    drawing_failed,          ///< What lays out drawings is missing or refuses; the message says what to do.

    // Stores and durable runs.
    store_unavailable,       ///< The store cannot be reached or does not answer in time; nothing was done.
    store_outcome_unknown,   ///< The store went away during a write; whether it counts must be looked up.
    store_full,              ///< No space is left, or a quota is used up; nothing was written.
    store_corrupt,           ///< What is stored cannot be right; the message names what and where.
    store_refused,           ///< The store refuses for another reason; the message has its words.
    store_in_use,            ///< Another process has the store and does not share it.
    thread_is_busy,          ///< Another run of the thread is active.
    thread_lost,             ///< Another process has taken the thread over; this run wrote nothing since.
    thread_not_found,        ///< The store has no such thread or checkpoint.
    graph_changed,           ///< The graph is not the one that the run began with; the message names the differences.
    unknown_question,        ///< No such question is open.
    invalid_answer,          ///< An answer does not fit what was asked; the message names the JSON path.
    effect_in_doubt,         ///< It is not known whether an effect happened before a crash, and its policy is to ask.

    // Agents.
    agent_refused,           ///< An agent of another system refuses a task or fails at it; the message has its words.
    guardrail_tripped,       ///< A guardrail stopped the work; the message names it and says why.
};

/** The sentence of an error code, in English, without a full stop. */
[[nodiscard]] std::string_view describe(errc code) noexcept;

/** The identifier of an error code as written above, e.g. `"node_timeout"`. */
[[nodiscard]] std::string_view name_of(errc code) noexcept;

/** The error code of that identifier; nothing if there is none. */
[[nodiscard]] std::optional<errc> errc_named(std::string_view name) noexcept;

/** The category `weft`, so that an `errc` travels in a `boost::system::error_code`. */
[[nodiscard]] const boost::system::error_category& weft_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(errc code) noexcept
{
    return {static_cast<int>(code), weft_category()};
}

}  // namespace weft

template <>
struct boost::system::is_error_code_enum<weft::errc> : std::true_type {};
