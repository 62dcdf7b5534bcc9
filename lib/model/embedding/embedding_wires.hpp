#pragma once

#include <weft/model/embedding/embedding_options.hpp>

#include "embedding_provider.hpp"

#include <boost/json/object.hpp>

#include <string>

/** How each provider is asked for vectors. The writers and readers are pure. */
namespace weft::model_detail {

/** `{"model":…,"input":[…],"encoding_format":"float"}`, and `dimensions`.
 *  @par Source   OpenAI's API reference, "Create embeddings". */
[[nodiscard]] std::string openai_embedding_body(const embedding_request& request);

/** `{"data":[{"index":0,"embedding":[…]}],"usage":{"prompt_tokens":…}}`; the indices may come in any order, and each
 *  comes once. Servers that send no index send the order of the texts.
 *  @par Errors   `reply_refused`. */
[[nodiscard]] embedding_reply openai_embedding_reply(const boost::json::object& reply,
                                                     const embedding_expectation& expected);

/** `{"requests":[{"model":"models/…","content":{"parts":[{"text":…}]}}]}`, and `outputDimensionality`.
 *  @par Source   Google's reference of the Gemini API, "models.batchEmbedContents". */
[[nodiscard]] std::string gemini_embedding_body(const embedding_request& request);

/** `{"embeddings":[{"values":[…]}]}`.
 *  @par Errors   `reply_refused`. */
[[nodiscard]] embedding_reply gemini_embedding_reply(const boost::json::object& reply,
                                                     const embedding_expectation& expected);

/** `{"model":…,"input":[…],"truncate":false}`, and `dimensions`: a text that is too long for the model is an error,
 *  where the server would otherwise cut it without a word.
 *  @par Source   Ollama's API reference, "Generate embeddings". */
[[nodiscard]] std::string ollama_embedding_body(const embedding_request& request);

/** `{"embeddings":[[…]],"prompt_eval_count":…}`.
 *  @par Errors   `reply_refused`. */
[[nodiscard]] embedding_reply ollama_embedding_reply(const boost::json::object& reply,
                                                     const embedding_expectation& expected);

}  // namespace weft::model_detail
