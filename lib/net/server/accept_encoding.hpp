#pragma once

#include <weft/net/text/http_headers.hpp>

namespace weft::net_detail {

/** What is done to the body of an answer on its way. */
enum class content_coding { identity, gzip };

/** The coding that a client likes best, of those that there are.
 *
 *      Accept-Encoding: br, gzip;q=0.8     gzip
 *      Accept-Encoding: *                  gzip
 *      Accept-Encoding: gzip;q=0, *        identity
 *
 *  A client that says nothing gets `identity`, and so does one that refuses both, since an answer as it is serves it
 *  better than none. Elements that are not valid are passed over; a list of more than 32 is not read.
 *
 *  @param request   The headers of the request.
 *  @par Source      RFC 9110 §12.4.2, §12.5.3. */
[[nodiscard]] content_coding preferred_coding(const http_headers& request) noexcept;

}  // namespace weft::net_detail
