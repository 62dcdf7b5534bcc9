#include <weft/net/options/listen_address.hpp>

#include <weft/base/error.hpp>

#include <boost/asio/ip/address.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>

namespace weft {

namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why)
{
    throw error{errc::invalid_configuration, "address to listen on \"" + std::string{text} + '"',
                std::string{why} + "; write 127.0.0.1:8080, [::1]:8080, :8080 for all addresses, unix:/path or fd:3"};
}

template <class Number>
Number number_in(std::string_view digits, std::string_view whole, std::string_view what)
{
    Number number{};
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || code != std::errc{} || end != digits.data() + digits.size()) refuse(whole, what);
    return number;
}

}  // namespace

listen_address::listen_address(std::string_view text)
{
    if (text.starts_with("unix:")) {
        kind_ = kind_type::unix_socket;
        host_ = text.substr(5);
        // The kernel has 108 bytes for it, with a zero at the end.
        if (host_.empty() || host_.size() > 107) refuse(text, "the path of a Unix socket has 1 to 107 bytes");
        return;
    }
    if (text.starts_with("fd:")) {
        kind_ = kind_type::inherited;
        descriptor_ = number_in<int>(text.substr(3), text, "a file descriptor is a number");
        if (descriptor_ < 3) refuse(text, "the file descriptors 0 to 2 are not for sockets");
        return;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) refuse(text, "the port is missing");
    port_ = number_in<std::uint16_t>(text.substr(colon + 1), text, "the port is no number up to 65535");
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        refuse(text, "an IPv6 address stands in brackets");
    if (host == "localhost") host = "127.0.0.1";
    if (!host.empty()) {
        boost::system::error_code code;
        const auto address = boost::asio::ip::make_address(std::string{host}, code);
        if (code) refuse(text, "the host is no IP address");
        host_ = address.to_string();
    }
}

namespace {

/** Whether a socket that the process was started with is bound to this machine; one that cannot be asked is not. */
bool is_bound_locally(int descriptor) noexcept
{
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return false;
    if (bound.ss_family == AF_UNIX) return true;
    if (bound.ss_family == AF_INET) {
        const auto& at = reinterpret_cast<const sockaddr_in&>(bound);
        return boost::asio::ip::make_address_v4(ntohl(at.sin_addr.s_addr)).is_loopback();
    }
    return bound.ss_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(bound).sin6_addr);
}

}  // namespace

bool listen_address::is_local() const noexcept
{
    if (kind_ == kind_type::unix_socket) return true;
    if (kind_ == kind_type::inherited) return is_bound_locally(descriptor_);
    if (host_.empty()) return false;
    boost::system::error_code code;
    const auto address = boost::asio::ip::make_address(host_, code);
    return !code && address.is_loopback();
}

listen_address listen_address::shared() const
{
    listen_address result = *this;
    result.is_shared_ = kind_ == kind_type::tcp;
    return result;
}

listen_address listen_address::with_port(std::uint16_t port) const
{
    listen_address result = *this;
    result.port_ = port;
    return result;
}

std::string listen_address::to_string() const
{
    switch (kind_) {
    case kind_type::unix_socket: return "unix:" + host_;
    case kind_type::inherited: return "fd:" + std::to_string(descriptor_);
    case kind_type::tcp: break;
    }
    const bool is_v6 = host_.find(':') != std::string::npos;
    return (is_v6 ? '[' + host_ + ']' : host_) + ':' + std::to_string(port_);
}

}  // namespace weft
