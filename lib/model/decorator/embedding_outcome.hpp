#pragma once

#include <weft/model/embedding/embedding_model.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::model_detail {

/** How one call of another model ended: with vectors or with an error. */
struct embedding_outcome {
    embedding_outcome() {}  // declared: see docs/COMPILERS.md
    std::optional<embeddings> made;
    std::exception_ptr error;
};

/** Calls a model and throws nothing. */
[[nodiscard]] task<embedding_outcome> try_embed(std::shared_ptr<embedding_model> model, std::vector<std::string> texts);

/** About how many tokens the texts are. */
[[nodiscard]] tokens estimate_texts(const std::vector<std::string>& texts) noexcept;

}  // namespace weft::model_detail
