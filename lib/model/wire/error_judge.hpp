#pragma once

#include <weft/base/errc.hpp>
#include <weft/model/chat/rate_limits.hpp>
#include <weft/model/model_error.hpp>

#include "parsed_error.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string_view>

namespace weft {
struct http_response_head;
class http_headers;
class secret_string;
}  // namespace weft

/** Errors of all providers: the statuses and the shapes are the same nearly everywhere, the words are not. */
namespace weft::model_detail {

/** What a word for an error means. */
struct error_meaning {
    std::string_view word;
    errc code;
    int status = 0;  ///< That the word stands for, if it stands for one.
};

/** In which words a provider speaks of errors and limits. */
struct error_dialect {
    std::span<const error_meaning> meanings;  ///< Looked up for `parsed_error::code` first, then for its `type`.
    std::string_view request_id_header = "x-request-id";
    rate_limits (*limits)(const http_headers&) noexcept = &rate_limits_of;
    error_detail_reader read_more = nullptr;  ///< What no other provider says; may be null.
};

/** Judges a response that is no reply: a status other than 2xx, or a body of another type than a reply has.
 *
 *  @param body   The beginning of the body, at most 64 KiB.
 *  @param key    Blotted out of what the server says.
 *  @return       A failure in `model_phase::response`. */
[[nodiscard]] model_failure response_failure(const http_response_head& head, std::string_view body,
                                             const secret_string& key, const error_dialect& dialect);

/** Judges an error that a server reported inside a successful response.
 *
 *  @param report   An object with a member `error`, or the bare error.
 *  @return         A failure in `model_phase::stream`; its code is the one that the status would have had, or
 *                  `errc::model_stream_error` when nothing says what kind it is. */
[[nodiscard]] model_failure reported_failure(const boost::json::object& report, const secret_string& key,
                                             const error_dialect& dialect);

}  // namespace weft::model_detail
