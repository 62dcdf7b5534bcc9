#include "database_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>

namespace fleet_chaos {

namespace {

constexpr int look_every_ms = 20;
constexpr int slow_ms = 20;
constexpr std::size_t piece_bytes = 64 * 1024;

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

void wait_ms(int span) { static_cast<void>(::poll(nullptr, 0, span)); }

/** One direction of a connection: what was read and not yet written. */
struct direction {
    int from = -1;
    int to = -1;
    std::string waiting = {};

    [[nodiscard]] pollfd wanted() const
    {
        return waiting.empty() ? pollfd{from, POLLIN, 0} : pollfd{to, POLLOUT, 0};
    }
    /** @return  False: an end has gone. */
    [[nodiscard]] bool move_on()
    {
        if (waiting.empty()) {
            std::array<char, piece_bytes> piece;
            const ssize_t count = ::recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
            if (count == 0) return false;
            if (count < 0) return errno == EAGAIN || errno == EINTR;
            waiting.assign(piece.data(), static_cast<std::size_t>(count));
        }
        const ssize_t count = ::send(to, waiting.data(), waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        waiting.erase(0, static_cast<std::size_t>(count));
        return true;
    }
};

}  // namespace

struct database_proxy::link {
    link(int client, int server) : ways{direction{client, server}, direction{server, client}} {}
    ~link()
    {
        ::close(ways[0].from);
        ::close(ways[0].to);
    }
    link(const link&) = delete;
    link& operator=(const link&) = delete;

    std::array<direction, 2> ways;
};

database_proxy::database_proxy(std::uint16_t to) : to_{to}, listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}
{
    constexpr int waiting_max = 64;
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool is_open = ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                         ::listen(listener_, waiting_max) == 0 &&
                         ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!is_open) throw std::runtime_error{"no port for a proxy"};
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread{[this](const std::stop_token& stop) {
        while (!stop.stop_requested()) work();
    }};
}

database_proxy::~database_proxy()
{
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
}

void database_proxy::work()
{
    if (is_cut_.exchange(false)) links_.clear();
    if (is_partitioned_) return wait_ms(look_every_ms);
    std::vector<pollfd> wanted{{listener_, POLLIN, 0}};
    for (const auto& each : links_)
        for (const direction& way : each->ways) wanted.push_back(way.wanted());
    if (::poll(wanted.data(), wanted.size(), look_every_ms) <= 0) return;
    if (is_slow_) wait_ms(slow_ms);
    forward();
    if (wanted.front().revents != 0) accept_one();
}

void database_proxy::forward()
{
    std::erase_if(links_, [](const std::unique_ptr<link>& each) {
        return !each->ways[0].move_on() || !each->ways[1].move_on();
    });
}

void database_proxy::accept_one()
{
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(to_);
    const bool is_there = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    constexpr int is_on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
    ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
    auto made = std::make_unique<link>(client, server);
    if (is_there) links_.push_back(std::move(made));  // else the client is told by the end of its connection
}

}  // namespace fleet_chaos
