#pragma once

#include "answer_writes.hpp"
#include "http_kind.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/async/async_generator.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/async/task.hpp>
#include <weft/base/budget_ledger.hpp>
#include <weft/net/http_client.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

/** What all nodes of the kind `http` of a program share. */
struct http_program {
    explicit http_program(http_node_options given);

    http_node_options options;
    http_client trusted;  ///< For services of the operator.
    http_client strict;   ///< For all others: public addresses only.
};

/** Puts the headers of a file into a request. Variables of the environment go to trusted services only.
 *  @param place     The node and the service, for errors.
 *  @param secrets   Gets their values, so that they can be kept out of messages.
 *  @par Errors      `errc::invalid_configuration`. */
void put_headers(http_request& request, const std::map<std::string, std::string>& headers,
                 const http_program& program, const std::string& place, std::vector<secret_string>& secrets);
/** Puts the trace that a call belongs to into its request: `trace_context::of_call`. */
void put_trace(http_request& request, const trace_context* run, std::string_view key);
/** Whether the program trusts a service. */
[[nodiscard]] bool is_trusted(const http_program& program, const url& service);
/** A call of a service is a tool call in the budget of the run.
 *  @par Errors   `errc::budget_exhausted`. */
[[nodiscard]] budget_ledger::reservation reserve_service_call(const node_context& node);

/** What a node of the kind `http` does, read from its file. */
struct http_plan {
    http_settings settings;
    prompt_template url;
    answer_target keys;
    std::optional<std::vector<std::string>> reads;
    retry_policy retry;
    std::shared_ptr<const http_program> program;
};

/** One attempt at one call.
 *
 *  @par Lifetimes   The node outlives it, and it the tasks. */
class service_call {
public:
    /** Reads the node's keys.
     *  @par Errors  `errc::missing_state_value`, `errc::invalid_url`. */
    service_call(std::shared_ptr<const http_plan> plan, node_context& node);

    /** Has the call send these as its body. */
    void send(async_generator<std::string> pieces) { pieces_ = std::move(pieces); }
    /** What is asked for, for the journal: without headers and body. */
    [[nodiscard]] boost::json::object summary() const;
    /** @return  The answer as JSON. @par Errors  As `http_kind`. */
    [[nodiscard]] task<boost::json::value> perform(std::string key);
    /** What the service has asked to wait when it refused. */
    [[nodiscard]] const std::optional<std::chrono::milliseconds>& retry_after() const noexcept { return retry_after_; }
    /** Whether watchers have heard events of its answer. */
    [[nodiscard]] bool has_told() const noexcept { return has_told_; }

private:
    [[nodiscard]] http_request make_request(const std::string& key);
    [[nodiscard]] std::string place() const;
    void put_body(http_request& request);
    [[nodiscard]] task<boost::json::value> exchange(http_request request);
    /** The same for a body that is a stream, whose time is its writer's. */
    [[nodiscard]] task<boost::json::value> exchange_stream(http_request request);
    [[nodiscard]] task<boost::json::value> read_answer(http_response response);
    [[nodiscard]] const http_client& client() const;
    [[nodiscard]] std::chrono::nanoseconds limit() const;
    [[nodiscard]] task<boost::json::value> read_events(http_response response);
    [[nodiscard]] std::string without_secrets(std::string text) const;

    std::shared_ptr<const http_plan> plan_;
    node_context& node_;
    url target_;
    bool is_trusted_;
    std::optional<async_generator<std::string>> pieces_;  // of the body, if it is a stream
    std::vector<secret_string> secrets_;
    std::optional<std::chrono::milliseconds> retry_after_;
    bool has_told_ = false;
};

}  // namespace weft::agent_detail
