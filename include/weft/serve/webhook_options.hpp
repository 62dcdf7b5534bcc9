#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/net/secret_string.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace weft {

/** How a server tells other systems that runs are over: the `webhook` of a run is a URL that gets a POST.
 *
 *      options.webhooks.secret = secret_string{"…"};
 *      options.webhooks.also_allowed = [](std::string_view address) { return address == "10.0.0.7"; };
 *
 *  A webhook goes out at least once, also when this process ends first; its header `Idempotency-Key` is the id of the
 *  run, so that the receiver can tell a second one. Only https URLs at addresses of the public internet are taken. The
 *  addresses are looked at when a run is ordered, as far as its URL says them, and when a webhook is sent.
 *
 *  @par Errors     `errc::invalid_configuration` from `server`, which lists all values that are out of range.
 *  @par Source     LangGraph's Agent Server, "Use webhooks"; GitHub, "Validating webhook deliveries".
 *  @par Lifetimes  The function is kept as long as the server. */
struct webhook_options {
    webhook_options() {}

    /** Signs each webhook: `X-Hub-Signature-256`, which `is_signed_webhook` checks. None: they are not signed. */
    std::optional<secret_string> secret = {};
    /** Addresses that are allowed although they are not public, such as `127.0.0.1`; these also without TLS. */
    std::function<bool(std::string_view address)> also_allowed = {};
    /** How a receiver's certificate is checked; limits of time and the address filter are the server's own. */
    http_client_options client{};
    std::chrono::nanoseconds time_max = std::chrono::seconds{20};  ///< Of one attempt; at most a minute.
    std::size_t at_once_max = 32;                                  ///< Attempts under way.
    /** Larger values of a state are left out of the body: `"values": null`. */
    std::size_t values_bytes_max = 256 * 1024;
    /** About a day; then the message is dead and stays in the `webhook_outbox`. */
    retry_policy retries{.attempts_max = 18,
                         .initial = std::chrono::seconds{10},
                         .factor = 3,
                         .delay_max = std::chrono::hours{4}};
    /** Between two looks for webhooks of runs that ended in other processes, or whose time to be tried again has
     *  come. */
    std::chrono::nanoseconds poll_every = std::chrono::seconds{1};
};

}  // namespace weft
