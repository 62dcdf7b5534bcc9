#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/openai/openai_profile.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/model/wire/provider_model.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Where an OpenAI-compatible endpoint is and how to talk to it. */
struct openai_model_options {
    /** What stands before `/chat/completions`, with any path and query: `https://api.openai.com/v1`,
     *  `https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21`. */
    std::string base_url = "https://api.openai.com/v1";
    std::string model{};  ///< As the endpoint names it.
    secret_string key{};  ///< Empty where the endpoint wants none.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    openai_profile profile{};
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

/** A model behind an OpenAI-compatible endpoint, by streamed chat completions.
 *
 *      weft::openai_model model{client, {.model = "gpt-x", .key = key}};
 *
 *  A response is judged by its status first, then by its content type, then by its body. A server that ignores the
 *  wish for a stream and sends one JSON document is understood too; its text arrives in one piece.
 *
 *  @par Errors
 *    From the constructor:
 *    - `errc::invalid_url`             `base_url` is no URL, or ends with the path that weft adds.
 *    - `errc::invalid_configuration`   there is no model, or a header could not be sent.
 *
 *    From `reply`, always a `model_error` but for a request that cannot be written:
 *    - `errc::model_unauthorized`, `model_not_found`, `model_rejected`, `model_rate_limited`, `model_quota_exhausted`,
 *      `model_overloaded`              the endpoint's status says so, or its stream before it began to answer.
 *    - `errc::model_stream_error`      the endpoint reported an error after it had begun to answer.
 *    - `errc::response_truncated`      the stream ended before the reply was complete.
 *    - `errc::invalid_model_reply`     what came is no reply.
 *    - `errc::invalid_configuration`   a redirect or a web page came: the base URL is wrong; or the key would go
 *                                      without TLS to another machine.
 *    - `errc::cancelled`               the call was stopped.
 *    - all codes of `http_client::send` and `http_response::read_some`.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop.
 */
class openai_model final : public provider_model {
public:
    /** @param client   Copied; copies share their connections. */
    openai_model(http_client client, openai_model_options options);
};

}  // namespace weft
