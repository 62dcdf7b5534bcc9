#pragma once

#include <weft/model/model_error.hpp>

#include <boost/json/object.hpp>

#include <string_view>

namespace weft {

struct http_response_head;
class secret_string;

/** Judges a response of an OpenAI-compatible server that is no reply: a status other than 2xx, or a body that is
 *  neither an event stream nor JSON.
 *
 *  @param body   The beginning of the body, at most 64 KiB.
 *  @param key    Blotted out of what the server says.
 *  @return       A failure in `model_phase::response`.
 *
 *  @par Source   The statuses and codes of OpenAI's error guide; the shapes that vLLM, llama.cpp, Mistral, FastAPI,
 *                Gemini and OpenRouter put them into.
 */
[[nodiscard]] model_failure openai_response_failure(const http_response_head& head, std::string_view body,
                                                    const secret_string& key);

/** Judges an error that a server reported inside a successful response.
 *
 *  @param report   An object with a member `error`, or the bare error with `message`, `type` and `code`.
 *  @return         A failure in `model_phase::stream`; its code is the one that the status would have had, or
 *                  `errc::model_stream_error` when nothing says what kind it is.
 */
[[nodiscard]] model_failure openai_reported_failure(const boost::json::object& report, const secret_string& key);

/** Whether a piece of a reply reports an error: `error` that is not null, or the flat `{"object":"error",…}`. */
[[nodiscard]] bool reports_error(const boost::json::object& chunk) noexcept;

}  // namespace weft
