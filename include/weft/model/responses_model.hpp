#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/responses/responses_settings.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/model/wire/provider_model.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Where an endpoint of the Responses API is and how to talk to it. */
struct responses_model_options {
    /** What stands before `/responses`, with any path and query. */
    std::string base_url = "https://api.openai.com/v1";
    std::string model{};  ///< As the endpoint names it.
    secret_string key{};  ///< Empty where the endpoint wants none.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    responses_settings settings{};
    std::string organization{};               ///< `OpenAI-Organization`; empty: not sent.
    std::string project{};                    ///< `OpenAI-Project`; empty: not sent.
    std::optional<http_timeouts> timeouts{};  ///< Instead of the client's.
    reply_limits limits{};
    /** From the head of the response to the first piece of the answer, reasoning and tool calls included; pings do not
     *  count. Unset: `first_byte` of the timeouts, 60 s by default. */
    std::optional<std::chrono::nanoseconds> first_token_max{};
    /** Between two such pieces. Unset: `gap` of the timeouts, 30 s by default. */
    std::optional<std::chrono::nanoseconds> token_gap_max{};
    /** Where `key` comes from, as `OPENAI_API_KEY`; stands in the error when it is refused. */
    std::string key_origin{};
};

/** A model behind OpenAI's Responses API, streamed.
 *
 *      weft::responses_model model{client, {.model = "gpt-x", .key = key}};
 *
 *  The provider keeps nothing: the whole conversation is sent each time, and what the model has thought goes along
 *  encrypted. A model that reasons may be silent for longer than the client's timeouts allow; set `timeouts` for it.
 *
 *  A response is judged by its status first, then by its content type, then by its body. A server that ignores the
 *  wish for a stream and sends one JSON document is understood too; its text arrives in one piece.
 *
 *  @par Errors          As `openai_model`; a request with stop texts cannot be written.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop.
 *  @par Source          OpenAI's API reference, "Responses".
 */
class responses_model final : public provider_model {
public:
    /** @param client   Copied; copies share their connections. */
    responses_model(http_client client, responses_model_options options);
};

}  // namespace weft
