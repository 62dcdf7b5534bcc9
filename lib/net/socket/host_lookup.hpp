#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/net/url.hpp>

#include <boost/asio/ip/address.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::net_detail {

struct host_lookup_options {
    host_lookup_options() {}
    std::string name_servers = {};  ///< `address:port`, with commas between them; empty: those of the system.
    std::size_t lookups_max = 64;   ///< Names that are looked up at the same time; more wait in line.
};

/** Finds the addresses of hosts, each name once for all who ask for it at the same time, and remembers them briefly.
 *
 *  Names are looked up side by side, in `/etc/hosts` and then by name servers. A lookup that nothing waits for any
 *  more ends at once.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Outlives the coroutines of `find`.
 */
class host_lookup {
public:
    using addresses = std::vector<boost::asio::ip::address>;

    static constexpr std::chrono::seconds lifetime{30};
    static constexpr std::size_t addresses_max = 8;
    static constexpr std::size_t hosts_max = 64;

    explicit host_lookup(serial_loop& loop, host_lookup_options options = host_lookup_options{})
        : loop_{loop}, options_{std::move(options)}, places_{options_.lookups_max}
    {
    }
    host_lookup(const host_lookup&) = delete;
    host_lookup& operator=(const host_lookup&) = delete;

    /** The addresses of the host of `target`, best first; at least one. `localhost` and names below it are not looked
     *  up.
     *
     *  @par Errors
     *    - `errc::resolve_failed`   there are none, or the name servers cannot tell.
     *    - `errc::connect_timeout`  they were not found until `deadline`.
     *    - `errc::cancelled`        a stop ended the wait.
     *  @par Cancellation   At once. */
    task<addresses> find(url target, time_point deadline);

    /** How many names are looked up now. */
    [[nodiscard]] std::size_t under_way() const noexcept { return options_.lookups_max - places_.free(); }

private:
    struct lookup;
    class interest;
    using lookup_ptr = std::shared_ptr<lookup>;

    task<lookup_ptr> look_up(std::string host);
    [[nodiscard]] lookup_ptr known(const std::string& host) const;
    lookup_ptr start(const std::string& host, slot_limiter::slot place);
    void abandon(const lookup& left) noexcept;
    void forget_old_ones();

    serial_loop& loop_;
    host_lookup_options options_;
    slot_limiter places_;  // one for each lookup under way
    std::unordered_map<std::string, lookup_ptr> lookups_;
};

/** The addresses to try: each once, the two families in turns, at most `host_lookup::addresses_max`. So a host with
 *  many addresses of a family that does not work here is still reached by the other.
 *
 *  @par Source   RFC 8305 §4. */
[[nodiscard]] host_lookup::addresses chosen_addresses(const host_lookup::addresses& found);

}  // namespace weft::net_detail
