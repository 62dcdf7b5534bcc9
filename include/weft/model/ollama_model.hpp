#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/ollama/ollama_settings.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/model/wire/provider_model.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Where an Ollama server is and how to talk to it. */
struct ollama_model_options {
    std::string base_url = "http://localhost:11434";  ///< What stands before `/api/chat`.
    std::string model{};                              ///< As `ollama list` names it.
    secret_string key{};                              ///< For servers behind a proxy and for Ollama's cloud.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    ollama_settings settings{};
    /** Instead of the client's; nothing: the client's. Before the first answer a model is loaded, which takes minutes.
     */
    std::optional<http_timeouts> timeouts = http_timeouts{.first_byte = std::chrono::minutes{10}};
    reply_limits limits{};
    /** From the head of the response to the first piece of the answer, reasoning and tool calls included; pings do not
     *  count. Unset: `first_byte` of the timeouts, 60 s by default. */
    std::optional<std::chrono::nanoseconds> first_token_max{};
    /** Between two such pieces. Unset: `gap` of the timeouts, 30 s by default. */
    std::optional<std::chrono::nanoseconds> token_gap_max{};
    /** Where `key` comes from, as `OPENAI_API_KEY`; stands in the error when it is refused. */
    std::string key_origin{};
};

/** A model of an Ollama server, by its own API, streamed.
 *
 *      weft::ollama_model model{client, {.model = "llama3.2", .settings = {.context_max = weft::tokens{16'384}}}};
 *
 *  Its own API knows the size of the context and whether to think, which its OpenAI-compatible one does not.
 *
 *  @par Errors
 *    From the constructor:
 *    - `errc::invalid_url`             `base_url` is no URL, or one that goes on to `/api` or `/v1`.
 *    - `errc::invalid_configuration`   there is no model, or a header could not be sent.
 *
 *    From `reply`, as `openai_model`; among them:
 *    - `errc::model_not_found`         the model was not pulled.
 *    - `errc::model_overloaded`        the server's queue is full, or the model failed before it began to answer.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop.
 *  @par Source          Ollama's API reference, "Generate a chat completion".
 */
class ollama_model final : public provider_model {
public:
    /** @param client   Copied; copies share their connections. */
    ollama_model(http_client client, ollama_model_options options);
};

}  // namespace weft
