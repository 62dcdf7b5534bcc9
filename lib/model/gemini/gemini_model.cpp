#include <weft/model/gemini_model.hpp>

#include "gemini_provider.hpp"

#include <utility>

namespace weft {

gemini_model::gemini_model(http_client client, gemini_model_options options)
    : provider_model{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                                 model_detail::gemini_provider(options))}
{
}

}  // namespace weft
