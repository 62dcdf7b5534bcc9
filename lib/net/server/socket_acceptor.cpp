#include "socket_acceptor.hpp"

#include "net/socket/tcp_socket.hpp"
#include "net/socket/tcp_transport.hpp"
#include "net/tls/tls_server_transport.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t unsent_bytes_usual = 16 * 1024;

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

[[noreturn]] void refuse(const listen_address& at, const error_code& code)
{
    std::string why = code.message();
    if (code == asio::error::address_in_use)
        why += "; another process listens there: stop it, or choose another port (0: any that is free)";
    else if (code == asio::error::access_denied)
        why += "; ports below 1024 and foreign folders need a right of their own";
    else if (code.value() == EADDRNOTAVAIL)
        why += "; this machine does not have the address";
    throw error{errc::listen_failed, at.to_string(), why};
}

void check(const listen_address& at, const error_code& code)
{
    if (code) refuse(at, code);
}

/** A file descriptor in reserve. When a process may open no more, the connections that wait can only be answered and
 *  closed by accepting them: for that this one is given up for a moment. */
class spare_descriptor {
public:
    spare_descriptor() noexcept { open(); }
    ~spare_descriptor() { close(); }
    spare_descriptor(const spare_descriptor&) = delete;
    spare_descriptor& operator=(const spare_descriptor&) = delete;

