#pragma once

#include <weft/model/model_error.hpp>

#include <boost/json/object.hpp>

#include <string_view>

namespace weft {

struct http_response_head;
class secret_string;

/** Judges a response of the Messages API that is no reply: a status other than 2xx, or a body that is neither an event
 *  stream nor JSON.
 *
 *  @param body   The beginning of the body, at most 64 KiB.
 *  @param key    Blotted out of what the server says.
 *  @return       A failure in `model_phase::response`.
 *
 *  @par Source   Anthropic's API reference, "Errors" and "Rate limits".
 */
[[nodiscard]] model_failure anthropic_response_failure(const http_response_head& head, std::string_view body,
                                                       const secret_string& key);

/** Judges an error that a server reported inside a successful response.
 *
 *  @param report   `{"type":"error","error":{…}}`.
 *  @return         A failure in `model_phase::stream` with the status and the code that the type stands for, or
 *                  `errc::model_stream_error` when it is unknown.
 */
[[nodiscard]] model_failure anthropic_reported_failure(const boost::json::object& report, const secret_string& key);

}  // namespace weft
