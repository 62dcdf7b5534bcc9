#include <weft/base/errc.hpp>

#include <string>

namespace weft {

namespace {

struct entry {
    errc code;
    std::string_view name;
    std::string_view sentence;
};

// One table: a code has its name and its sentence, or is unknown.
constexpr entry entries[] = {
    {errc::invalid_graph, "invalid_graph", "the graph has mistakes"},
    {errc::unknown_state_key, "unknown_state_key", "the graph does not declare this state key"},
    {errc::state_type_mismatch, "state_type_mismatch", "the state key was declared with another type"},
    {errc::missing_state_value, "missing_state_value", "the state key has no value"},
    {errc::state_conversion, "state_conversion", "the value does not convert to or from JSON"},
    {errc::write_conflict, "write_conflict", "two branches wrote the same state key"},
    {errc::node_failed, "node_failed", "the node failed"},
    {errc::node_timeout, "node_timeout", "the node took longer than its timeout"},
    {errc::branch_timeout, "branch_timeout", "the branch took longer than its fan-out allows"},
    {errc::budget_exhausted, "budget_exhausted", "the budget has not enough left"},
    {errc::run_timeout, "run_timeout", "the run took longer than allowed"},
    {errc::steps_exceeded, "steps_exceeded", "the run used up its steps before it reached an end"},
    {errc::no_edge_matched, "no_edge_matched", "no outgoing edge fires"},
    {errc::unknown_node, "unknown_node", "the graph has no node of this name"},
    {errc::unknown_label, "unknown_label", "the answer is a label that leads nowhere"},
    {errc::key_out_of_scope, "key_out_of_scope", "the node does not declare this key"},
    {errc::invalid_output, "invalid_output", "the node did not give the outputs that it owes"},
    {errc::node_repeated, "node_repeated", "the node ran too often in a row"},
    {errc::condition_failed, "condition_failed", "the predicate of an edge threw"},
    {errc::branches_failed, "branches_failed", "no branch of the fan-out succeeded"},
    {errc::quorum_missed, "quorum_missed", "too many branches failed for the quorum"},
    {errc::cancelled, "cancelled", "the work was stopped"},
    {errc::node_did_not_stop, "node_did_not_stop", "the node went on after it was asked to stop"},
    {errc::timeout, "timeout", "the deadline passed"},
    {errc::stream_closed, "stream_closed", "the other side of the stream is gone"},
    {errc::limit_reached, "limit_reached", "a limit is reached"},
    {errc::invalid_json, "invalid_json", "the text is not JSON"},
    {errc::unexpected_json, "unexpected_json", "the JSON has another shape than expected"},
    {errc::invalid_configuration, "invalid_configuration", "the configuration is not usable"},
    {errc::invalid_url, "invalid_url", "the text is not an absolute http or https URL"},
    {errc::invalid_expression, "invalid_expression", "the expression is not valid"},
    {errc::resolve_failed, "resolve_failed", "the host name has no address"},
    {errc::address_refused, "address_refused", "the client may not connect to an address of the host"},
    {errc::listen_failed, "listen_failed", "the address cannot be listened on"},
    {errc::connect_failed, "connect_failed", "the host does not accept a connection"},
    {errc::connect_timeout, "connect_timeout", "connecting took too long"},
    {errc::tls_untrusted, "tls_untrusted", "the certificate of the peer is not trusted"},
    {errc::tls_expired, "tls_expired", "the certificate of the peer is expired or not yet valid"},
    {errc::tls_wrong_host, "tls_wrong_host", "the certificate of the peer names another host"},
    {errc::tls_failed, "tls_failed", "the TLS connection failed"},
    {errc::connection_lost, "connection_lost", "the peer closed the connection"},
    {errc::send_timeout, "send_timeout", "the peer did not take the request in time"},
    {errc::first_byte_timeout, "first_byte_timeout", "the response did not start in time"},
    {errc::gap_timeout, "gap_timeout", "the response fell silent for too long"},
    {errc::invalid_response, "invalid_response", "the response is not valid HTTP"},
    {errc::response_too_large, "response_too_large", "the response is larger than allowed"},
    {errc::response_truncated, "response_truncated", "the response ended before its terminator"},
    {errc::http_refused, "http_refused", "the service refuses the request"},
    {errc::http_unavailable, "http_unavailable", "the service cannot answer now"},
    {errc::model_unauthorized, "model_unauthorized", "the endpoint refuses the credentials"},
    {errc::model_not_found, "model_not_found", "the endpoint does not know the model or path"},
    {errc::model_rejected, "model_rejected", "the endpoint refuses the request"},
    {errc::model_rate_limited, "model_rate_limited", "the endpoint asks to slow down"},
    {errc::model_quota_exhausted, "model_quota_exhausted", "the account at the endpoint has no credit left"},
    {errc::model_overloaded, "model_overloaded", "the endpoint is overloaded or failing"},
    {errc::model_stream_error, "model_stream_error", "the endpoint reported an error inside the stream"},
    {errc::invalid_model_reply, "invalid_model_reply", "the endpoint answered with something that is not a reply"},
    {errc::script_exhausted, "script_exhausted", "the script has no further step"},
    {errc::mcp_refused, "mcp_refused", "the MCP server answered with an error"},
    {errc::mcp_unauthorized, "mcp_unauthorized", "the MCP server refuses the credentials"},
    {errc::mcp_unsupported, "mcp_unsupported", "the MCP server does not support this"},
    {errc::invalid_mcp_message, "invalid_mcp_message", "the message is not valid in the MCP protocol"},
    {errc::drawing_failed, "drawing_failed", "the drawing cannot be laid out"},
    {errc::store_unavailable, "store_unavailable", "the store cannot be reached"},
    {errc::store_outcome_unknown, "store_outcome_unknown",
     "the store went away during a write that may or may not count"},
    {errc::store_full, "store_full", "the store has no space left"},
    {errc::store_corrupt, "store_corrupt", "what is stored cannot be right"},
    {errc::store_refused, "store_refused", "the store refuses"},
    {errc::store_in_use, "store_in_use", "another process has the store"},
    {errc::thread_is_busy, "thread_is_busy", "another run of the thread is active"},
    {errc::thread_lost, "thread_lost", "another process has taken the thread over"},
    {errc::thread_not_found, "thread_not_found", "the store has no such thread or checkpoint"},
    {errc::graph_changed, "graph_changed", "the graph is not the one that the run began with"},
    {errc::unknown_question, "unknown_question", "no such question is open"},
    {errc::invalid_answer, "invalid_answer", "the answer does not fit the question"},
    {errc::effect_in_doubt, "effect_in_doubt", "nobody knows whether the effect happened"},
    {errc::agent_refused, "agent_refused", "the agent of another system did not do it"},
    {errc::guardrail_tripped, "guardrail_tripped", "a guardrail stopped the work"},
};

const entry* find(errc code) noexcept
{
    for (const entry& e : entries)
        if (e.code == code) return &e;
    return nullptr;
}

class category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "weft"; }
    std::string message(int value) const override { return std::string{describe(static_cast<errc>(value))}; }
};

}  // namespace

std::string_view describe(errc code) noexcept
{
    const entry* e = find(code);
    return e ? e->sentence : "unknown error";
}

std::string_view name_of(errc code) noexcept
{
    const entry* e = find(code);
    return e ? e->name : "unknown";
}

std::optional<errc> errc_named(std::string_view name) noexcept
{
    for (const entry& e : entries)
        if (name == e.name) return e.code;
    return std::nullopt;
}

const boost::system::error_category& weft_category() noexcept
{
    static const category instance;
    return instance;
}

}  // namespace weft
