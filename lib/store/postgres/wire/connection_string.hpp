#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::postgres_detail {

/** One server of a connection string. */
struct server_address {
    server_address() noexcept {}

    std::string host;     ///< A name, an address, or the folder of a local socket.
    std::string port;
    std::string address;  ///< What the string itself gives as the address of the host; usually empty.

    /** Nothing has to be looked up: it is a local socket or an address. */
    [[nodiscard]] bool is_resolved() const noexcept;
    /** A local socket or this machine's loopback. */
    [[nodiscard]] bool is_local() const noexcept;
};

/** A connection string of libpq, taken apart: its servers, and everything else by keyword.
 *
 *  What it leaves out comes from libpq's environment variables and defaults, as its documentation says. Without an
 *  `sslmode`, servers elsewhere than on this machine are spoken to with `verify-full` only.
 */
class connection_string {
public:
    /** @param text      `postgresql://user@host/database?…` or `host=… dbname=…`.
     *  @par Errors      `errc::invalid_configuration`: it cannot be read; the message does not repeat it. */
    explicit connection_string(const std::string& text);

    [[nodiscard]] const std::vector<server_address>& servers() const noexcept { return servers_; }
    /** For people: database and servers, without user and password. */
    [[nodiscard]] const std::string& label() const noexcept { return label_; }

    /** Keywords and values for one server.
     *  @param address  Where it is; empty for a local socket. */
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_for(const server_address& server,
                                                                                const std::string& address) const;
    /** `message` with `***` in place of the password. */
    [[nodiscard]] std::string scrub(std::string_view message) const;

private:
    [[nodiscard]] std::string& value_of(std::string_view keyword);
    void take_servers();

    std::vector<std::pair<std::string, std::string>> settings_;
    std::vector<server_address> servers_;
    std::string password_;
    std::string label_;
};

}  // namespace weft::postgres_detail
