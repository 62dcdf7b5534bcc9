#pragma once

#include <weft/model/embedding/embedding_options.hpp>
#include <weft/model/embedding/provider_embedding_model.hpp>
#include <weft/net/http_client.hpp>

namespace weft {

/** Embeddings of Google's Gemini API, by `batchEmbedContents`.
 *
 *      weft::gemini_embedding_model model{client, {.model = "gemini-embedding-x", .key = key}};
 *
 *  At most 100 texts go in one request. Base URL by default: that of `gemini_model`.
 *
 *  @par Errors          As `provider_embedding_model`; `errc::invalid_configuration` also for a key in the URL.
 *  @par Cancellation    Closes the connection. What was asked by then is paid.
 *  @par Thread safety   From any loop.
 *  @par Source          Google's reference of the Gemini API, "models.batchEmbedContents".
 */
class gemini_embedding_model final : public provider_embedding_model {
public:
    /** @param client   Copied; copies share their connections. */
    gemini_embedding_model(http_client client, embedding_options options);
};

}  // namespace weft
