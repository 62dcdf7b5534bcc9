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

}  // namespace weft::model_detail
