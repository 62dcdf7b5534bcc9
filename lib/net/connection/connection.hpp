#pragma once

#include "net/socket/phase_deadline.hpp"
#include "net/socket/read_buffer.hpp"
#include "pool_counters.hpp"

#include <weft/net/socket/transport.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** An open transport with what an HTTP exchange needs around it: the bytes read, the bytes to write, a deadline.
 *
 *  It outlives the exchanges that use it one after the other. It also outlives a coroutine that is destroyed in the
 *  middle of a read or write, because the operation holds on to it.
 */
class connection : public std::enable_shared_from_this<connection> {
public:
    connection(serial_loop& loop, std::shared_ptr<transport> wire, std::string endpoint,
               std::shared_ptr<pool_counters> counters);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /** Reads what is there into `received()`. At the end of it `commit` says how much it was. */
    [[nodiscard]] wire_operation read_some();
    /** Writes a part of `bytes`, which must belong to this connection. */
    [[nodiscard]] wire_operation write_some(std::string_view bytes);

    [[nodiscard]] read_buffer& received() noexcept { return received_; }
    /** The request's head, overwritten after it was sent because it may hold secrets. */
    [[nodiscard]] std::string& outgoing_head() noexcept { return outgoing_head_; }
    [[nodiscard]] std::string& outgoing_body() noexcept { return outgoing_body_; }
    /** When it passes, the transport is closed, which aborts what is pending. */
    [[nodiscard]] phase_deadline& deadline() noexcept { return deadline_; }

    /** Host and port, for messages. */
    [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
    /** True if it can serve another exchange, as far as can be seen from here. */
    [[nodiscard]] bool is_reusable() noexcept { return is_open_ && received_.size() == 0 && wire_->is_quiet(); }

    void wipe_outgoing_head() noexcept;
    void close() noexcept;

private:
    std::shared_ptr<transport> wire_;
    std::string endpoint_;
    std::shared_ptr<pool_counters> counters_;
    read_buffer received_;
    std::string outgoing_head_;
    std::string outgoing_body_;
    phase_deadline deadline_;
    bool is_open_ = true;
};

}  // namespace weft::net_detail
