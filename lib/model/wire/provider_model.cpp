#include "provider_model.hpp"

#include <weft/base/error.hpp>

namespace weft::model_detail {

std::string label_of(std::string_view model, const url& target)
{
    return std::string{model} + " at " + target.endpoint();
}

void require_model(std::string_view model, const url& target)
{
    if (!model.empty()) return;
    throw error{errc::invalid_configuration, target.endpoint(), "name the model in `model`"};
}

void require_one_key(bool has_key, bool has_source, const url& target)
{
    if (!has_key || !has_source) return;
    throw error{errc::invalid_configuration, target.endpoint(), "give `key` or `credentials`, not both"};
}

}  // namespace weft::model_detail
