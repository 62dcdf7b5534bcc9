#include <weft/model/responses_model.hpp>

#include "responses_provider.hpp"

#include <utility>

namespace weft {

responses_model::responses_model(http_client client, responses_model_options options)
    : provider_model{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                                 model_detail::responses_provider(options))}
{
}

}  // namespace weft
