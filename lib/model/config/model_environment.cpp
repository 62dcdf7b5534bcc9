#include <weft/model/model_environment.hpp>

#include <weft/base/error.hpp>

#include "endpoint_variables.hpp"

#include <string>
#include <utility>

namespace weft {

namespace {

using model_detail::check_address;
using model_detail::endpoint_of;
using model_detail::endpoint_variables;
using model_detail::has_own_key;
using model_detail::openai_key_variable;
using model_detail::openai_url_variable;
using model_detail::provider_called;
using model_detail::provider_variables;
using model_detail::read_key;
using model_detail::value_of;

constexpr const char* url_name = "WEFT_LLM_URL";
constexpr const char* key_name = "WEFT_LLM_API_KEY";
constexpr const char* model_name = "WEFT_LLM_MODEL";
constexpr const char* provider_name = "WEFT_LLM_PROVIDER";
constexpr endpoint_variables llm_variables{provider_name, url_name, key_name, model_name};

void set_endpoint(openai_model_options& options, std::string base_url, const char* variable)
{
    options.profile = openai_profiles::for_host(check_address(base_url, variable, "/chat/completions"));
    options.base_url = std::move(base_url);
}

openai_model_options named_endpoint(const environment_lookup& lookup, std::string base_url)
{
    openai_model_options options;
    set_endpoint(options, std::move(base_url), url_name);
    options.key = read_key(value_of(lookup, key_name), key_name);
    options.key_origin = key_name;
    options.model = value_of(lookup, model_name);
    if (options.model.empty())
        throw error{errc::invalid_configuration, model_name,
                    std::string{"set it to the model to ask, since "} + url_name + " is set"};
    return options;
}

openai_model_options openai_endpoint(const environment_lookup& lookup, const std::string& key)
{
    openai_model_options options;
    std::string base_url = value_of(lookup, openai_url_variable);
    if (!base_url.empty()) set_endpoint(options, std::move(base_url), openai_url_variable);
    options.key = read_key(key, openai_key_variable);
    options.key_origin = openai_key_variable;
    options.model = value_of(lookup, model_name);
    if (options.model.empty()) options.model = openai_default_model;
    return options;
}

/** Whether anything says that an OpenAI-compatible endpoint is meant. */
bool names_openai(const environment_lookup& lookup)
{
    return !value_of(lookup, url_name).empty() || !value_of(lookup, key_name).empty() ||
           !value_of(lookup, openai_key_variable).empty();
}

std::optional<openai_model_options> read_openai_environment(const environment_lookup& lookup)
{
    std::string base_url = value_of(lookup, url_name);
    if (!base_url.empty()) return named_endpoint(lookup, std::move(base_url));
    if (!value_of(lookup, key_name).empty())
        throw error{errc::invalid_configuration, url_name,
                    std::string{"set it to the endpoint that "} + key_name + " belongs to"};
    const std::string key = value_of(lookup, openai_key_variable);
    if (!key.empty()) return openai_endpoint(lookup, key);
    if (!value_of(lookup, model_name).empty())
        throw error{errc::invalid_configuration, model_name,
                    std::string{"it names a model but no endpoint: set "} + url_name + " or " + openai_key_variable};
    return std::nullopt;
}

constexpr provider_variables responses_variables{.added_path = "/responses",
                                                 .key = openai_key_variable,
                                                 .base_url = openai_url_variable,
                                                 .default_model = openai_default_model};
constexpr provider_variables anthropic_variables{
    .added_path = "/messages", .key = "ANTHROPIC_API_KEY", .default_model = anthropic_default_model};
constexpr provider_variables gemini_variables{.added_path = "/models",
                                              .key = model_detail::gemini_key_variable,
                                              .key_too = model_detail::google_key_variable,
                                              .default_model = gemini_default_model};
constexpr provider_variables ollama_variables{.added_path = "/api/chat"};

/** Where nothing is said about the provider, a key may say it; that of OpenAI goes first. */
model_provider provider_meant(const environment_lookup& lookup)
{
    const std::string word = value_of(lookup, provider_name);
    if (!word.empty()) return provider_called(word, provider_name);
    if (names_openai(lookup)) return model_provider::openai;
    if (has_own_key(lookup, anthropic_variables)) return model_provider::anthropic;
    if (has_own_key(lookup, gemini_variables)) return model_provider::gemini;
    return model_provider::openai;
}

}  // namespace

std::optional<openai_model_options> read_model_environment(const environment_lookup& lookup)
{
    const std::string provider = value_of(lookup, provider_name);
    if (!provider.empty() && provider_called(provider, provider_name) != model_provider::openai)
        throw error{errc::invalid_configuration, provider_name,
                    "only OpenAI-compatible endpoints are asked here: leave it out, or set it to openai"};
    return read_openai_environment(lookup);
}

std::optional<any_model_options> read_any_model_environment(const environment_lookup& lookup)
{
    switch (provider_meant(lookup)) {
    case model_provider::openai_responses:
        return endpoint_of<responses_model_options>(lookup, llm_variables, responses_variables);
    case model_provider::anthropic:
        return endpoint_of<anthropic_model_options>(lookup, llm_variables, anthropic_variables);
    case model_provider::gemini: return endpoint_of<gemini_model_options>(lookup, llm_variables, gemini_variables);
    case model_provider::ollama: return endpoint_of<ollama_model_options>(lookup, llm_variables, ollama_variables);
    case model_provider::openai: break;
    }
    std::optional<openai_model_options> options = read_openai_environment(lookup);
    if (!options) return std::nullopt;
    return std::move(*options);
}

}  // namespace weft
