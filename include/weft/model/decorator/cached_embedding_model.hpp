#pragma once

#include <weft/async/group/single_flight_cache.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/model/embedding/embedding_model.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How much a cache of vectors holds, and for how long. */
struct embedding_cache_options {
    std::size_t entries_max = 100'000;
    std::size_t bytes_max = 256 * 1024 * 1024;  ///< Of texts and vectors, about.
    std::chrono::nanoseconds keep_for = std::chrono::hours{24};
};

/** Asks for the vector of a text once.
 *
 *      auto model = std::make_shared<weft::cached_embedding_model>(endpoint);
 *
 *  Each text of a call is looked up by itself, and those that are not there are asked for together. Equal texts of
 *  calls at the same time are asked for once: the others wait, and share the vector or the error. A vector from the
 *  cache has used no tokens. The least recently used vectors go first.
 *
 *  @par Errors          What the model throws.
 *  @par Cancellation    While it waits for another call at once, without harm to that; else as the model says.
 *  @par Thread safety   From any loop, if the model is; all on one clock.
 */
class cached_embedding_model final : public embedding_model {
public:
    explicit cached_embedding_model(std::shared_ptr<embedding_model> model, embedding_cache_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }
    [[nodiscard]] single_flight_counts counts() const;

private:
    using vectors = single_flight_cache<std::vector<float>>;

    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;
    struct call_texts;
    [[nodiscard]] task<usage> embed_leaders(call_texts& call);
    [[nodiscard]] static bool take_found(call_texts& call, time_point now);

    std::shared_ptr<embedding_model> model_;
    vectors vectors_;
    std::chrono::nanoseconds keep_for_;
};

}  // namespace weft
