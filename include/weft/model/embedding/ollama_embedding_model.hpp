#pragma once

#include <weft/model/embedding/embedding_options.hpp>
#include <weft/model/embedding/provider_embedding_model.hpp>
#include <weft/net/http_client.hpp>

namespace weft {

/** Embeddings of an Ollama server, by its own API.
 *
 *      weft::ollama_embedding_model model{client, {.model = "nomic-embed-text"}};
 *
 *  At most 512 texts go in one request. Base URL by default: `http://localhost:11434`.
 *
 *  @par Errors          As `provider_embedding_model`; `errc::model_not_found` when the model was not pulled.
 *  @par Cancellation    Closes the connection. What was asked by then is paid.
 *  @par Thread safety   From any loop.
 *  @par Source          Ollama's API reference, "Generate embeddings".
 */
class ollama_embedding_model final : public provider_embedding_model {
public:
    /** @param client   Copied; copies share their connections. */
    ollama_embedding_model(http_client client, embedding_options options);
};

}  // namespace weft
