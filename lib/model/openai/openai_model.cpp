#include <weft/model/openai_model.hpp>

#include "openai_provider.hpp"

#include <utility>

namespace weft {

openai_model::openai_model(http_client client, openai_model_options options)
    : provider_model{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                                 model_detail::openai_provider(options))}
{
}

}  // namespace weft
