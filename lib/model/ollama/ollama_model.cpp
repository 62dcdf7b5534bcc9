#include <weft/model/ollama_model.hpp>

#include "ollama_provider.hpp"

#include <utility>

namespace weft {

ollama_model::ollama_model(http_client client, ollama_model_options options)
    : provider_model{model_detail::made_provider(std::move(client), model_detail::shared_options(options),
                                                 model_detail::ollama_provider(options))}
{
}

}  // namespace weft
