#pragma once

#include <weft/base/environment.hpp>
#include <weft/model/openai_model.hpp>

#include <optional>

namespace weft {

/** Reads from the environment which model to talk to.
 *
 *  - `WEFT_LLM_URL` and `WEFT_LLM_MODEL`, with `WEFT_LLM_API_KEY` where the endpoint wants one: any OpenAI-compatible
 *    endpoint; the profile follows from its host.
 *  - else `OPENAI_API_KEY`: OpenAI, or the endpoint in `OPENAI_BASE_URL`; the model is `WEFT_LLM_MODEL`, else
 *    `openai_default_model`.
 *
 *  A variable that is empty counts as not set. A key is only sent to the endpoint that it stands beside:
 *  `OPENAI_API_KEY` never goes to `WEFT_LLM_URL`.
 *
 *  @return   Nothing when no endpoint is named.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  variables contradict each other, one is missing, or a key has control characters;
 *                                     where: the variable.
 *    - `errc::invalid_url`            no URL, or one that goes on to `/chat/completions`; where: the variable.
 */
[[nodiscard]] std::optional<openai_model_options> read_model_environment(const environment_lookup& lookup);

/** What is asked at OpenAI when nobody says which model. */
inline constexpr const char* openai_default_model = "gpt-6-luna";

}  // namespace weft
