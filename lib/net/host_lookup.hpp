#pragma once

#include <weft/async/task.hpp>
#include <weft/net/url.hpp>

#include <boost/asio/ip/address.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::net_detail {

/** Finds the addresses of hosts, each name once for all who ask for it at the same time, and remembers them briefly.
 *
 *  The system's lookup blocks an OS thread of Asio's and cannot be interrupted; a deadline or a stop ends the wait for
 *  it, not the lookup itself.
 *
 *  @par Thread safety   None: it belongs to one loop.
 */
class host_lookup {
public:
    using addresses = std::vector<boost::asio::ip::address>;

    static constexpr std::chrono::seconds kept_for{30};
    static constexpr std::size_t addresses_max = 8;
    static constexpr std::size_t hosts_max = 64;

    explicit host_lookup(serial_loop& loop) noexcept : loop_{loop} {}
    host_lookup(const host_lookup&) = delete;
    host_lookup& operator=(const host_lookup&) = delete;

    /** The addresses of the host of `target`, best first; at least one. `localhost` and names below it are not looked
     *  up.
     *
     *  @par Errors
     *    - `errc::resolve_failed`   there are none, or the system cannot tell.
     *    - `errc::connect_timeout`  they were not found until `deadline`.
     *    - `errc::cancelled`        a stop ended the wait. */
    task<addresses> find(url target, time_point deadline);

private:
    struct lookup;

    std::shared_ptr<lookup> start(const std::string& host);
    static task<void> wait_for(std::shared_ptr<lookup> pending);
    void forget_old_ones();

    serial_loop& loop_;
    std::unordered_map<std::string, std::shared_ptr<lookup>> lookups_;
};

/** The addresses to try: each once, the two families in turns, at most `host_lookup::addresses_max`. So a host with
 *  many addresses of a family that does not work here is still reached by the other.
 *
 *  @par Source   RFC 8305 §4. */
[[nodiscard]] host_lookup::addresses chosen_addresses(const host_lookup::addresses& found);

}  // namespace weft::net_detail
