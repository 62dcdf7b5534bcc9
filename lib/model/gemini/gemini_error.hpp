#pragma once

#include <weft/model/model_error.hpp>

#include <boost/json/object.hpp>

#include <string_view>

namespace weft {

struct http_response_head;
class secret_string;

/** Judges a response of Gemini that is no reply: a status other than 2xx, or a body that is neither an event stream nor
 *  JSON. The wait that the provider asks for in the body counts unless a header names one; a quota per day is no rate
 *  limit.
 *
 *  @param body   The beginning of the body, at most 64 KiB.
 *  @param key    Blotted out of what the server says.
 *  @return       A failure in `model_phase::response`.
 *
 *  @par Source   Google's error model, `google.rpc.Status` and `google/rpc/error_details.proto`.
 */
[[nodiscard]] model_failure gemini_response_failure(const http_response_head& head, std::string_view body,
                                                    const secret_string& key);

/** Judges an error that a server reported inside a successful response.
 *
 *  @param report   `{"error":{"code":…,"status":…}}`.
 *  @return         A failure in `model_phase::stream`; its code is the one that the status would have had, or
 *                  `errc::model_stream_error` when nothing says what kind it is.
 */
[[nodiscard]] model_failure gemini_reported_failure(const boost::json::object& report, const secret_string& key);

}  // namespace weft
