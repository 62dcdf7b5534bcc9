#pragma once

#include <weft/base/clock.hpp>
#include <weft/net/secret_string.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** What a client of the modern era brings back with a request that it makes again: the answers so far. It is readable
 *  and signed; it counts for one principal and one request, until it expires.
 *
 *  @par Thread safety   As a value.
 *  @par Source          MCP 2026-07-28, multi round-trip requests: `requestState` may be forged. */
class request_state {
public:
    explicit request_state(secret_string key) : key_{std::move(key)} {}

    /** @param bound   To what it belongs: principal and request. */
    [[nodiscard]] std::string seal(const boost::json::object& answers, std::string_view bound,
                                   clock::system_time_point expires) const;
    /** The answers; nothing if it was not sealed here, belongs elsewhere, or has expired. */
    [[nodiscard]] std::optional<boost::json::object> open(std::string_view sealed, std::string_view bound,
                                                          clock::system_time_point now) const;

private:
    [[nodiscard]] std::string sign(std::string_view text, std::string_view bound) const;

    secret_string key_;
};

}  // namespace weft::mcp_detail
