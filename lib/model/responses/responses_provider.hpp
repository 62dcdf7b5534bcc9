#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/responses_model.hpp>

#include "model/wire/provider.hpp"

#include <memory>
#include <string>
#include <string_view>

/** OpenAI's Responses API. */
namespace weft::model_detail {

/** @par Errors   `errc::invalid_url`: there is no URL, or it ends with the path that weft adds. */
[[nodiscard]] provider_description responses_provider(const responses_model_options& options);

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

/** Reads a reply of the Responses API.
 *
 *  A reply is complete when `response.completed` or `response.incomplete` was seen, and by nothing else. What that
 *  event says is the reply; what was streamed before is for eyes, and stands in where that event repeats nothing of it.
 *  The sink is given what was not streamed, and a warning tells when the two differ. Items are told apart by their
 *  `output_index`, since some servers change the ids.
 *
 *  A tool call is in the reply only if it is complete: one that the limit of tokens cut is dropped with a warning.
 *
 *  @par Lifetimes   The settings and the key outlive the reader.
 *  @par Source      OpenAI's API reference, "Responses: streaming events".
 */
[[nodiscard]] std::unique_ptr<reply_reader> responses_reader(reply_options options, const responses_settings& settings,
                                                             const secret_string& key);

}  // namespace weft::model_detail
