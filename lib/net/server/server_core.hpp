#pragma once

#include "http_date.hpp"
#include "net/tls/tls_server_context.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/signal.hpp>
#include <weft/net/http_server.hpp>
#include <weft/net/server/acceptor.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::net_detail {

class server_connection;
class websocket_link;
struct idle_list;  // tells the places of a connection in two lists apart

/** What the connections of a server share: handler, options, counts; and which connections there are.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Connections share ownership of it, the server closes it.
 */
class server_core : public std::enable_shared_from_this<server_core> {
public:
    server_core(serial_loop& loop, http_server::handler_function handler, http_server_options options);
    ~server_core();
    server_core(const server_core&) = delete;
    server_core& operator=(const server_core&) = delete;

    void add_source(std::shared_ptr<acceptor> source, std::shared_ptr<tls_server_context> tls = nullptr)
    {
        sources_.push_back(std::move(source));
        if (tls) tls_.push_back(std::move(tls));
    }
    /** As `http_server` says. */
    void reload_tls();
    /** Takes connections until all sources are closed, then waits for the last connection. The task shares the core: a
     *  loop destroys what runs on it after the server of a program that was stopped. */
    static task<void> run(std::shared_ptr<server_core> core);
    void drain();
    /** Closes everything at once, whatever is under way. */
    void close() noexcept;

    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }
    [[nodiscard]] const http_server_options& options() const noexcept { return options_; }
    [[nodiscard]] const http_server::handler_function& handler() const noexcept { return handler_; }
    [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
    /** The header `Date` of this second. */
    [[nodiscard]] std::string_view date() { return date_.text(loop_.clock().system_now()); }
    [[nodiscard]] http_server_counts& counts() noexcept { return counts_; }

    /** How many answers are being compressed. */
    [[nodiscard]] std::size_t& compressions() noexcept { return compressions_; }

    // Told by connections.

    void became_idle(server_connection& connection) noexcept;
    void became_busy(server_connection& connection) noexcept;
    /** A drain has to reach it. */
    void add_websocket(websocket_link& link) noexcept;
    /** Nothing of the connection runs any more; it may be destroyed in here. */
    void ended(server_connection& connection) noexcept;

private:
    task<void> accept_from(acceptor& source);
    [[nodiscard]] bool admit(accepted_connection accepted);
    [[nodiscard]] std::string_view refusal_of(const accepted_connection& accepted) noexcept;
    void complain();
    [[nodiscard]] bool make_room() noexcept;
    [[nodiscard]] bool is_too_many_of(const std::string& peer) const;

    serial_loop& loop_;
    const http_server::handler_function handler_;
    const http_server_options options_;
    http_date date_;
    http_server_counts counts_;
    std::size_t compressions_ = 0;
    std::vector<std::shared_ptr<acceptor>> sources_;
    std::vector<std::shared_ptr<tls_server_context>> tls_;
    linked_list<server_connection, server_core> open_;
    linked_list<server_connection, idle_list> idle_;      // the longest first
    linked_list<websocket_link, server_core> websockets_;
    std::unordered_map<std::string, std::size_t> peers_;  // counted only if they are limited
    signal changed_;                                      // the last connection has ended
    loop_timer drain_timer_;
    time_point complains_at_{};                           // earliest, of files that could not be opened
    bool is_draining_ = false;
};

}  // namespace weft::net_detail
