#pragma once

#include "response_parser.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_proxy.hpp>
#include <weft/net/options/http_response_head.hpp>
#include <weft/net/socket/transport.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** Room that `append_proxy_authorization` needs at most. */
[[nodiscard]] std::size_t proxy_authorization_size(const proxy_server& proxy) noexcept;

/** Appends the header that tells a proxy who we are; nothing if it need not know. */
void append_proxy_authorization(std::string& out, const proxy_server& proxy);

/** What it means that a proxy answered with an error. @param endpoint  The host and port that we wanted. */
[[nodiscard]] error proxy_refusal(const std::string& endpoint, const proxy_server& proxy,
                                  const http_response_head& head);

/** Asks a proxy for a tunnel to a host and port, and takes its answer apart. Does no I/O.
 *
 *  @par Source   RFC 9110 §9.3.6.
 */
class proxy_tunnel {
public:
    proxy_tunnel(const url& target, const proxy_server& proxy, std::string_view user_agent);
    proxy_tunnel(const proxy_tunnel&) = delete;
    proxy_tunnel& operator=(const proxy_tunnel&) = delete;
    ~proxy_tunnel();

    /** What to send; it may hold a password. */
    [[nodiscard]] const std::string& request() const noexcept { return request_; }

    /** Where to read to. */
    [[nodiscard]] boost::asio::mutable_buffer room() noexcept;
    /** Says that `size` bytes were read. @return   What is wrong with the answer, if anything. */
    [[nodiscard]] std::optional<error> received(std::size_t size);

    [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
    /** `the proxy proxy.example.com:3128`, for messages. */
    [[nodiscard]] std::string proxy_name() const { return "the proxy " + proxy_.address().endpoint(); }

    /** True once the tunnel is open. */
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

private:
    static constexpr std::size_t answer_bytes_max = 16 * 1024;

    std::string endpoint_;
    proxy_server proxy_;
    std::string request_;
    response_parser parser_;
    std::array<char, answer_bytes_max> bytes_;
    std::size_t size_ = 0;
    bool is_open_ = false;
};

/** Opens a tunnel over a connection to a proxy.
 *
 *  @param wire   The connection; afterwards it reaches to `target`.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  the proxy refuses us.
 *    - `errc::connect_failed`         the proxy cannot reach the target.
 *    - `errc::invalid_response`, `response_too_large`   it does not speak HTTP as it should.
 *    - `errc::connection_lost`        it went away.
 *    - `errc::connect_timeout`        there was no answer until `deadline`.
 *    - `errc::cancelled`              a stop came. */
task<void> open_tunnel(serial_loop& loop, std::shared_ptr<transport> wire, std::shared_ptr<proxy_tunnel> tunnel,
                       time_point deadline);

}  // namespace weft::net_detail
