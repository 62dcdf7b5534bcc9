#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/openai_model.hpp>

#include "model/wire/provider.hpp"

#include <memory>
#include <string>
#include <string_view>

/** OpenAI's Chat Completions, and the many servers that imitate them. */
namespace weft::model_detail {

/** @par Errors   `errc::invalid_url`: there is no URL, or it ends with the path that weft adds. */
[[nodiscard]] provider_description openai_provider(const openai_model_options& options);

/** The headers of OpenAI's accounts. */
void put_openai_account(provider_description::header_list& out, const std::string& organization,
                        const std::string& project);

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

/** Reads a reply of Chat Completions.
 *
 *  A reply is complete when a `finish_reason` was seen (or `[DONE]`, where the profile says so), however the connection
 *  ends after that; `[DONE]` alone and the end of the body prove nothing.
 *
 *  @par Lifetimes   The profile and the key outlive the reader.
 *  @par Source      OpenAI's API reference, "Chat completion chunk", and what other servers make of it.
 */
[[nodiscard]] std::unique_ptr<reply_reader> openai_reader(reply_options options, const openai_profile& profile,
                                                          const secret_string& key);

/** How OpenAI and the servers that imitate it speak of errors and limits.
 *
 *  @par Source   The statuses and codes of OpenAI's error guide; the shapes that vLLM, llama.cpp, Mistral, FastAPI,
 *                Gemini and OpenRouter put them into. */
extern const error_dialect openai_errors;

}  // namespace weft::model_detail
