#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** Where a server listens: a TCP address with a port, a Unix socket, or a socket that the process was started with.
 *
 *      listen_address{"127.0.0.1:8080"}     listen_address{"[::]:8443"}     listen_address{":8080"}   (all, IPv4 and 6)
 *      listen_address{"unix:/run/weft.sock"}                                listen_address{"fd:3"}    (from systemd)
 *
 *  @par Errors          `errc::invalid_configuration` from the constructor; the detail says what is wrong.
 *  @par Thread safety   As a value.
 */
class listen_address {
public:
    enum class kind_type { tcp, unix_socket, inherited };

    explicit listen_address(std::string_view text);

    [[nodiscard]] kind_type kind() const noexcept { return kind_; }
    /** The address without brackets, or the path of the Unix socket. */
    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    /** 0: the system chooses one. Of TCP only. */
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /** The file descriptor of an inherited socket. */
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /** True if only this machine can connect: a loopback address, a Unix socket, or an inherited socket that is bound
     *  to one of these. */
    [[nodiscard]] bool is_local() const noexcept;
    /** True if several servers may listen on this address at once, as those of several loops do; of TCP only. */
    [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }
    /** The same address, shared. */
    [[nodiscard]] listen_address shared() const;
    /** The same address with the port that the system has chosen. */
    [[nodiscard]] listen_address with_port(std::uint16_t port) const;

    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const listen_address&, const listen_address&) = default;

private:
    kind_type kind_ = kind_type::tcp;
    std::string host_;
    std::uint16_t port_ = 0;
    int descriptor_ = -1;
    bool is_shared_ = false;
};

}  // namespace weft
