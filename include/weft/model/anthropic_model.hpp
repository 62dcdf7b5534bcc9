#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/anthropic/anthropic_settings.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/model/wire/provider_model.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Where the Messages API is and how to talk to it. */
struct anthropic_model_options {
    std::string base_url = "https://api.anthropic.com/v1";  ///< What stands before `/messages`.
    std::string model{};                                    ///< As the endpoint names it.
    secret_string key{};                                    ///< Empty where the endpoint wants none.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    anthropic_settings settings{};
    std::optional<http_timeouts> timeouts{};                ///< Instead of the client's.
    reply_limits limits{};
    /** From the head of the response to the first piece of the answer, reasoning and tool calls included; pings do not
     *  count. Unset: `first_byte` of the timeouts, 60 s by default. */
    std::optional<std::chrono::nanoseconds> first_token_max{};
    /** Between two such pieces. Unset: `gap` of the timeouts, 30 s by default. */
    std::optional<std::chrono::nanoseconds> token_gap_max{};
    /** Where `key` comes from, as `OPENAI_API_KEY`; stands in the error when it is refused. */
    std::string key_origin{};
};

/** A model behind Anthropic's Messages API, streamed.
 *
 *      weft::anthropic_model model{client, {.model = "claude-x", .key = key}};
 *
 *  A response is judged by its status first, then by its content type, then by its body. A server that ignores the
 *  wish for a stream and sends one JSON document is understood too; its text arrives in one piece.
 *
 *  A reply with `stop_reason::paused` is a turn that the provider's own tools have interrupted: put its message into
 *  the history and ask again.
 *
 *  @par Errors
 *    From the constructor:
 *    - `errc::invalid_url`             `base_url` is no URL, or ends with the path that weft adds.
 *    - `errc::invalid_configuration`   there is no model, a header could not be sent, or the settings contradict each
 *                                      other.
 *
 *    From `reply`: those of `openai_model`; `errc::invalid_configuration` also for a tool that takes free text, a
 *    budget for thinking that is below 1024 or leaves nothing for the answer, and more than four cache marks.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop.
 */
class anthropic_model final : public provider_model {
public:
    /** @param client   Copied; copies share their connections. */
    anthropic_model(http_client client, anthropic_model_options options);
};

}  // namespace weft
