#pragma once

#include <weft/base/environment.hpp>
#include <weft/base/error.hpp>
#include <weft/model/any_model.hpp>
#include <weft/net/secret_string.hpp>

#include <string>
#include <string_view>
#include <utility>

/** What the variables of the environment that name an endpoint have in common, for chat and for embeddings. */
namespace weft::model_detail {

/** The variables that say which endpoint is asked, whatever its provider. */
struct endpoint_variables {
    const char* provider;
    const char* url;
    const char* key;
    const char* model;
};

/** Which variables say what about a provider, beside those that all share. */
struct provider_variables {
    const char* added_path;               // to the base URL
    const char* key = nullptr;            // null: no key is needed
    const char* key_too = nullptr;        // another name for it
    const char* base_url = nullptr;       // beside that key
    const char* default_model = nullptr;
};

inline constexpr const char* openai_key_variable = "OPENAI_API_KEY";
inline constexpr const char* openai_url_variable = "OPENAI_BASE_URL";
inline constexpr const char* gemini_key_variable = "GEMINI_API_KEY";
inline constexpr const char* google_key_variable = "GOOGLE_API_KEY";

/** Empty if it is not set. */
[[nodiscard]] std::string value_of(const environment_lookup& lookup, const char* name);

/** @par Errors  `errc::invalid_configuration` for a key with control characters; where: the variable. */
[[nodiscard]] secret_string read_key(const std::string& text, const char* variable);

/** @return       The host that the address names.
 *  @par Errors   `errc::invalid_url`; where: the variable. */
std::string check_address(const std::string& base_url, const char* variable, const char* added_path);

[[nodiscard]] bool has_own_key(const environment_lookup& lookup, const provider_variables& names);

/** @param word   What the variable says; not empty.
 *  @par Errors   `errc::invalid_configuration` for a provider that is not known; where: the variable. */
[[nodiscard]] model_provider provider_called(const std::string& word, const char* variable);

/** The provider's own key, which never goes to an address that another variable names. */
template <class Options>
void set_own_key(Options& options, const environment_lookup& lookup, const endpoint_variables& all,
                 const provider_variables& names)
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
        throw error{errc::invalid_configuration, all.key,
                    std::string{"set it, or "} + names.key + ", to the key of the provider that " + all.provider +
                        " names"};
}

/** The options of an endpoint: its address, its key and the model to ask. */
template <class Options>
Options endpoint_of(const environment_lookup& lookup, const endpoint_variables& all, const provider_variables& names)
{
    Options options;
    std::string base_url = value_of(lookup, all.url);
    const std::string key = value_of(lookup, all.key);
    options.key_origin = all.key;
    if (!key.empty())
        options.key = read_key(key, all.key);
    else if (base_url.empty())
        set_own_key(options, lookup, all, names);
    if (!base_url.empty()) {
        check_address(base_url, all.url, names.added_path);
        options.base_url = std::move(base_url);
    }
    options.model = value_of(lookup, all.model);
    if (options.model.empty() && names.default_model) options.model = names.default_model;
    if (options.model.empty())
        throw error{errc::invalid_configuration, all.model,
                    std::string{"set it to the model to ask, since this provider has no default"}};
    return options;
}

}  // namespace weft::model_detail