    void open() noexcept
    {
        if (descriptor_ < 0) descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    void close() noexcept
    {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

private:
    int descriptor_ = -1;
};

/** The address of the other end as text; an IPv4 address that came by an IPv6 socket as IPv4. */
std::string peer_of(const sockaddr_storage& name)
{
    if (name.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
        return asio::ip::address_v4{ntohl(v4.sin_addr.s_addr)}.to_string();
    }
    if (name.ss_family != AF_INET6) return {};
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
    asio::ip::address_v6::bytes_type bytes;
    std::copy_n(v6.sin6_addr.s6_addr, bytes.size(), bytes.begin());
    const asio::ip::address_v6 address{bytes};
    if (address.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, address).to_string();
    return address.to_string();
}

/** Accepts on a socket of any family; what comes out of it reads and writes as TCP does. */
class socket_acceptor final : public acceptor, public std::enable_shared_from_this<socket_acceptor> {
public:
    using protocol = asio::generic::stream_protocol;
    using native_acceptor = asio::basic_socket_acceptor<protocol, loop_executor>;

    socket_acceptor(serial_loop& loop, std::size_t send_buffer_bytes, std::shared_ptr<const tls_server_context> tls)
        : loop_{loop}, listener_{loop.executor()}, send_buffer_bytes_{send_buffer_bytes}, tls_{std::move(tls)}
    {
    }
    [[nodiscard]] native_acceptor& listener() noexcept { return listener_; }
    void unlink_at_end(std::string path) { unlink_ = std::move(path); }

    task<accepted_connection> accept() override
    {
        for (;;) {
            if (std::exchange(is_short_of_files_, false)) {
                spare_.open();  // the last connection is closed
                co_await sleep_for(10ms);
            }
            tcp_socket socket{loop_.executor()};
            sockaddr_storage name{};
            error_code code = take(socket, name);
            if (code == asio::error::no_descriptors || code.value() == ENFILE) {
                is_short_of_files_ = true;
                spare_.close();
                code = take(socket, name);
                if (code) continue;
            }
            if (!code) {
                prepare(socket);
                accepted_connection accepted = connection_over(std::move(socket), peer_of(name));
                accepted.is_last = is_short_of_files_;
                co_return accepted;
            }
            if (code == asio::error::would_block || code == asio::error::try_again) {
                const auto [waited] = co_await listener_.async_wait(native_acceptor::wait_read,
                                                                    use_task_keeping{shared_from_this()});
                if (waited == asio::error::operation_aborted || !listener_.is_open())
                    throw error{errc::cancelled, "the listening socket", "it was closed"};
            } else if (!listener_.is_open()) {
                throw error{errc::cancelled, "the listening socket", "it was closed"};
            } else {
                co_await sleep_for(1ms);  // of this connection only: it was reset before it was taken
            }
        }
    }

    void close() noexcept override
    {
        error_code ignored;
        listener_.close(ignored);
        if (!unlink_.empty()) ::unlink(unlink_.c_str());
        unlink_.clear();
    }

private:
    /** One system call for a connection, its address and its flags. */
    error_code take(tcp_socket& socket, sockaddr_storage& name)
    {
        socklen_t size = sizeof(name);
        const int taken = ::accept4(listener_.native_handle(), reinterpret_cast<sockaddr*>(&name), &size,
                                    SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (taken < 0) return {errno, boost::system::system_category()};
        error_code code;
        socket.assign(name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), taken, code);
        if (code) ::close(taken);
        return code;
    }

    accepted_connection connection_over(tcp_socket socket, std::string peer) const
    {
        accepted_connection accepted;
        accepted.peer = std::move(peer);
        if (tls_) {
            accepted.tls = std::make_shared<tls_server_transport>(tls_->native(), std::move(socket));
            accepted.wire = accepted.tls;
        } else {
            accepted.wire = std::make_shared<tcp_transport>(std::move(socket));
        }
        return accepted;
    }

    void prepare(tcp_socket& socket) const
    {
        error_code ignored;
        socket.non_blocking(true, ignored);
        socket.set_option(tcp::no_delay{true}, ignored);
        // What the client cannot take yet waits here, where it is bounded, and not in the system, which keeps megabytes
        // for each client that has stopped to read. What is under way to the client does not count.
        const int unsent = static_cast<int>(send_buffer_bytes_ > 0 ? send_buffer_bytes_ : unsent_bytes_usual);
        socket.set_option(asio::detail::socket_option::integer<IPPROTO_TCP, 25>{unsent}, ignored);  // TCP_NOTSENT_LOWAT
        if (send_buffer_bytes_ == 0) return;
        socket.set_option(asio::socket_base::send_buffer_size{unsent}, ignored);
    }

    serial_loop& loop_;
    native_acceptor listener_;
    spare_descriptor spare_;
    std::size_t send_buffer_bytes_;
    std::shared_ptr<const tls_server_context> tls_;
    bool is_short_of_files_ = false;
    std::string unlink_;
};

/** An acceptor whose pending waits keep what they need, also when the server is destroyed before they end. */
class shared_acceptor final : public acceptor {
public:
    explicit shared_acceptor(std::shared_ptr<socket_acceptor> shared) noexcept : shared_{std::move(shared)} {}
    ~shared_acceptor() override { shared_->close(); }
    task<accepted_connection> accept() override { return shared_->accept(); }
    void close() noexcept override { shared_->close(); }

private:
    std::shared_ptr<socket_acceptor> shared_;
};

/** A file that no process listens on any more is in the way of the next one. */
void remove_stale_socket(const std::string& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    asio::io_context context;
    asio::local::stream_protocol::socket probe{context};
    error_code code;
    probe.connect(asio::local::stream_protocol::endpoint{path}, code);
    if (code == asio::error::connection_refused) ::unlink(path.c_str());
}

void bind_tcp(socket_acceptor& opened, const listen_address& at)
{
    using protocol = socket_acceptor::protocol;
    auto& listener = opened.listener();
    error_code code;
    const bool is_any = at.host().empty();
    const auto address = is_any ? asio::ip::address{asio::ip::address_v6::any()} : asio::ip::make_address(at.host());
    const tcp::endpoint endpoint{address, at.port()};
    using v6_only = asio::ip::v6_only;
    check(at, listener.open(protocol{endpoint.protocol()}, code));
    check(at, listener.set_option(asio::socket_base::reuse_address{true}, code));
    if (is_any) check(at, listener.set_option(v6_only{false}, code));
    // Servers on several loops share a port: the kernel gives each its part of the connections.
    if (at.is_shared()) {
        using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
        check(at, listener.set_option(reuse_port{true}, code));
    }
    check(at, listener.bind(protocol::endpoint{endpoint}, code));
}

void bind_unix(socket_acceptor& opened, const listen_address& at)
{
    using local = asio::local::stream_protocol;
    error_code code;
    remove_stale_socket(at.host());
    check(at, opened.listener().open(socket_acceptor::protocol{local{}}, code));
    check(at, opened.listener().bind(socket_acceptor::protocol::endpoint{local::endpoint{at.host()}}, code));
    opened.unlink_at_end(at.host());
}

void take_over(socket_acceptor& opened, const listen_address& at)
{
    int family = 0;
    socklen_t size = sizeof(family);
    if (::getsockopt(at.descriptor(), SOL_SOCKET, SO_DOMAIN, &family, &size) != 0)
        refuse(at, error_code{errno, boost::system::system_category()});
    error_code code;
    check(at, opened.listener().assign(socket_acceptor::protocol{family, 0}, at.descriptor(), code));
}

}  // namespace

listening listen_on_socket(serial_loop& loop, const listen_address& at, std::size_t send_buffer_bytes,
                           std::shared_ptr<const tls_server_context> tls)
{
    auto opened = std::make_shared<socket_acceptor>(loop, send_buffer_bytes, std::move(tls));
    switch (at.kind()) {
    case listen_address::kind_type::tcp: bind_tcp(*opened, at); break;
    case listen_address::kind_type::unix_socket: bind_unix(*opened, at); break;
    case listen_address::kind_type::inherited: take_over(*opened, at); break;
    }
    auto& listener = opened->listener();
    error_code code;
    check(at, listener.non_blocking(true, code));
    if (at.kind() != listen_address::kind_type::inherited) check(at, listener.listen(SOMAXCONN, code));
    listen_address bound = at;
    if (at.kind() == listen_address::kind_type::tcp) {
        const auto name = listener.local_endpoint(code);
        check(at, code);
        bound = at.with_port(ntohs(reinterpret_cast<const sockaddr_in*>(name.data())->sin_port));
    }
    return {std::make_unique<shared_acceptor>(std::move(opened)), std::move(bound)};
}

}  // namespace weft::net_detail
