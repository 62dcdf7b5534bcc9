#pragma once

#include <weft/model/embedding/embedding_options.hpp>
#include <weft/model/embedding/provider_embedding_model.hpp>
#include <weft/net/http_client.hpp>

namespace weft {

/** Embeddings of an OpenAI-compatible endpoint, by `POST /embeddings`.
 *
 *      weft::openai_embedding_model model{client, {.model = "text-embedding-x", .key = key}};
 *
 *  At most 2048 texts go in one request. Base URL by default: `https://api.openai.com/v1`.
 *
 *  @par Errors          As `provider_embedding_model`.
 *  @par Cancellation    Closes the connection. What was asked by then is paid.
 *  @par Thread safety   From any loop.
 *  @par Source          OpenAI's API reference, "Create embeddings".
 */
class openai_embedding_model final : public provider_embedding_model {
public:
    /** @param client   Copied; copies share their connections. */
    openai_embedding_model(http_client client, embedding_options options);
};

}  // namespace weft
