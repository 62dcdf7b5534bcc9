#pragma once

#include <weft/base/environment.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/net/url.hpp>

#include <functional>
#include <string>
#include <vector>

namespace weft {

/** What nodes of the kind `http` may do; a file cannot say it.
 *
 *      weft::agent_surroundings around;
 *      around.http.trusts = weft::trust_hosts({"localhost", "scores.internal:8443"});
 */
struct http_node_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    http_node_options() {}

    /** Services of the operator: their addresses may be private, and headers of requests to them may hold variables of
     *  the environment. All others must have public addresses (`is_public_address`) and get no variable. Null: none is
     *  trusted. */
    std::function<bool(const url& service)> trusts;
    environment_lookup environment = process_environment();  ///< What `${NAME}` in headers stands for.
    /** TLS, proxy, user agent, connections. Time and size are those of the node; with the filter of addresses, which is
     *  this kind's own, requests to services that are not trusted go through no proxy. */
    http_client_options client;
};

/** Trusts services by host, or by host and port: `localhost`, `scores.internal:8443`, `10.1.2.3`, `[::1]:8001`.
 *
 *  @par Errors   `errc::invalid_configuration`, which lists all texts that are neither. */
[[nodiscard]] std::function<bool(const url& service)> trust_hosts(const std::vector<std::string>& hosts);

}  // namespace weft
