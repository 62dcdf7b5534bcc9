#pragma once

#include <weft/model/anthropic_model.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/gemini_model.hpp>
#include <weft/model/ollama_model.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/model/responses_model.hpp>
#include <weft/net/http_client.hpp>

#include <boost/describe/enum.hpp>

#include <memory>
#include <variant>

namespace weft {

/** Which API a model is asked by. */
enum class model_provider {
    openai,            ///< Chat completions, of OpenAI or of the many who imitate them.
    openai_responses,  ///< OpenAI's Responses API.
    anthropic,         ///< Anthropic's Messages API.
    gemini,            ///< Google's Gemini API.
    ollama,            ///< Ollama's own API.
};
BOOST_DESCRIBE_ENUM(model_provider, openai, openai_responses, anthropic, gemini, ollama)

/** Where a model is and how to talk to it, for every provider. */
using any_model_options = std::variant<openai_model_options, responses_model_options, anthropic_model_options,
                                       gemini_model_options, ollama_model_options>;

/** Puts a source of keys in place of the key, e.g. for a model whose other options come from a file. */
void set_credentials(any_model_options& options, std::shared_ptr<credential_source> source);

/** Makes the model that the options are for.
 *
 *  @param client   Copied; copies share their connections.
 *
 *  @par Errors   Those of the model's constructor. */
[[nodiscard]] std::shared_ptr<chat_model> make_model(http_client client, any_model_options options);

}  // namespace weft
