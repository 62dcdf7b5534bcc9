#pragma once

#include <weft/async/scope.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>

#include "mcp_exchange.hpp"
#include "mcp_served.hpp"
#include "waiting_replies.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft::mcp_detail {

/** A server and the way to it: meets it, sends requests and hands out answers, serves the server's own requests, and
 *  finds it again after it was lost.
 *
 *  What goes on between calls (reading, answering) are children of a scope of its own, which ends with `close` or with
 *  the object.
 *
 *  @par Thread safety   None: it lives on the loop of the first `connect`.
 *  @par Lifetimes       Outlives the tasks that it gives out; `options` outlives it.
 */
class mcp_connection final : private mcp_inbox {
public:
    mcp_connection(std::unique_ptr<mcp_transport> transport, const mcp_client_options& options);
    ~mcp_connection();
    mcp_connection(const mcp_connection&) = delete;
    mcp_connection& operator=(const mcp_connection&) = delete;

    /** Called for each notification of the server that is not the connection's own, and without parameters as
     *  `forget` whenever nothing that was known about the server holds any more. */
    struct observer {
        std::function<void(const json_rpc_message& notification)> notified{};
        std::function<void()> forget{};
    };
    void observe(observer watching) { observer_ = std::move(watching); }

    /** Makes sure that there is a connection. */
    [[nodiscard]] task<void> connect();
    [[nodiscard]] task<void> close();

    /** Sends a request and waits for its result.
     *  @par Errors   `mcp_error` for a refusal; `errc::timeout`, `connection_lost` and the others of the wire. */
    [[nodiscard]] task<boost::json::value> ask(connection_request request);

    [[nodiscard]] const mcp_agreement& agreement() const noexcept { return agreement_; }
    [[nodiscard]] bool is_connected() const noexcept { return state_ == state::ready; }
    [[nodiscard]] serial_loop* loop() const noexcept { return loop_; }
    [[nodiscard]] mcp_transport& transport() const noexcept { return *transport_; }
    [[nodiscard]] served_requests& served() noexcept { return served_; }
    void complain(std::string what) const;

    /** The server has forgotten us: the next `connect` makes a new connection. */
    void lose(const error& why);
    /** How many connections there have been. */
    [[nodiscard]] int generation() const noexcept { return generation_; }

private:
    enum class state { fresh, connecting, ready, lost, closed };

    void on_message(json_rpc_message message) override;
    void on_noise(std::string what) override { complain(std::move(what)); }
    void on_broken_answer(json_rpc_id id, error why) override;
    void on_notification(const json_rpc_message& message);
    void on_request(json_rpc_message message);

    void bind(serial_loop& loop);
    task<void> connect_again();
    task<void> connect_once();
    task<void> shake_hands();
    connection_request handshake_request(const mcp_handshake& handshake) const;

    task<void> keep_listening(int generation);
    task<void> keep_subscribed(int generation);
    task<void> serve(json_rpc_message request, waiting_replies::place reply);
    void refuse_to_wait(const error& why);
    task<void> settle_in();

    std::unique_ptr<mcp_transport> transport_;
    const mcp_client_options& options_;
    observer observer_;
    served_requests served_;
    mcp_agreement agreement_;
    mcp_exchange exchange_;
    waiting_replies replies_;
    slot_limiter connecting_{1};

    state state_ = state::fresh;
    int generation_ = 0;
    int losses_ = 0;
    std::optional<error> why_lost_;
    std::optional<mcp_era> known_era_;

    serial_loop* loop_ = nullptr;
    stop_scope stop_;
    task_context context_{nullptr, &stop_};
    scope* listening_ = nullptr;      // of the listener that runs, in its frame
    std::optional<scope> children_;  // last: its children use everything above
};

}  // namespace weft::mcp_detail
