#pragma once

#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/embedding/embedding_model.hpp>
#include <weft/model/embedding/embedding_options.hpp>
#include <weft/net/http_client.hpp>

#include <memory>
#include <optional>

namespace weft {

/** Where a model of embeddings is, for every provider that has them. */
struct any_embedding_options {
    // Declared: see docs/COMPILERS.md.
    any_embedding_options() {}

    model_provider provider = model_provider::openai;  ///< `openai`, `gemini` or `ollama`.
    embedding_options options;
};

/** Makes the model that the options are for.
 *
 *  @param client   Copied; copies share their connections.
 *
 *  @par Errors   Those of the model's constructor; `errc::invalid_configuration` for a provider without embeddings. */
[[nodiscard]] std::shared_ptr<embedding_model> make_embedding_model(http_client client, any_embedding_options from);

/** Reads from the environment which model of embeddings to ask.
 *
 *  - `WEFT_EMBEDDING_PROVIDER` is `openai`, for all that are compatible, `gemini` or `ollama`; without it `openai`
 *    where an address or a key of it is set, else `gemini` where a key of that is.
 *  - `WEFT_EMBEDDING_URL` is the base URL, instead of the provider's own.
 *  - `WEFT_EMBEDDING_MODEL` is the model; Ollama, and an address of an OpenAI-compatible endpoint, have no default.
 *  - `WEFT_EMBEDDING_API_KEY` is the key. Without it and without an address it is that of the provider:
 *    `OPENAI_API_KEY` (with `OPENAI_BASE_URL`), `GEMINI_API_KEY` or `GOOGLE_API_KEY`. Ollama wants none.
 *
 *  @return   Nothing when no endpoint is named.
 *
 *  @par Errors   As `read_any_model_environment`. */
[[nodiscard]] std::optional<any_embedding_options> read_embedding_environment(const environment_lookup& lookup);

/** The model of OpenAI that makes embeddings when none is named; and that of Gemini. */
inline constexpr const char* openai_default_embedding_model = "text-embedding-3-small";
inline constexpr const char* gemini_default_embedding_model = "gemini-embedding-001";

}  // namespace weft
