#pragma once

#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>

#include <optional>

namespace weft {

/** Reads from the environment which OpenAI-compatible endpoint to talk to.
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
 *                                     `WEFT_LLM_PROVIDER` names another provider than `openai`; where: the variable.
 *    - `errc::invalid_url`            no URL, or one that goes on to `/chat/completions`; where: the variable.
 */
[[nodiscard]] std::optional<openai_model_options> read_model_environment(const environment_lookup& lookup);

/** Reads from the environment which model to talk to, of any provider.
 *
 *  `WEFT_LLM_PROVIDER` is one of `model_provider`; without it the endpoint is OpenAI-compatible and read as by
 *  `read_model_environment`. For the others:
 *
 *  - `WEFT_LLM_URL` is the base URL, instead of the provider's own;
 *  - `WEFT_LLM_MODEL` is the model; Ollama has no default;
 *  - `WEFT_LLM_API_KEY` is the key. Without it and without `WEFT_LLM_URL` it is the provider's own variable:
 *    `OPENAI_API_KEY` (with `OPENAI_BASE_URL`), `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` or `GOOGLE_API_KEY`. Ollama wants
 *    none.
 *
 *  Where only `ANTHROPIC_API_KEY`, or else `GEMINI_API_KEY` or `GOOGLE_API_KEY`, says anything, its provider is asked.
 *
 *  @return   Nothing when no endpoint is named.
 *
 *  @par Errors   As `read_model_environment`; a provider that is not known is one of `errc::invalid_configuration`. */
[[nodiscard]] std::optional<any_model_options> read_any_model_environment(const environment_lookup& lookup);

/** The model of OpenAI that is asked when none is named. */
inline constexpr const char* openai_default_model = "gpt-6-luna";
/** The same for Anthropic and for Gemini. */
inline constexpr const char* anthropic_default_model = "claude-sonnet-5-5";
inline constexpr const char* gemini_default_model = "gemini-3.8-flash";

}  // namespace weft
