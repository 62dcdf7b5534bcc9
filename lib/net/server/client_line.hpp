#pragma once

#include "net/socket/phase_deadline.hpp"
#include "net/socket/read_buffer.hpp"

#include <weft/async/loop/stop_scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/net/socket/transport.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace weft::net_detail {

/** The bytes between a client and the requests of its connection: what has come and is not used yet, what is to be
 *  sent, the deadline of each wait, and the watch for a client that goes while it is answered.
 *
 *  @par Thread safety   None: it belongs to one loop. One coroutine reads and one writes at a time.
 *  @par Lifetimes       Operations of its transport keep it, so that their buffers outlive a destroyed coroutine. Its
 *                       connection ends it by `abandon` before it goes itself.
 */
class client_line final : public std::enable_shared_from_this<client_line> {
public:
    struct terms {
        std::string peer;                      ///< The address of the client, for messages.
        std::chrono::nanoseconds write_stall;  ///< Until the client takes more.
        void (*gone)(void* self);              ///< Told when a client goes that is watched.
        void* self;
    };

    client_line(serial_loop& loop, std::shared_ptr<transport> wire, terms agreed);

    /** What has come. */
    [[nodiscard]] read_buffer& in() noexcept { return in_; }
    /** What `send_out` sends. */
    [[nodiscard]] std::string& out() noexcept { return out_; }
    [[nodiscard]] const std::shared_ptr<transport>& wire() const noexcept { return wire_; }
    [[nodiscard]] const std::string& peer() const noexcept { return agreed_.peer; }
    [[nodiscard]] time_point now() const { return loop_.now(); }

    /** Nothing can be read or written any more. */
    [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }
    void lose() noexcept { is_lost_ = true; }
    /** Throws why it is lost.
     *  @par Errors   `errc::connection_lost`; `errc::send_timeout`: a deadline has passed. */
    [[noreturn]] void throw_lost() const;

    /** Waits for bytes of the client. @return  How many have come; 0: the connection is over. */
    [[nodiscard]] task<std::size_t> fill(time_point deadline, std::size_t room);
    /** Sends what stands in `out`: if the client takes it at once, without a turn of the loop.
     *  @par Errors   As `throw_lost` says. */
    [[nodiscard]] task<void> send_out();
    /** Says that nothing more will be sent, and takes for a moment what the client still sends: a socket that is closed
     *  while bytes come makes the system throw away what the client has not read yet. */
    [[nodiscard]] task<void> linger();

    /** Reads while a handler works: bytes are those of the next request, an end says that the client is gone. */
    void watch();
    /** The handler has ended. A read that is under way goes on, and `fill` waits for it. */
    void end_watch() noexcept { wants_watch_ = false; }
    [[nodiscard]] bool is_watching() const noexcept { return is_watching_; }

    /** A connection that waits should cost little, whatever it has carried. */
    void shrink();
    /** Lets go of both buffers. */
    void drop_buffers();
    /** Closes; nothing of it runs afterwards. */
    void abandon() noexcept;

private:
    [[nodiscard]] task<void> watch_all();

    static constexpr std::size_t watch_room = 128;  // what a client sends while it is answered is no more than an end

    std::shared_ptr<transport> wire_;
    terms agreed_;
    serial_loop& loop_;
    read_buffer in_{watch_room, watch_room};
    std::string out_;
    phase_deadline phase_;
    stop_scope watch_scope_;
    task_context watch_context_;
    int at_once_ = 0;           // reads and writes in a row that took no turn of the loop
    bool is_lost_ = false;
    bool is_late_ = false;      // the client was
    bool wants_watch_ = false;
    bool is_watching_ = false;
    signal watched_;            // a read of the watch has ended
    task<void> watcher_;        // refers to all of the above: goes first
};

}  // namespace weft::net_detail
