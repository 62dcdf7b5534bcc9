#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace weft_tests {

/** A relay on the loopback in front of a PostgreSQL server that counts how often clients wait for answers: with each
 *  message Sync of theirs. Without TLS. It ends with this object. */
class sync_counter {
public:
    explicit sync_counter(std::uint16_t server) : server_{server}
    {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at = loopback(0);
        socklen_t size = sizeof at;
        if (::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size) != 0 || ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
            throw std::runtime_error{"the relay has no port"};
        port_ = ntohs(at.sin_port);
        thread_ = std::jthread{[this](std::stop_token stop) { relay(stop); }};
    }
    ~sync_counter()
    {
        thread_.request_stop();
        thread_.join();
        ::close(listener_);
    }
    sync_counter(const sync_counter&) = delete;
    sync_counter& operator=(const sync_counter&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::size_t syncs() const noexcept { return syncs_.load(); }

private:
    struct link {
        int client;
        int server;
        std::string ahead = {};    // the begin of a message of the client
        bool has_started = false;  // the first message has no letter
    };

    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return at;
    }

    void relay(const std::stop_token& stop)
    {
        std::list<link> links;
        while (!stop.stop_requested()) {
            std::vector<pollfd> all{{listener_, POLLIN, 0}};
            for (const link& each : links) all.insert(all.end(), {{each.client, POLLIN, 0}, {each.server, POLLIN, 0}});
            if (::poll(all.data(), all.size(), 20) <= 0) continue;
            std::size_t at = 1;
            for (auto each = links.begin(); each != links.end();) {
                const bool from_client = all[at++].revents != 0;
                const bool from_server = all[at++].revents != 0;
                const bool goes_on = (!from_client || pass(each->client, each->server, &*each)) &&
                                     (!from_server || pass(each->server, each->client, nullptr));
                each = goes_on ? std::next(each) : end(links, each);
            }
            if (all[0].revents != 0) accept(links);
        }
        while (!links.empty()) end(links, links.begin());
    }

    void accept(std::list<link>& links)
    {
        const sockaddr_in at = loopback(server_);
        link made{::accept(listener_, nullptr, nullptr), ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        links.push_back(std::move(made));
        if (::connect(links.back().server, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
            end(links, std::prev(links.end()));
    }

    static std::list<link>::iterator end(std::list<link>& links, std::list<link>::iterator which)
    {
        ::close(which->client);
        ::close(which->server);
        return links.erase(which);
    }

    /** @param of   To count in; null: what the server says. @return  False at the end. */
    bool pass(int from, int to, link* of)
    {
        char buffer[65'536];
        const ssize_t got = ::recv(from, buffer, sizeof buffer, 0);
        if (got <= 0) return false;
        const std::string_view bytes{buffer, static_cast<std::size_t>(got)};
        if (of) count(*of, bytes);
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t more = ::send(to, buffer + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (more <= 0) return false;
            sent += static_cast<std::size_t>(more);
        }
        return true;
    }

    void count(link& of, std::string_view bytes)
    {
        of.ahead += bytes;
        for (;;) {
            const std::size_t head = of.has_started ? 1 : 0;
            if (of.ahead.size() < head + 4) return;
            std::size_t length = 0;
            for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(of.ahead[head + i]);
            if (of.ahead.size() < head + length) return;
            if (of.has_started && of.ahead.front() == 'S') ++syncs_;
            of.has_started = true;
            of.ahead.erase(0, head + length);
        }
    }

    const std::uint16_t server_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> syncs_{0};
    std::jthread thread_;
};

}  // namespace weft_tests
