#pragma once

#include <weft/model/embedding/embedding_model.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

namespace model_detail {
struct embedding_provider;
}

/** What the embedding models of all providers are: a description of the provider, and one way to ask it.
 *
 *  Users make an `openai_embedding_model`, `gemini_embedding_model` or `ollama_embedding_model`.
 *
 *  @par Errors
 *    From the constructor:
 *    - `errc::invalid_url`             `base_url` is no URL, or ends with the path that weft adds.
 *    - `errc::invalid_configuration`   there is no model, a limit is 0, both a key and a source of keys, or a header
 *                                      could not be sent.
 *
 *    From `embed`, a `model_error` but for texts that cannot be sent:
 *    - those of `openai_model` that are not about streams.
 *    - `errc::invalid_model_reply`     the reply has not one vector for each text, vectors of different lengths, or
 *                                      something in a vector that is no finite number.
 *    - `errc::response_too_large`      a vector is longer than `dimensions_max`, or the reply than such vectors are.
 *  @par Cancellation    Closes the connection. What was asked by then is paid.
 *  @par Thread safety   From any loop. Copies share their connections.
 */
class provider_embedding_model : public embedding_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override;

protected:
    explicit provider_embedding_model(std::shared_ptr<const model_detail::embedding_provider> provider) noexcept;
    provider_embedding_model(const provider_embedding_model&) = default;
    provider_embedding_model& operator=(const provider_embedding_model&) = default;

private:
    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;

    std::shared_ptr<const model_detail::embedding_provider> provider_;
};

}  // namespace weft
