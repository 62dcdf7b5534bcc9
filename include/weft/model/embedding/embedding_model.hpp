#pragma once

#include <weft/async/task.hpp>
#include <weft/chat/usage.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** The vectors of some texts. */
struct embeddings {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    embeddings() {}

    std::vector<std::vector<float>> vectors;  ///< One for each text, in the order of the texts; all of one length.
    weft::usage usage;                        ///< Of all requests that it took; `input` only.
};

/** Something that makes vectors of texts, so that texts of like meaning have vectors of like direction.
 *
 *      std::vector<std::string> texts{"A cat sleeps.", "A dog barks."};
 *      const weft::embeddings made = co_await model.embed(std::move(texts));
 *      use(made.vectors[0], made.vectors[1]);
 *
 *  Vectors of different models, or of one model with different numbers of dimensions, cannot be compared.
 *
 *  @par Thread safety   `embed` from any loop, unless a model says otherwise.
 *  @par Lifetimes       The model outlives its calls.
 */
class embedding_model {
public:
    virtual ~embedding_model() = default;

    /** Makes a vector of each text. A model that is asked over HTTP sends as few requests as its provider allows, one
     *  after the other; no texts are no request.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`   a text is empty or too long for one request; nothing was sent.
     *    - `model_error`                   the wire, the endpoint or its answer failed. The vectors of requests before
     *                                      it are lost; what they used is paid.
     *  @par Cancellation    Closes the connection. What was asked by then is paid.
     */
    [[nodiscard]] task<embeddings> embed(std::vector<std::string> texts) { return do_embed(std::move(texts)); }

    /** What is asked, for messages and reports: e.g. `text-embedding-x at api.openai.com:443`. */
    [[nodiscard]] virtual std::string_view label() const noexcept = 0;

protected:
    embedding_model() = default;
    embedding_model(const embedding_model&) = default;
    embedding_model& operator=(const embedding_model&) = default;

private:
    [[nodiscard]] virtual task<embeddings> do_embed(std::vector<std::string> texts) = 0;
};

}  // namespace weft
