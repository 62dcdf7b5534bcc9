#pragma once

#include "connection.hpp"

#include <weft/async/wait/slot_limiter.hpp>
#include <weft/net/connection/connector.hpp>
#include <weft/net/http_client_options.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::net_detail {

class connection_lease;

/** The connections of one client on one loop: how many there may be per origin, and which of them are unused.
 *
 *  A request takes a slot of its origin, waiting in line when all are taken, and with it the connection that was used
 *  last, or a new one. What lies unused for too long is closed while other requests are under way; when nothing is,
 *  no timer is armed, so that an idle client does not keep `io_context::run` from returning.
 *
 *  @par Thread safety   None: it belongs to one loop, so that it needs no lock.
 *  @par Lifetimes       Leases share it.
 */
class connection_pool : public std::enable_shared_from_this<connection_pool> {
public:
    connection_pool(serial_loop& loop, std::shared_ptr<const http_client_options> options,
                    std::shared_ptr<pool_counters> counters, std::unique_ptr<connector> connects);
    connection_pool(const connection_pool&) = delete;
    connection_pool& operator=(const connection_pool&) = delete;
    ~connection_pool() { close_idle(); }

    enum class choice {
        any,    ///< An unused connection if there is a good one.
        fresh,  ///< A new one.
    };

    /** A connection to the origin of `target`.
     *
     *  @param limit   For opening one.
     *
     *  @par Errors
     *    - `errc::limit_reached`   too many wait already, or the wait took too long.
     *    - `errc::cancelled`       a stop came.
     *    - those of `connector::open` */
    task<connection_lease> acquire(url target, std::chrono::nanoseconds limit, choice which);

    void close_idle() noexcept;

    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }

private:
    friend class connection_lease;

    struct idle_connection {
        std::shared_ptr<connection> held;
        time_point since;
    };
    struct origin {
        origin(std::string name, std::size_t connections_max)
            : name{std::move(name)}, connections_max{connections_max}, slots{connections_max}
        {
        }
        std::string name;
        std::size_t connections_max;
        slot_limiter slots;                 // one for each lease
        std::vector<idle_connection> idle;  // used longest ago first

        [[nodiscard]] std::size_t in_use() const noexcept { return connections_max - slots.free(); }
        [[nodiscard]] bool is_unused() const noexcept { return idle.empty() && in_use() == 0; }
    };

    origin& origin_of(const url& target);
    task<slot_limiter::slot> wait_for_slot(origin& where, std::string endpoint);
    std::shared_ptr<connection> take_idle(origin& from);
    void put_idle(origin& to, std::shared_ptr<connection> unused);
    void drop_oldest_idle() noexcept;
    void drop_first_idle(origin& from) noexcept;
    void lease_ended(origin& where) noexcept;
    void forget_if_unused(origin& where) noexcept;
    void forget_unused() noexcept;
    void reap();
    void arm_reaper();

    serial_loop& loop_;
    std::shared_ptr<const http_client_options> options_;
    std::shared_ptr<pool_counters> counters_;
    std::unique_ptr<connector> connector_;
    std::unordered_map<std::string, std::unique_ptr<origin>> origins_;
    std::size_t idle_ = 0;
    std::size_t leases_ = 0;
    loop_timer reaper_;
};

/** The right to use one connection. When it ends, the connection is closed, unless it was given back. */
class connection_lease {
public:
    connection_lease() noexcept = default;
    connection_lease(connection_lease&& other) noexcept
        : pool_{std::move(other.pool_)}, origin_{other.origin_}, slot_{std::move(other.slot_)},
          held_{std::move(other.held_)}, is_reused_{other.is_reused_}
    {
    }
    connection_lease& operator=(connection_lease other) noexcept;
    ~connection_lease() { end(false); }

    [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }
    [[nodiscard]] connection& operator*() const noexcept { return *held_; }
    [[nodiscard]] connection* operator->() const noexcept { return held_.get(); }

    /** True if the connection has served another exchange before. */
    [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }

    /** The exchange is over and the stream stands between two messages: the next one may use it. */
    void give_back() noexcept { end(true); }
    void close() noexcept { end(false); }

private:
    friend class connection_pool;
    connection_lease(std::shared_ptr<connection_pool> pool, connection_pool::origin& origin,
                     slot_limiter::slot slot) noexcept;
    void end(bool is_reusable) noexcept;

    std::shared_ptr<connection_pool> pool_;  // null when there is no slot to give back
    connection_pool::origin* origin_ = nullptr;
    slot_limiter::slot slot_;
    std::shared_ptr<connection> held_;
    bool is_reused_ = false;
};

}  // namespace weft::net_detail
