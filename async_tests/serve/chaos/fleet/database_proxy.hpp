#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace fleet_chaos {

/** A way to a TCP server of this machine that can be in disorder: what the network between two machines does, without
 *  rights and on every machine.
 *
 *  @par Thread safety   The commands from any OS thread; it has one of its own.
 *  @par Errors          `std::runtime_error`: no port. */
class database_proxy {
public:
    explicit database_proxy(std::uint16_t to);
    ~database_proxy();
    database_proxy(const database_proxy&) = delete;
    database_proxy& operator=(const database_proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /** Connections stay, and no byte passes in either direction until it ends; then all that was sent arrives. */
    void set_partitioned(bool is) noexcept { is_partitioned_ = is; }
    /** Each piece that passes takes so long. */
    void set_slow(bool is) noexcept { is_slow_ = is; }
    /** Ends all connections: what is on its way is lost. */
    void cut() noexcept { is_cut_ = true; }

private:
    struct link;
    void work();
    void accept_one();
    void forward();

    std::uint16_t to_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    std::vector<std::unique_ptr<link>> links_;
    std::atomic<bool> is_partitioned_{false};
    std::atomic<bool> is_slow_{false};
    std::atomic<bool> is_cut_{false};
    std::jthread thread_;
};

}  // namespace fleet_chaos
