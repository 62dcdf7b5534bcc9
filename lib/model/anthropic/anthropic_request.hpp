#pragma once

#include <weft/model/anthropic/anthropic_settings.hpp>
#include <weft/model/chat_request.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Writes the body of a streaming `POST …/messages`.
 *
 *  All system messages stand together before the conversation, wherever they were. Turns of one speaker in a row become
 *  one, the results of tools stand first in theirs, and empty texts are left out, since the server refuses anything
 *  else. Reasoning goes back only to the model that wrote it, with its signature. A request that demands a tool call is
 *  sent without thinking, for the server refuses both at once, and so is one for at most 1024 tokens where thinking has
 *  a budget, for none would fit; sampling is left out where there is thinking.
 *
 *  `chat_request::seed` has no counterpart and is ignored; so is an `output` without a schema.
 *
 *  @param request    What to ask. Text that is not UTF-8 is repaired, since a server would refuse all of it.
 *  @param settings   What all requests have in common.
 *  @param model      The model to ask unless the request names one.
 *  @return           JSON in one line. The same input gives the same text.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  there is no model, or no message but system messages; a tool takes free text;
 *                                     the budget for thinking leaves nothing for the answer, or is below 1024; there
 *                                     are more than four cache marks.
 *  @par Source   Anthropic's API reference, "Create a message".
 */
[[nodiscard]] std::string anthropic_request_body(const chat_request& request, const anthropic_settings& settings,
                                                 std::string_view model);

}  // namespace weft
