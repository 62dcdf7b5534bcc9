#include <weft/model/embedding/provider_embedding_model.hpp>

#include "embedding_call.hpp"
#include "embedding_provider.hpp"

#include <utility>

namespace weft {

provider_embedding_model::provider_embedding_model(
    std::shared_ptr<const model_detail::embedding_provider> provider) noexcept
    : provider_{std::move(provider)}
{
}

std::string_view provider_embedding_model::label() const noexcept { return provider_->from.label; }

task<embeddings> provider_embedding_model::do_embed(std::vector<std::string> texts)
{
    return model_detail::ask_embeddings(provider_, std::move(texts));
}

}  // namespace weft
