#include "endpoint_variables.hpp"

#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/net/url.hpp>

#include "model/wire/base_url.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace weft::model_detail {

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

std::string check_address(const std::string& base_url, const char* variable, const char* added_path)
{
    try {
        const url target{base_url};
        refuse_whole_address(target, added_path);
        return target.host();
    } catch (const error& e) {
        throw error{e.code(), variable, e.detail()};
    }
}

bool has_own_key(const environment_lookup& lookup, const provider_variables& names)
{
    return !value_of(lookup, names.key).empty() || (names.key_too && !value_of(lookup, names.key_too).empty());
}

model_provider provider_called(const std::string& word, const char* variable)
{
    std::optional<model_provider> found;
    std::vector<std::string_view> names;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<model_provider>>([&](auto enumerator) {
        names.emplace_back(enumerator.name);
        if (word == enumerator.name) found = enumerator.value;
    });
    if (found) return *found;
    throw error{errc::invalid_configuration, variable,
                "there is no provider '" + word + "'" + known_names(word, names)};
}

}  // namespace weft::model_detail
