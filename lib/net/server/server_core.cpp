#include "server_core.hpp"

#include "reply_head.hpp"
#include "server_connection.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/buffer.hpp>

#include <array>
#include <utility>

namespace weft::net_detail {

namespace {

using namespace std::chrono_literals;

void check(const http_server_options& options)
{
    std::string wrong;
    const auto need = [&wrong](bool is_right, std::string_view what) {
        if (!is_right) wrong.append(wrong.empty() ? "" : "; ").append(what);
    };
    const http_server_timeouts& t = options.timeouts;
    need(t.handshake > 0ns && t.head > 0ns && t.idle > 0ns && t.write_stall > 0ns && t.body_grace > 0ns,
         "timeouts must be more than zero");
    need(t.drain >= 0ns, "timeouts.drain must not be negative");
    need(t.body_bytes_per_second > 0, "timeouts.body_bytes_per_second must be at least 1");
    need(options.line_bytes_max >= 64, "line_bytes_max must be at least 64");
    need(options.head_bytes_max >= options.line_bytes_max, "head_bytes_max must be at least line_bytes_max");
    need(options.headers_max > 0, "headers_max must be at least 1");
    need(options.connections_max > 0, "connections_max must be at least 1");
    need(options.gzip_level >= 1 && options.gzip_level <= 6, "gzip_level must be from 1 to 6");
    if (!wrong.empty()) throw error{errc::invalid_configuration, "HTTP server", wrong};
}

/** Takes what the client has sent, so that the answer is not lost by a reset, and says why there is no more. Nothing
 *  can be said before a handshake. */
void turn_away(const accepted_connection& from, std::string_view why)
{
    std::array<char, 4096> unread;
    if (!from.tls) {
        static_cast<void>(from.wire->read_now(boost::asio::buffer(unread)));
        static_cast<void>(from.wire->write_now(boost::asio::buffer(refused_connection(why))));
        from.wire->end_sending();
    }
    from.wire->close();
}

}  // namespace

server_core::server_core(serial_loop& loop, http_server::handler_function handler, http_server_options options)
    : loop_{loop}, handler_{std::move(handler)}, options_{std::move(options)},
      drain_timer_{loop, [](void* self) { static_cast<server_core*>(self)->close(); }, this}
{
    check(options_);
    if (!handler_) throw error{errc::invalid_configuration, "HTTP server", "there is no handler"};
}

server_core::~server_core() = default;

void server_core::reload_tls()
{
    std::string wrong;
    for (const auto& context : tls_) {
        try {
            context->reload();
        } catch (const error& e) {
            wrong.append(wrong.empty() ? "" : "; ").append(e.detail());
        }
    }
    if (!wrong.empty())
        throw error{errc::invalid_configuration, "TLS of the server", wrong + "; what was loaded before stays"};
}

task<void> server_core::run(std::shared_ptr<server_core> core)
{
    // However this ends: a stop destroys the coroutine, and connections must not go on without it.
    struct closer {
        server_core& core;
        ~closer() { core.close(); }
    };
    const closer at_the_end{*core};
    const task_context& context = co_await this_task::context();
    scope accepting{context, failure_policy::keep_going};
    for (const auto& source : core->sources_) accepting.spawn(core->accept_from(*source));
    co_await accepting.join();
    // One that listens nowhere serves too, by what calls its handler.
    while (!core->is_draining_ || !core->open_.empty()) co_await core->changed_.wait();
}

task<void> server_core::accept_from(acceptor& source)
{
    try {
        while (!is_draining_) {
            accepted_connection accepted = co_await source.accept();
            const bool is_admitted = admit(std::move(accepted));
            // Connections that wait to be turned away do not keep the loop from those that are served.
            if (!is_admitted) co_await yield_now();
        }
    } catch (const error& thrown) {
        // A drain closes the sources, which ends the waits for connections.
        if (thrown.code() != errc::cancelled || !is_draining_) throw;
    }
}

/** Makes room at the expense of the connection that has been idle longest. */
bool server_core::make_room() noexcept
{
    if (counts_.open < options_.connections_max) return true;
    if (idle_.empty()) return false;
    ++counts_.turned_away;
    idle_.front().destroy();
    return true;
}

bool server_core::is_too_many_of(const std::string& peer) const
{
    if (options_.connections_per_peer_max == 0 || peer.empty()) return false;
    const auto found = peers_.find(peer);
    return found != peers_.end() && found->second >= options_.connections_per_peer_max;
}

/** Why a connection is not served; empty if it is. */
std::string_view server_core::refusal_of(const accepted_connection& accepted) noexcept
{
    if (accepted.is_last) return "the server can open no further connection now; try again";
    if (is_too_many_of(accepted.peer)) return "your address has as many connections as it may; try again";
    if (is_draining_ || !make_room()) return "the server takes no further connection now; try again";
    return {};
}

/** @return  False if it was turned away. */
bool server_core::admit(accepted_connection accepted)
{
    if (!accepted.wire) return false;
    ++counts_.accepted;
    if (const std::string_view why = refusal_of(accepted); !why.empty()) {
        ++counts_.turned_away;
        turn_away(accepted, why);
        if (accepted.is_last) complain();
        return false;
    }
    // Counted only where it is asked for: a map costs more than the rest of the admission.
    if (options_.connections_per_peer_max > 0 && !accepted.peer.empty()) ++peers_[accepted.peer];
    const auto connection = std::make_shared<server_connection>(shared_from_this(), std::move(accepted));
    open_.push(*connection);
    ++counts_.open;
    connection->start();
    return true;
}

/** The process may open no further file. Told once in a while: there may be thousands. */
void server_core::complain()
{
    if (!options_.on_error || loop_.now() < complains_at_) return;
    complains_at_ = loop_.now() + 10s;
    options_.on_error("accept", "the process may open no further file, so that clients are refused: raise its limit "
                                "(ulimit -n), or lower connections_max");
}

void server_core::drain()
{
    if (std::exchange(is_draining_, true)) return;
    for (const auto& source : sources_) source->close();
    while (!idle_.empty()) idle_.front().destroy();
    while (!websockets_.empty()) websockets_.pop().drain();
    if (!open_.empty()) drain_timer_.arm_after(options_.timeouts.drain);
    changed_.notify();
}

void server_core::close() noexcept
{
    is_draining_ = true;
    drain_timer_.disarm();
    for (const auto& source : sources_) source->close();
    while (!open_.empty()) open_.front().destroy();
}

void server_core::became_idle(server_connection& connection) noexcept
{
    idle_.push(connection);
    ++counts_.idle;
}

void server_core::became_busy(server_connection& connection) noexcept
{
    auto& place = static_cast<list_node<idle_list>&>(connection);
    if (!place.is_linked()) return;
    place.unlink();
    --counts_.idle;
}

void server_core::add_websocket(websocket_link& link) noexcept { websockets_.push(link); }

void server_core::ended(server_connection& connection) noexcept
{
    became_busy(connection);
    static_cast<list_node<server_core>&>(connection).unlink();
    --counts_.open;
    if (const auto found = peers_.find(connection.peer()); found != peers_.end() && --found->second == 0)
        peers_.erase(found);
    if (!open_.empty()) return;
    drain_timer_.disarm();
    changed_.notify();
}

}  // namespace weft::net_detail
