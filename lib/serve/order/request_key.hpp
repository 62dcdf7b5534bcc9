#pragma once

#include "request_claim.hpp"
#include "serve/http/api_call.hpp"

#include <boost/json/object.hpp>

#include <optional>

namespace weft::serve_detail {

/** A request with the header `Idempotency-Key`: within a day the same one finds its run, also in another process. A run
 *  that has failed or was cancelled does not count. Keys are those of a tenant, for all paths.
 *  @return      Nothing: it has no key.
 *  @par Errors  `http_error` 400: the key is longer than 255 bytes. */
[[nodiscard]] std::optional<repeatable_request> keyed_request(const api_call& call, const boost::json::object& body);

}  // namespace weft::serve_detail
