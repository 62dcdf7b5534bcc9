#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/responses/responses_settings.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Writes the body of a streaming `POST …/responses`.
 *
 *  System messages at the beginning of the conversation become `instructions`. What a model of the same provider sent
 *  beside its words, reasoning above all, goes back to it as it was, and to no other model. Names of speakers and
 *  `chat_request::seed` are not sent: the API has no place for them.
 *
 *  @param request    What to ask. Text that is not UTF-8 is repaired, since a server would refuse all of it.
 *  @param settings   What the endpoint wants.
 *  @param model      The model to ask unless the request names one.
 *  @return           JSON in one line. The same input gives the same text.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  there is no message or no model, or a stop text, which the API does not have.
 *  @par Source   OpenAI's API reference, "Create a model response".
 */
[[nodiscard]] std::string responses_request_body(const chat_request& request, const responses_settings& settings,
                                                 std::string_view model);

}  // namespace weft
