#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/anthropic_model.hpp>

#include "model/wire/provider.hpp"

#include <memory>
#include <string>
#include <string_view>

/** Anthropic's Messages API. */
namespace weft::model_detail {

/** @par Errors   `errc::invalid_url`: there is no URL, or it ends with the path that weft adds. */
[[nodiscard]] provider_description anthropic_provider(const anthropic_model_options& options);

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

/** Reads a reply of the Messages API.
 *
 *  A reply is complete when a stop reason and `message_stop` were seen, however the connection ends after that. Unknown
 *  events, blocks and deltas are ignored or kept as they are. Blocks are told apart by their index.
 *
 *  Reasoning keeps its signature, and what the neutral form has no place for (redacted thinking, the server's own
 *  tools, citations) goes with the message in `message::provider`, so that the history can go back to the same model.
 *  Of a reply that is a refusal nothing is kept but the provider's explanation, as the provider demands.
 *
 *  @par Lifetimes   The settings and the key outlive the reader.
 *  @par Source      Anthropic's API reference, "Streaming messages".
 */
[[nodiscard]] std::unique_ptr<reply_reader> anthropic_reader(reply_options options, const anthropic_settings& settings,
                                                             const secret_string& key);

/** How Anthropic speaks of errors and limits: `{"type":"error","error":{…}}`.
 *
 *  @par Source   Anthropic's API reference, "Errors" and "Rate limits". */
extern const error_dialect anthropic_errors;

}  // namespace weft::model_detail
