#pragma once

#include <weft/model/embedding/embedding_options.hpp>
#include <weft/net/http_client.hpp>

#include "embedding_batches.hpp"
#include "embedding_reply.hpp"
#include "model/wire/provider.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** One request for vectors. */
struct embedding_request {
    std::string_view model;
    std::span<const std::string> texts;
    std::optional<std::size_t> dimensions{};
};

/** What one provider of embeddings does its own way; both functions are pure. */
struct embedding_wire {
    url target;        ///< With the model in it, where it stands there.
    std::string key_header = "Authorization";
    std::string key_prefix = "Bearer ";
    std::size_t inputs_max = 1;  ///< That the provider allows in one request.
    /** Writes the body, JSON. Text that is not UTF-8 is repaired. */
    std::string (*write)(const embedding_request&) = nullptr;
    /** Reads a reply.
     *  @par Errors   `reply_refused`. */
    embedding_reply (*read)(const boost::json::object& reply, const embedding_expectation&) = nullptr;
    const error_dialect* errors = nullptr;
};

/** All that a model of embeddings is made of. */
struct embedding_provider {
    provider from;  ///< Without the reading and writing of conversations.
    embedding_wire wire;
    batch_limits limits;
    embedding_expectation expected;
};

/** Checks what a user says of a model.
 *
 *  @par Errors   `errc::invalid_configuration`: there is no model, a limit is 0, both a key and a source of keys, or a
 *                header that could not be sent. */
[[nodiscard]] std::shared_ptr<const embedding_provider> made_embedding_provider(http_client client,
                                                                                embedding_options options,
                                                                                embedding_wire wire);

/** Reads the body of a response with status 200.
 *
 *  @par Errors   `model_error`, with the label of the provider as its place. */
[[nodiscard]] embedding_reply read_embeddings(const embedding_provider& from, std::string_view body,
                                              std::size_t count, const secret_string& key);

}  // namespace weft::model_detail
