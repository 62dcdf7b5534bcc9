#pragma once

#include <weft/async/loop/serial_loop.hpp>

#include <boost/asio/ip/address.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft::net_detail {

/** One look at the hosts file and one question to the name servers, without an OS thread: c-ares on the loop's sockets.
 *
 *  It has a channel of its own, so that giving it up ends it at once and touches no other, and so that it goes by what
 *  `/etc/resolv.conf` says now. A server that is silent is asked again after 1, 2 and 4 seconds.
 *
 *  @par Cancellation   The destructor closes the sockets; nothing of it stays on the loop.
 *  @par Thread safety  None: it belongs to one loop.
 */
class name_query {
public:
    using ended_function = void (*)(void* self);

    /** @param ended   Called once when there is an answer: inside of `start` or later on the loop. */
    name_query(serial_loop& loop, ended_function ended, void* self);
    name_query(const name_query&) = delete;
    name_query& operator=(const name_query&) = delete;
    ~name_query();

    /** @param name_servers   `address`, `address:port`, with commas between them; empty: those of the system. */
    void start(const std::string& host, const std::string& name_servers);

    /** The addresses in the order in which to try them (RFC 6724); empty if there are none. */
    [[nodiscard]] const std::vector<boost::asio::ip::address>& found() const noexcept;
    /** True if no name server has answered in time. */
    [[nodiscard]] bool is_unanswered() const noexcept;
    /** Why there is no address; empty if there is one. */
    [[nodiscard]] std::string failure() const;

private:
    class channel;
    std::shared_ptr<channel> channel_;
};

}  // namespace weft::net_detail
