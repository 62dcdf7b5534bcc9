#pragma once

#include "arrival_pace.hpp"
#include "client_line.hpp"
#include "request_parser.hpp"

#include <weft/net/options/http_server_options.hpp>

#include <cstdint>
#include <string>

namespace weft::net_detail {

/** Reads the body of a request, if its handler asks for it: within a limit of bytes and at a pace.
 *
 *  @par Thread safety   None: it belongs to the loop of its connection.
 *  @par Lifetimes       Refers to the line and the parser of its connection.
 */
class request_body {
public:
    request_body(client_line& line, request_parser& parser, const http_server_timeouts& timeouts) noexcept
        : line_{line}, parser_{parser}, timeouts_{timeouts}
    {
    }

    /** A request has begun. */
    void start() noexcept
    {
        owes_continue_ = false;
        bytes_ = 0;
    }
    /** The client waits for leave to send the body. */
    void owe_continue(bool owes) noexcept { owes_continue_ = owes; }

    /** Reads it to its end, and says `100 Continue` first to a client that waits for that.
     *  @par Errors
     *    - `http_error`             it is too large (413), or breaks the protocol.
     *    - `errc::connection_lost`  the client went; `errc::send_timeout`: it was too slow. */
    [[nodiscard]] task<std::string> read(std::uint64_t bytes_max);
    /** Reads what is left of it and throws that away. */
    [[nodiscard]] task<void> skip();

    /** True if so little is left of it that skipping costs less than a new connection. */
    [[nodiscard]] bool is_worth_skipping() const noexcept;
    /** How many bytes of it have come. */
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
    [[nodiscard]] task<void> read_piece(arrival_pace& pace, std::string* to);
    [[nodiscard]] arrival_pace pace() const noexcept
    {
        return arrival_pace{timeouts_.body_grace, timeouts_.body_bytes_per_second};
    }

    client_line& line_;
    request_parser& parser_;
    const http_server_timeouts& timeouts_;
    std::uint64_t bytes_ = 0;
    bool owes_continue_ = false;
};

}  // namespace weft::net_detail
