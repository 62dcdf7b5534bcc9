#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/** What a `dns_server` says about a name. */
struct dns_answer {
    enum class kind {
        addresses,  ///< These, of the family that was asked for; none at all is an answer, too.
        unknown,    ///< There is no such name.
        silence,
    };
    kind what = kind::silence;
    std::vector<std::string> addresses = {};
};

[[nodiscard]] inline dns_answer found_at(std::vector<std::string> addresses)
{
    return {dns_answer::kind::addresses, std::move(addresses)};
}

/** A name server on a free UDP port of 127.0.0.1, on an OS thread of its own. */
class dns_server {
public:
    using script = std::function<dns_answer(const std::string& name)>;

    explicit dns_server(script answer);
    dns_server(const dns_server&) = delete;
    ~dns_server();

    /** `127.0.0.1:<port>` */
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    /** How many questions have come. */
    [[nodiscard]] int asked() const { return asked_; }

private:
    void serve();

    script answer_;
    int socket_;
    std::uint16_t port_ = 0;
    std::atomic<int> asked_{0};
    std::thread thread_;
};
