#pragma once

#include "net/socket/phase_deadline.hpp"
#include "net/socket/read_buffer.hpp"
#include "websocket_parser.hpp"

#include <weft/async/loop/linked_list.hpp>
#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/stop_scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/net/options/websocket_options.hpp>
#include <weft/net/socket/transport.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net_detail {

class server_core;

/** The WebSocket of a connection, after the handshake: one coroutine reads frames and answers what concerns the
 *  connection, another, which is there while there is something to send, writes.
 *
 *  @par Lifetimes   Operations of its transport keep it. Its connection ends it by `abandon` before it goes itself.
 */
class websocket_link final : public list_node<server_core>, public std::enable_shared_from_this<websocket_link> {
public:
    struct terms {
        websocket_options options;
        std::string protocol;
        std::string peer;                     ///< For messages.
        std::chrono::nanoseconds write_stall; ///< Until the client takes more.
        void (*lost)(void* self);             ///< Told when the connection breaks, or a handler misses the end.
        void* self;
    };

    websocket_link(serial_loop& loop, std::shared_ptr<transport> wire, terms agreed);

    /** Begins to read. @param early  What the client has sent behind the handshake. */
    void start(std::string_view early);
    /** Lets the handler come to its end. */
    void drain() { end(websocket_code::service_restart); }
    /** After the handler: closes, and waits for the client's close. */
    [[nodiscard]] task<void> finish(std::uint16_t code);
    /** Nothing of it runs afterwards. */
    void abandon() noexcept;

    // What `websocket_session` does.

    [[nodiscard]] task<std::optional<std::string>> receive();
    [[nodiscard]] task<void> send(std::string text);
    void close(std::uint16_t code, std::string_view reason);
    [[nodiscard]] std::uint16_t close_code() const noexcept { return close_code_; }
    [[nodiscard]] const std::string& protocol() const noexcept { return agreed_.protocol; }

    [[nodiscard]] std::uint64_t bytes_in() const noexcept { return bytes_in_; }
    [[nodiscard]] std::uint64_t bytes_out() const noexcept { return bytes_out_; }

private:
    [[nodiscard]] task<void> read_all();
    [[nodiscard]] task<bool> read_more();
    [[nodiscard]] task<void> write_all();
    [[nodiscard]] bool compose();
    void take_events();
    void take(websocket_event event);
    void flush();
    void tick();
    void end(std::uint16_t code);
    void lose();

    std::shared_ptr<transport> wire_;
    terms agreed_;
    read_buffer in_;
    std::size_t room_bytes_;               // of the next read
    websocket_parser parser_;
    std::optional<std::string> message_;   // for the handler
    std::string unsent_;                   // frames
    std::string sending_;                  // frames that a write has
    std::optional<std::string> pong_;      // payload of the newest ping; older ones need no answer
    std::uint64_t bytes_in_ = 0;
    std::uint64_t bytes_out_ = 0;
    std::uint16_t close_code_ = 0;
    bool has_closed_ = false;              // a close stands behind what is sent, or went out
    bool is_lost_ = false;                 // nothing can be read or written any more
    bool is_late_ = false;                 // the client did not read
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool has_heard_ = true;                // something has come since the last tick
    bool has_missed_end_ = false;          // the handler, for a period
    bool is_finishing_ = false;            // the next tick ends the wait for the client's close
    signal arrived_;                       // a message, or the end
    signal taken_;                         // the handler has the message
    signal room_;
    signal changed_;                       // reading or writing has ended
    slot_limiter turn_{1};                 // among those who send
    phase_deadline stall_;
    loop_timer timer_;                     // pings, and then the grace of the close
    stop_scope scope_;
    task_context context_;
    task<void> writer_;
    task<void> reader_;  // refer to all of the above: they go first
};

}  // namespace weft::net_detail
