#pragma once

#include <weft/model/wire/credential_source.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Where a model of embeddings is and how to ask it, the same for all providers.
 *
 *      weft::openai_embedding_model model{client, {.model = "text-embedding-x", .key = key, .dimensions = 512}};
 */
struct embedding_options {
    /** As in the options of the provider's chat model; empty: the provider's own. */
    std::string base_url{};
    std::string model{};  ///< As the endpoint names it.
    secret_string key{};  ///< Empty where the endpoint wants none.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    /** Length of the vectors, for models that can make shorter ones; unset: the model's own. */
    std::optional<std::size_t> dimensions{};
    /** Texts in one request; unset: what the provider allows. */
    std::optional<std::size_t> batch_inputs_max{};
    std::size_t batch_bytes_max = 256 * 1024;    ///< Bytes of the texts of one request, and so of each text.
    std::size_t dimensions_max = 16 * 1024;      ///< Longer vectors in a reply are an error.
    std::vector<std::pair<std::string, std::string>> headers{};  ///< Added to every request.
    std::optional<http_timeouts> timeouts{};                     ///< Instead of the client's.
    /** Where `key` comes from, as `OPENAI_API_KEY`; stands in the error when it is refused. */
    std::string key_origin{};
};

}  // namespace weft
