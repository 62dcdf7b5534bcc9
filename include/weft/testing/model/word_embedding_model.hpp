#pragma once

#include <weft/model/embedding/embedding_model.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::testing {

/** An embedding model for tests, without a network: the more words two texts share, the closer are their vectors.
 *
 *      word_embedding_model model;
 *      std::vector<std::string> texts{"The cat sleeps", "a CAT sleeps", "interest rates"};
 *      const embeddings made = co_await model.embed(std::move(texts));   // the first two are alike, the third is not
 *
 *  A vector counts the words of its text, in lower case for ASCII, each in the dimension that its hash names, and has
 *  the length 1. The same text gives the same vector on every machine. Two words may share a dimension; more dimensions
 *  make that rare. A word counts as one token.
 *
 *  @par Errors          `errc::invalid_configuration` for an empty text, as models of providers have it.
 *  @par Thread safety   From any loop.
 */
class word_embedding_model final : public embedding_model {
public:
    explicit word_embedding_model(std::size_t dimensions = 256);

    [[nodiscard]] std::string_view label() const noexcept override { return "words"; }

private:
    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;

    std::size_t dimensions_;
};

}  // namespace weft::testing
