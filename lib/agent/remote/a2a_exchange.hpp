#pragma once

#include "a2a_progress.hpp"
#include "a2a_wire.hpp"
#include "http_service.hpp"

#include <weft/agent/remote/a2a_node.hpp>
#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/net/http_client.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

/** An agent of another system, as a node or a tool calls it again and again. Its card is read once in five minutes.
 *
 *  @par Thread safety   From any OS thread. */
struct a2a_agent {
    a2a_agent(a2a_settings settings, std::shared_ptr<const http_program> program);

    [[nodiscard]] std::optional<a2a_interface> known(time_point now) const;
    void note(a2a_interface found, time_point now) const;

    const a2a_settings settings;
    const url at;
    const std::shared_ptr<const http_program> program;

private:
    mutable std::mutex mutex_;
    mutable std::optional<a2a_interface> card_;
    mutable time_point card_until_{};
};

/** One message to an agent, and what comes of it.
 *
 *  @par Lifetimes   What `tell` refers to outlives it, and it the task of `perform`. */
class a2a_exchange {
public:
    /** @param place   What sends it, for errors: `node 'ask'`.
     *  @param trace   Of the run; null: it belongs to none. */
    a2a_exchange(std::shared_ptr<const a2a_agent> agent, std::string place, std::shared_ptr<const trace_context> trace,
                 a2a_progress::tell_function tell);

    /** Sends the message, and waits until its task rests.
     *  @return      `a2a_progress::outcome`, of a task that is completed or asks.
     *  @par Errors  As `a2a_node`. */
    [[nodiscard]] task<boost::json::object> perform(a2a_outgoing words);

    /** What the agent has asked to wait when it refused. */
    [[nodiscard]] const std::optional<std::chrono::milliseconds>& retry_after() const noexcept { return retry_after_; }
    /** Whether watchers have heard of its output. */
    [[nodiscard]] bool has_told() const noexcept { return has_told_; }

private:
    [[nodiscard]] task<boost::json::object> follow(a2a_outgoing words);
    [[nodiscard]] task<a2a_interface> find_interface(std::string key);
    [[nodiscard]] task<http_response> send(http_request request);
    [[nodiscard]] task<void> exchange(const a2a_interface& with, a2a_wire_request asked, const std::string& key,
                                      a2a_progress& into);
    [[nodiscard]] task<void> read_stream(const a2a_interface& from, http_response response, a2a_progress& into);
    [[nodiscard]] http_request request_to(std::string method, const url& target, const std::string& key);
    [[nodiscard]] std::string place_at(const url& target) const;
    void require_success(const a2a_progress& of) const;
    [[nodiscard]] std::string without_secrets(std::string text) const;

    std::shared_ptr<const a2a_agent> agent_;
    std::string place_;
    std::shared_ptr<const trace_context> trace_;
    a2a_progress::tell_function tell_;
    std::vector<secret_string> secrets_;
    std::optional<std::chrono::milliseconds> retry_after_;
    bool has_told_ = false;
};

}  // namespace weft::agent_detail
