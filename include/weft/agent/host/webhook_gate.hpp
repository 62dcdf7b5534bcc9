#pragma once

#include <weft/net/secret_string.hpp>
#include <weft/net/text/http_headers.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where a webhook comes in. */
struct webhook_route {
    std::string path = {};                        ///< E.g. `/hooks/orders`.
    std::string entry_point = {};                 ///< What it begins.
    std::vector<std::string> methods = {"POST"};
    std::optional<secret_string> secret = {};     ///< With one, only signed requests count.
    std::string key_header = "Idempotency-Key";   ///< What the sender writes into it is the idempotency key.
    std::size_t body_bytes_max = 1'024 * 1'024;
};

/** A request as it came. */
struct webhook_request {
    std::string method = "POST";
    std::string path = {};  ///< What follows a `?` does not count.
    http_headers headers = {};
    std::string body = {};
};

/** What an accepted webhook begins. */
struct webhook_delivery {
    std::string entry_point = {};
    boost::json::value payload = {};  ///< The body; `{}` if it is empty, `{"raw_body": text}` if it is not JSON.
    std::string idempotency_key = {};
};

/** What is answered. */
struct webhook_answer {
    unsigned status = 202;
    boost::json::value body = {};
    std::optional<webhook_delivery> delivery = {};  ///< Of an accepted request.
};

/** An answer that begins nothing. @param why   For the sender: nothing that only the program should know. */
[[nodiscard]] webhook_answer refused_webhook(unsigned status, std::string_view why);

/** Decides on webhooks: 404 where nothing is, 405 for another method, 413 for a body that is too large, 401 without the
 *  right signature, else 202 and what it begins. It has no socket: whatever server there is asks it.
 *
 *  @par Thread safety   As a value; `receive` from any OS thread.
 *  @par Source          Hive's webhook server; the signature is GitHub's.
 */
class webhook_gate {
public:
    /** @par Errors   `errc::invalid_configuration`: the path does not begin with `/`, is there already, or the secret
     *                is empty. */
    void add(webhook_route route);

    [[nodiscard]] webhook_answer receive(const webhook_request& request) const;
    [[nodiscard]] bool empty() const noexcept { return routes_.empty(); }

private:
    std::vector<webhook_route> routes_;
};

}  // namespace weft
