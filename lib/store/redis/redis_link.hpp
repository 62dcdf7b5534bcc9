#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/net/byte_stream.hpp>

#include "redis_reply_parser.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace weft::redis_detail {

/** An open connection to a server with what belongs to it. It outlives a coroutine that is destroyed in the middle of
 *  a read or write, because the operation holds on to it. */
class redis_link : public std::enable_shared_from_this<redis_link> {
public:
    redis_link(serial_loop& loop, byte_stream stream, std::string endpoint, redis_reply_limits limits);
    ~redis_link() { close(); }
    redis_link(const redis_link&) = delete;
    redis_link& operator=(const redis_link&) = delete;

    /** Reads what is there, for `next_reply`. @par Errors   `errc::connection_lost`, `errc::timeout`. */
    [[nodiscard]] task<void> read();
    /** The next reply of what was read; messages that answer nothing are left out.
     *  @par Errors   `errc::connection_lost`, when it is not RESP. */
    [[nodiscard]] std::optional<redis_value> next_reply();

    /** What `write` sends. */
    [[nodiscard]] std::string& outgoing() noexcept { return outgoing_; }
    /** Sends `outgoing`, all of it; it must not change meanwhile. @par Errors   As `read`. */
    [[nodiscard]] task<void> write();

    /** The connection ends when nothing comes for as long; counts anew with every call. */
    void expect_within(std::chrono::nanoseconds limit) { silence_.arm_after(limit); }
    void expect_nothing() noexcept { silence_.disarm(); }

    /** When something came last, or else when it was made. */
    [[nodiscard]] time_point heard_at() const noexcept { return heard_at_; }
    /** Ends the connection because the server does not answer. */
    void give_up() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return is_open_; }
    [[nodiscard]] bool is_quiet() const noexcept { return stream_.is_quiet(); }
    void close() noexcept;
    /** Overwrites `outgoing`, which may hold a password. */
    void wipe_outgoing() noexcept;

private:
    [[noreturn]] void throw_lost(const boost::system::error_code& code) const;

    byte_stream stream_;
    std::string endpoint_;
    redis_reply_parser parser_;
    std::array<char, 16 * 1024> incoming_;
    std::string outgoing_;
    loop_timer silence_;
    time_point heard_at_;
    bool was_silent_ = false;
    bool is_open_ = true;
};

}  // namespace weft::redis_detail
