#include <weft/model/any_embedding_model.hpp>

#include <weft/base/error.hpp>
#include <weft/model/embedding/gemini_embedding_model.hpp>
#include <weft/model/embedding/ollama_embedding_model.hpp>
#include <weft/model/embedding/openai_embedding_model.hpp>

#include "endpoint_variables.hpp"

#include <utility>

namespace weft {

namespace {

using model_detail::provider_variables;

constexpr model_detail::endpoint_variables embedding_variables{"WEFT_EMBEDDING_PROVIDER", "WEFT_EMBEDDING_URL",
                                                               "WEFT_EMBEDDING_API_KEY", "WEFT_EMBEDDING_MODEL"};
constexpr provider_variables openai_embeddings{.added_path = "/embeddings",
                                               .key = model_detail::openai_key_variable,
                                               .base_url = model_detail::openai_url_variable,
                                               .default_model = openai_default_embedding_model};
// Another endpoint has other models.
constexpr provider_variables compatible_embeddings{.added_path = "/embeddings"};
constexpr provider_variables gemini_embeddings{.added_path = "/models",
                                               .key = model_detail::gemini_key_variable,
                                               .key_too = model_detail::google_key_variable,
                                               .default_model = gemini_default_embedding_model};
constexpr provider_variables ollama_embeddings{.added_path = "/api/embed"};

bool is_set(const environment_lookup& lookup, const char* variable)
{
    return !model_detail::value_of(lookup, variable).empty();
}

/** Nothing if the environment names no endpoint. */
std::optional<model_provider> embedding_provider_meant(const environment_lookup& lookup)
{
    const model_detail::endpoint_variables& all = embedding_variables;
    const std::string word = model_detail::value_of(lookup, all.provider);
    if (!word.empty()) return model_detail::provider_called(word, all.provider);
    if (is_set(lookup, all.url) || model_detail::has_own_key(lookup, openai_embeddings)) return model_provider::openai;
    // A key is only sent to the endpoint that it stands beside.
    if (is_set(lookup, all.key))
        throw error{errc::invalid_configuration, all.provider,
                    std::string{"set it, or "} + all.url + ", to say which endpoint " + all.key + " belongs to"};
    if (model_detail::has_own_key(lookup, gemini_embeddings)) return model_provider::gemini;
    return std::nullopt;
}

const provider_variables& variables_of(model_provider provider, bool has_url)
{
    if (provider == model_provider::gemini) return gemini_embeddings;
    if (provider == model_provider::ollama) return ollama_embeddings;
    return has_url ? compatible_embeddings : openai_embeddings;
}

[[noreturn]] void refuse_provider(const char* where)
{
    throw error{errc::invalid_configuration, where,
                "this provider has no embeddings: take openai, gemini or ollama"};
}

bool makes_embeddings(model_provider provider)
{
    return provider == model_provider::openai || provider == model_provider::gemini ||
           provider == model_provider::ollama;
}

}  // namespace

std::shared_ptr<embedding_model> make_embedding_model(http_client client, any_embedding_options from)
{
    switch (from.provider) {
    case model_provider::openai:
        return std::make_shared<openai_embedding_model>(std::move(client), std::move(from.options));
    case model_provider::gemini:
        return std::make_shared<gemini_embedding_model>(std::move(client), std::move(from.options));
    case model_provider::ollama:
        return std::make_shared<ollama_embedding_model>(std::move(client), std::move(from.options));
    case model_provider::openai_responses:
    case model_provider::anthropic: break;
    }
    refuse_provider("provider");
}

std::optional<any_embedding_options> read_embedding_environment(const environment_lookup& lookup)
{
    const std::optional<model_provider> provider = embedding_provider_meant(lookup);
    if (!provider) return std::nullopt;
    if (!makes_embeddings(*provider)) refuse_provider(embedding_variables.provider);
    any_embedding_options read;
    read.provider = *provider;
    read.options = model_detail::endpoint_of<embedding_options>(
        lookup, embedding_variables, variables_of(*provider, is_set(lookup, embedding_variables.url)));
    return read;
}

}  // namespace weft
