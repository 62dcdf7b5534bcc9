#include <weft/model/anthropic_model.hpp>

#include "anthropic_provider.hpp"

#include <utility>

namespace weft {

anthropic_model::anthropic_model(http_client client, anthropic_model_options options)
    : provider_model{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                                 model_detail::anthropic_provider(options))}
{
}

}  // namespace weft
