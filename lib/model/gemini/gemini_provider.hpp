#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/gemini_model.hpp>

#include "model/wire/provider.hpp"

#include <memory>
#include <string>
#include <string_view>

/** Google's Gemini API. */
namespace weft::model_detail {

/** @par Errors
 *    - `errc::invalid_url`             there is no URL, or it ends with the path that weft adds.
 *    - `errc::invalid_configuration`   there is a key in the URL. */
[[nodiscard]] provider_description gemini_provider(const gemini_model_options& options);

/** A base URL of Gemini, checked.
 *
 *  @par Errors   As `gemini_provider`. */
[[nodiscard]] url gemini_base(const std::string& base_url);

/** Where a call of a model goes.
 *
 *  @param call   With its colon, e.g. `:batchEmbedContents`.
 *  @par Errors   `errc::invalid_configuration` when the model's name cannot stand in an address. */
[[nodiscard]] url gemini_target(const url& base, std::string_view model, std::string_view call);

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

/** Reads a reply of Gemini from its chunks.
 *
 *  A reply is complete when the body has ended after a finish reason, or after the reason for which the prompt was
 *  blocked. Only the first candidate counts. A tool call without id is given one, which the provider never sees. Parts
 *  with a signature, and those that the neutral form has no place for, go with the message in `message::provider`, so
 *  that the history can go back to the same model. A model that gave up, e.g. with a malformed tool call, is a
 *  `errc::model_stream_error`.
 *
 *  @par Lifetimes   The settings and the key outlive the reader.
 *  @par Source      Google's reference of the Gemini API, "GenerateContentResponse".
 */
[[nodiscard]] std::unique_ptr<reply_reader> gemini_reader(reply_options options, const gemini_settings& settings,
                                                          const secret_string& key);

/** How Gemini speaks of errors and limits. The wait that the provider asks for in the body counts unless a header names
 *  one; a quota per day is no rate limit.
 *
 *  @par Source   Google's error model, `google.rpc.Status` and `google/rpc/error_details.proto`. */
extern const error_dialect gemini_errors;

}  // namespace weft::model_detail
