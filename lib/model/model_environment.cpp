#include <weft/model/model_environment.hpp>

#include <weft/base/error.hpp>
#include <weft/net/url.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

namespace {

constexpr const char* url_name = "WEFT_LLM_URL";
constexpr const char* key_name = "WEFT_LLM_API_KEY";
constexpr const char* model_name = "WEFT_LLM_MODEL";
constexpr const char* openai_key_name = "OPENAI_API_KEY";
constexpr const char* completions_path = "/chat/completions";
constexpr const char* openai_url_name = "OPENAI_BASE_URL";

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

void set_endpoint(openai_model_options& options, std::string base_url, const char* variable)
{
    try {
        const url target{base_url};
        const std::string_view path = std::string_view{target.target()}.substr(0, target.target().find('?'));
        if (path.ends_with(completions_path) || path.ends_with(std::string{completions_path} + '/'))
            throw error{errc::invalid_url, variable,
                        std::string{"leave out "} + completions_path + ", which weft adds"};
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
    options.key = read_key(value_of(lookup, key_name), key_name);
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
    options.model = value_of(lookup, model_name);
    if (options.model.empty()) options.model = openai_default_model;
    return options;
}

}  // namespace

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
