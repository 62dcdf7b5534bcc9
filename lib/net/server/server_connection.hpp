#pragma once

#include "client_line.hpp"
#include "net/tls/tls_server_transport.hpp"
#include "reply_head.hpp"
#include "request_body.hpp"
#include "request_parser.hpp"
#include "server_core.hpp"
#include "websocket_link.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/stop_scope.hpp>
#include <weft/net/server/http_call.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace weft::net_detail {

/** A client's connection: reads requests, gives them to the handler one after the other, and writes its answers.
 *  As a WebSocket it gives its bytes away, to a `websocket_link`. */
class server_connection final : public list_node<server_core>,
                                public list_node<idle_list>,
                                public std::enable_shared_from_this<server_connection> {
public:
    server_connection(std::shared_ptr<server_core> core, accepted_connection accepted);

    /** Begins to serve. The connection keeps itself until `server_core::ended`. */
    void start();
    /** Asks the handler to end, and the connection with it. */
    void request_stop() { scope_.request_stop(); }
    /** Closes the socket and destroys what runs, at once. */
    void destroy() noexcept;

    [[nodiscard]] const std::string& peer() const noexcept { return line_->peer(); }
    /** Null without TLS. */
    [[nodiscard]] const tls_server_transport* tls() const noexcept { return tls_.get(); }
    [[nodiscard]] server_core& core() const noexcept { return *core_; }
    [[nodiscard]] const http_request_head& head() const noexcept { return parser_.head(); }

    // What `http_call` does.

    task<std::string> read_body(std::optional<std::uint64_t> bytes_max);
    task<void> reply(http_reply answer);
    task<void> start_stream(int status, std::string_view content_type, http_headers headers);
    void begin_stream(int status, std::string_view content_type, const http_headers& headers);
    task<void> flush();
    task<void> write_piece(std::string_view bytes);
    task<void> end_stream(std::string_view last);
    task<websocket_session> accept_websocket(websocket_options options);
    void watch_client() { line_->watch(); }
    void close_afterwards() noexcept { closes_ = true; }
    void never_compress() noexcept { may_compress_ = false; }
    void always_send(http_headers headers) { common_ = std::move(headers); }
    [[nodiscard]] bool is_gone() const noexcept { return line_->is_lost() || scope_.stop_requested(); }
    [[nodiscard]] bool has_answered() const noexcept { return stage_ != stage::open && !holds_head_; }
    [[nodiscard]] bool is_streaming() const noexcept { return stage_ == stage::streaming; }

private:
    enum class stage { open, streaming, answered };

    static void ended(void* self);
    task<void> run();
    task<bool> shake_hands();
    task<bool> read_head();
    task<void> answer_request();
    task<bool> finish_exchange();
    task<void> answer_failure(std::exception_ptr failure);
    void tell_error(std::string_view what) const;
    task<void> refuse(int status, std::string code, std::string message);
    void begin_exchange();
    [[nodiscard]] bool parse_head();
    void begin_answer(int status, std::string_view content_type, const http_headers& headers,
                      std::optional<std::uint64_t> content_length);
    void append_piece(std::string_view bytes);
    void decide_close() noexcept;
    void report() const;
    void say_goodbye() const noexcept;

    std::shared_ptr<server_core> core_;
    std::shared_ptr<tls_server_transport> tls_;
    std::shared_ptr<client_line> line_;
    request_parser parser_;
    request_body body_;
    stop_scope scope_;
    task_context context_;
    http_call call_;

    // Of the exchange.
    stage stage_ = stage::open;
    bool closes_ = false;           // the connection ends with the answer
    bool is_handling_ = false;
    bool has_no_body_ = false;      // of the answer
    bool holds_head_ = false;       // of a stream: another answer may still take its place
    bool may_compress_ = true;
    int status_ = 0;
    http_headers common_;
    std::uint64_t bytes_out_ = 0;
    time_point began_{};
    time_point answered_{};

    // Of the connection.
    std::shared_ptr<server_connection> self_;    // while it serves
    std::shared_ptr<websocket_link> websocket_;  // what the connection has become
    task<void> work_;               // refers to all of the above: goes first
};

}  // namespace weft::net_detail
