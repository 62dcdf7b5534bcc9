#include <weft/model/model_environment.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/net/url.hpp>

#include "model/wire/base_url.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr const char* url_name = "WEFT_LLM_URL";
constexpr const char* key_name = "WEFT_LLM_API_KEY";
constexpr const char* model_name = "WEFT_LLM_MODEL";
constexpr const char* openai_key_name = "OPENAI_API_KEY";
constexpr const char* openai_url_name = "OPENAI_BASE_URL";
constexpr const char* provider_name = "WEFT_LLM_PROVIDER";

/** Which variables say what about a provider, beside those that all share. */
struct provider_variables {
    const char* added_path;               // to the base URL
    const char* key = nullptr;            // null: no key is needed
    const char* key_too = nullptr;        // another name for it
    const char* base_url = nullptr;       // beside that key
    const char* default_model = nullptr;
};

std::string value_of(const environment_lookup& lookup, const char* name)
{
    return lookup(name).value_or(std::string{});
}

secret_string read_key(const std::string& text, const char* variable)
{
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (std::any_of(text.begin(), text.end(), is_control))
        throw error{errc::invalid_configuration, variable, "it has a line break or another control character in it"};
    return secret_string{text};
}

/** @return The host that the address names. */
std::string check_address(const std::string& base_url, const char* variable, const char* added_path)
{
    try {
        const url target{base_url};
        model_detail::refuse_whole_address(target, added_path);
        return target.host();
    } catch (const error& e) {
        throw error{e.code(), variable, e.detail()};
    }
}

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
    std::string base_url = value_of(lookup, openai_url_name);
    if (!base_url.empty()) set_endpoint(options, std::move(base_url), openai_url_name);
    options.key = read_key(key, openai_key_name);
    options.key_origin = openai_key_name;
    options.model = value_of(lookup, model_name);
    if (options.model.empty()) options.model = openai_default_model;
    return options;
}

/** The provider's own key, which never goes to an address that `WEFT_LLM_URL` names. */
template <class Options>
void set_own_key(Options& options, const environment_lookup& lookup, const provider_variables& names)
{
    for (const char* variable : {names.key, names.key_too}) {
        const std::string key = variable ? value_of(lookup, variable) : std::string{};
        if (key.empty()) continue;
        options.key = read_key(key, variable);
        options.key_origin = variable;
        std::string base_url = names.base_url ? value_of(lookup, names.base_url) : std::string{};
        if (!base_url.empty()) check_address(base_url, names.base_url, names.added_path);
        if (!base_url.empty()) options.base_url = std::move(base_url);
        return;
    }
    if (names.key)
        throw error{errc::invalid_configuration, key_name,
                    std::string{"set it, or "} + names.key + ", to the key of the provider that " + provider_name +
                        " names"};
}

template <class Options>
Options provider_endpoint(const environment_lookup& lookup, const provider_variables& names)
{
    Options options;
    std::string base_url = value_of(lookup, url_name);
    const std::string key = value_of(lookup, key_name);
    options.key_origin = key_name;
    if (!key.empty())
        options.key = read_key(key, key_name);
    else if (base_url.empty())
        set_own_key(options, lookup, names);
    if (!base_url.empty()) {
        check_address(base_url, url_name, names.added_path);
        options.base_url = std::move(base_url);
    }
    options.model = value_of(lookup, model_name);
    if (options.model.empty() && names.default_model) options.model = names.default_model;
    if (options.model.empty())
        throw error{errc::invalid_configuration, model_name,
                    std::string{"set it to the model to ask, since this provider has no default"}};
    return options;
}

bool has_own_key(const environment_lookup& lookup, const provider_variables& names)
{
    return !value_of(lookup, names.key).empty() || (names.key_too && !value_of(lookup, names.key_too).empty());
}

/** Whether anything says that an OpenAI-compatible endpoint is meant. */
bool names_openai(const environment_lookup& lookup)
{
    return !value_of(lookup, url_name).empty() || !value_of(lookup, key_name).empty() ||
           !value_of(lookup, openai_key_name).empty();
}

/** @param word   What the variable says; not empty. */
model_provider provider_called(const std::string& word)
{
    std::optional<model_provider> found;
    std::vector<std::string_view> names;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<model_provider>>([&](auto enumerator) {
        names.emplace_back(enumerator.name);
        if (word == enumerator.name) found = enumerator.value;
    });
    if (found) return *found;
    throw error{errc::invalid_configuration, provider_name,
                "there is no provider '" + word + "'" + known_names(word, names)};
}

std::optional<openai_model_options> read_openai_environment(const environment_lookup& lookup)
{
    std::string base_url = value_of(lookup, url_name);
    if (!base_url.empty()) return named_endpoint(lookup, std::move(base_url));
    if (!value_of(lookup, key_name).empty())
        throw error{errc::invalid_configuration, url_name,
                    std::string{"set it to the endpoint that "} + key_name + " belongs to"};
    const std::string key = value_of(lookup, openai_key_name);
    if (!key.empty()) return openai_endpoint(lookup, key);
    if (!value_of(lookup, model_name).empty())
        throw error{errc::invalid_configuration, model_name,
                    std::string{"it names a model but no endpoint: set "} + url_name + " or " + openai_key_name};
    return std::nullopt;
}

constexpr provider_variables responses_variables{.added_path = "/responses",
                                                 .key = openai_key_name,
                                                 .base_url = openai_url_name,
                                                 .default_model = openai_default_model};
constexpr provider_variables anthropic_variables{
    .added_path = "/messages", .key = "ANTHROPIC_API_KEY", .default_model = anthropic_default_model};
constexpr provider_variables gemini_variables{.added_path = "/models",
                                              .key = "GEMINI_API_KEY",
                                              .key_too = "GOOGLE_API_KEY",
                                              .default_model = gemini_default_model};
constexpr provider_variables ollama_variables{.added_path = "/api/chat"};

/** Where nothing is said about the provider, a key may say it; that of OpenAI goes first. */
model_provider provider_meant(const environment_lookup& lookup)
{
    const std::string word = value_of(lookup, provider_name);
    if (!word.empty()) return provider_called(word);
    if (names_openai(lookup)) return model_provider::openai;
    if (has_own_key(lookup, anthropic_variables)) return model_provider::anthropic;
    if (has_own_key(lookup, gemini_variables)) return model_provider::gemini;
    return model_provider::openai;
}

}  // namespace

std::optional<openai_model_options> read_model_environment(const environment_lookup& lookup)
{
    const std::string provider = value_of(lookup, provider_name);
    if (!provider.empty() && provider_called(provider) != model_provider::openai)
        throw error{errc::invalid_configuration, provider_name,
                    "only OpenAI-compatible endpoints are asked here: leave it out, or set it to openai"};
    return read_openai_environment(lookup);
}

std::optional<any_model_options> read_any_model_environment(const environment_lookup& lookup)
{
    switch (provider_meant(lookup)) {
    case model_provider::openai_responses:
        return provider_endpoint<responses_model_options>(lookup, responses_variables);
    case model_provider::anthropic:
        return provider_endpoint<anthropic_model_options>(lookup, anthropic_variables);
    case model_provider::gemini: return provider_endpoint<gemini_model_options>(lookup, gemini_variables);
    case model_provider::ollama: return provider_endpoint<ollama_model_options>(lookup, ollama_variables);
    case model_provider::openai: break;
    }
    std::optional<openai_model_options> options = read_openai_environment(lookup);
    if (!options) return std::nullopt;
    return std::move(*options);
}

}  // namespace weft
