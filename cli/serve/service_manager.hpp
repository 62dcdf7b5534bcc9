#pragma once

#include <weft/base/environment.hpp>
#include <weft/net/options/listen_address.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** Tells the service manager that has started this process how it stands, as in `READY=1`; without one nothing happens.
 *  @par Source   sd_notify(3): a datagram to the socket of NOTIFY_SOCKET. */
void notify_service_manager(std::string_view state, const weft::environment_lookup& environment);

/** The sockets that the process was started with (socket activation), as addresses `fd:3`, `fd:4`, …
 *  @par Source   sd_listen_fds(3): LISTEN_FDS, if LISTEN_PID is this process. */
[[nodiscard]] std::vector<weft::listen_address> activated_sockets(const weft::environment_lookup& environment);

}  // namespace weft_cli
