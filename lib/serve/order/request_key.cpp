#include "request_key.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>

#include <string>

namespace weft::serve_detail {

namespace {

constexpr std::size_t header_key_bytes_max = 255;
constexpr std::chrono::hours header_key_lifetime{24};

}  // namespace

std::optional<repeatable_request> keyed_request(const api_call& call, const boost::json::object& body)
{
    const std::optional<std::string_view> key = call.http().headers().find("idempotency-key");
    if (!key || key->empty()) return std::nullopt;
    if (key->size() > header_key_bytes_max)
        throw http_error{400, "invalid_idempotency_key", "Idempotency-Key: is longer than 255 bytes"};
    repeatable_request request;
    request.tenant = call.tenant();
    // Stores take no bytes that are no text.
    request.key = "header:" + to_hex(net_detail::sha256(std::string{*key}));
    std::string said{call.http().path()};
    said.append("\n").append(boost::json::serialize(body));
    request.content = to_hex(net_detail::sha256(said));
    request.place = "Idempotency-Key";
    request.lifetime = header_key_lifetime;
    request.forgets_failed = true;
    return request;
}

}  // namespace weft::serve_detail
