#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/ollama/ollama_settings.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Writes the body of a streaming `POST …/api/chat`.
 *
 *  `chat_request::reasoning_effort` becomes `think`: `none` and `false` forbid it, `true` allows it, other words go as
 *  they are. There is no choice of tools in the API: `none` leaves the tools out, a named one is the only one sent,
 *  `required` is no more than a hope. `options` in an `extra_body` joins those of the request one by one.
 *
 *  @param request    What to ask. Text that is not UTF-8 is repaired, since a server would refuse all of it.
 *  @param settings   What the server is told each time.
 *  @param model      The model to ask unless the request names one.
 *  @return           JSON in one line. The same input gives the same text.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  there is no message or no model, a picture that is an address, or a tool that
 *                                     takes free text: the API has neither.
 *  @par Source   Ollama's API reference, "Generate a chat completion".
 */
[[nodiscard]] std::string ollama_request_body(const chat_request& request, const ollama_settings& settings,
                                              std::string_view model);

}  // namespace weft
