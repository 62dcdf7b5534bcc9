#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/openai/openai_profile.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Writes the body of a streaming `POST …/chat/completions`.
 *
 *  @param request   What to ask. Text that is not UTF-8 is repaired, since a server would refuse all of it.
 *  @param profile   How the server differs.
 *  @param model     The model to ask unless the request names one.
 *  @return          JSON in one line. The same input gives the same text.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  there is no message or no model.
 *  @par Source   OpenAI's API reference, "Create chat completion".
 */
[[nodiscard]] std::string openai_request_body(const chat_request& request, const openai_profile& profile,
                                              std::string_view model);

}  // namespace weft
