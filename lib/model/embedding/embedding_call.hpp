#pragma once

#include <weft/async/task.hpp>
#include <weft/model/embedding/embedding_model.hpp>
#include <weft/net/http_request.hpp>

#include "embedding_provider.hpp"

#include <memory>
#include <string>
#include <vector>

namespace weft::model_detail {

/** The request as it is sent: with the headers, the key unless it is empty, and the timeouts. */
[[nodiscard]] http_request written_embedding_request(const provider& from, const url& target, std::string body,
                                                     const secret_string& key);

/** Asks a provider for the vectors of texts, in as many requests as its limits make necessary, one after the other.
 *
 *  @par Errors         As `embedding_model::embed`.
 *  @par Cancellation   Closes the connection. */
[[nodiscard]] task<embeddings> ask_embeddings(std::shared_ptr<const embedding_provider> from,
                                              std::vector<std::string> texts);

}  // namespace weft::model_detail
