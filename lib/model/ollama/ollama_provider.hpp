#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/ollama_model.hpp>

#include "model/wire/provider.hpp"

#include <memory>
#include <string>
#include <string_view>

/** Ollama's own API. */
namespace weft::model_detail {

/** @par Errors   `errc::invalid_url`: there is no URL, or it goes on to `/api` or `/v1`. */
[[nodiscard]] provider_description ollama_provider(const ollama_model_options& options);

/** Where a call goes.
 *
 *  @param call   Below `/api`, e.g. `embed`.
 *  @par Errors   As `ollama_provider`. */
[[nodiscard]] url ollama_target(const std::string& base_url, std::string_view call);

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

/** Reads a reply of Ollama's own API from its lines.
 *
 *  A reply is complete when a line with `"done":true` was seen, and by nothing else. Tool calls come whole; those
 *  without an id get one. A count of tokens that is missing beside the other one is 0. An error that comes before any
 *  of the reply is an `errc::model_overloaded`: the model failed, and may not fail another time.
 *
 *  @par Lifetimes   The key outlives the reader.
 *  @par Source      Ollama's API reference, "Generate a chat completion".
 */
[[nodiscard]] std::unique_ptr<reply_reader> ollama_reader(reply_options options, const secret_string& key);

/** How Ollama speaks of errors: a text, and at most an address to sign in at. */
extern const error_dialect ollama_errors;

}  // namespace weft::model_detail
