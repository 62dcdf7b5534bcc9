#include "provider_model.hpp"

#include <weft/base/error.hpp>

namespace weft::model_detail {

std::string label_of(std::string_view model, const url& target)
{
    return std::string{model} + " at " + target.endpoint();
}

void require_model(std::string_view model, const url& target, std::string_view options_name)
{
    if (!model.empty()) return;
    throw error{errc::invalid_configuration, target.endpoint(),
                "name the model in " + std::string{options_name} + "::model"};
}

void require_one_key(bool has_key, bool has_source, const url& target, std::string_view options_name)
{
    if (!has_key || !has_source) return;
    const std::string options{options_name};
    throw error{errc::invalid_configuration, target.endpoint(),
                "give " + options + "::key or " + options + "::credentials, not both"};
}

}  // namespace weft::model_detail
