#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>

#include <boost/asio/ip/address.hpp>

#include <string>
#include <vector>

namespace weft {

/** The addresses of a host, best first, at most eight: for clients that connect by themselves, such as libpq.
 *
 *  `/etc/hosts` is looked at first, then name servers are asked, on the loop's sockets: no OS thread blocks in it.
 *  `localhost` and addresses are not looked up. Nothing is remembered.
 *
 *  @param host          A name or an address, without a port.
 *  @param limit         How long it may take.
 *  @param name_servers  `address:port`, with commas between them; empty: those of the system.
 *  @return              At least one.
 *  @par Errors
 *    - `errc::invalid_url`      `host` cannot be a name.
 *    - `errc::resolve_failed`   it has no address, or the name servers cannot tell.
 *    - `errc::connect_timeout`  no answer came in time.
 *    - `errc::cancelled`
 *  @par Cancellation    At once.
 */
[[nodiscard]] task<std::vector<boost::asio::ip::address>> find_addresses(std::string host,
                                                                         std::chrono::milliseconds limit,
                                                                         std::string name_servers);

}  // namespace weft
