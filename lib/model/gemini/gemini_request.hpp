#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/gemini/gemini_settings.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Writes the body of `POST …/models/<model>:streamGenerateContent`. The model is a part of the address.
 *
 *  All system messages become the system instruction, wherever they were. The results of a turn's tool calls stand in
 *  one content, in the order of the calls, each as `{"output":…}` or `{"error":…}`; a result that is JSON goes as it
 *  is. What a model of Gemini wrote goes back to the same model as it came, with its signatures.
 *
 *  `chat_request::reasoning_effort` is Gemini's `thinkingLevel`, and goes before the thinking budget of the settings.
 *  `parallel_tool_calls` has no counterpart and is ignored.
 *
 *  @param request    What to ask. Text that is not UTF-8 is repaired, since a server would refuse all of it.
 *  @param settings   What all requests have in common.
 *  @param model      The model that is asked unless the request names one; provider data of others stays behind.
 *  @return           JSON in one line. The same input gives the same text.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  there is no message but system messages; a tool takes free text; a result
 *                                     answers a call that is not in the conversation and has no `name`; a schema has a
 *                                     reference, in the dialect that knows none.
 *  @par Source   Google's reference of the Gemini API, "Generating content" and "Function calling".
 */
[[nodiscard]] std::string gemini_request_body(const chat_request& request, const gemini_settings& settings,
                                              std::string_view model);

}  // namespace weft
