#include "embedding_outcome.hpp"

#include <weft/model/chat/token_estimate.hpp>

#include <utility>

namespace weft::model_detail {

task<embedding_outcome> try_embed(std::shared_ptr<embedding_model> model, std::vector<std::string> texts)
{
    embedding_outcome outcome;
    try {
        embeddings made = co_await model->embed(std::move(texts));
        outcome.made.emplace(std::move(made));
    } catch (...) {
        outcome.error = std::current_exception();
    }
    co_return outcome;
}

tokens estimate_texts(const std::vector<std::string>& texts) noexcept
{
    tokens sum;
    for (const std::string& text : texts) sum += estimate_tokens(text);
    return sum;
}

}  // namespace weft::model_detail
