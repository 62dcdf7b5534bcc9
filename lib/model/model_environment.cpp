#include <weft/model/model_environment.hpp>

#include <weft/base/error.hpp>
#include <weft/net/url.hpp>

#include <cstdlib>
#include <utility>

namespace weft {

namespace {

constexpr const char* url_name = "WEFT_LLM_URL";
constexpr const char* key_name = "WEFT_LLM_API_KEY";
constexpr const char* model_name = "WEFT_LLM_MODEL";
constexpr const char* openai_key_name = "OPENAI_API_KEY";
constexpr const char* openai_url_name = "OPENAI_BASE_URL";

std::string value_of(const environment_lookup& lookup, const char* name)
{
    return lookup(name).value_or(std::string{});
}

void set_endpoint(openai_model_options& options, std::string base_url, const char* variable)
{
    try {
        const url target{base_url};
        options.profile = openai_profiles::for_host(target.host());
    } catch (const error& e) {
        throw error{e.code(), variable, e.detail()};
    }
    options.base_url = std::move(base_url);
}

openai_model_options named_endpoint(const environment_lookup& lookup, std::string base_url)
{
    openai_model_options options;
    set_endpoint(options, std::move(base_url), url_name);
    options.key = secret_string{value_of(lookup, key_name)};
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
    options.key = secret_string{key};
    options.model = value_of(lookup, model_name);
    if (options.model.empty()) options.model = openai_default_model;
    return options;
}

}  // namespace

environment_lookup process_environment()
{
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value ? std::optional<std::string>{value} : std::nullopt;
    };
}

std::optional<openai_model_options> read_model_environment(const environment_lookup& lookup)
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

}  // namespace weft
