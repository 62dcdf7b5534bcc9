#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/gemini/gemini_settings.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/model/wire/provider_model.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Where Gemini is and how to talk to it. */
struct gemini_model_options {
    /** What stands before `/models/…`; with Vertex, the region's host and the path from `/v1/projects/` to
     *  `/publishers/google`. Never with a key in it: addresses end up in logs. */
    std::string base_url = "https://generativelanguage.googleapis.com/v1beta";
    std::string model{};  ///< As the endpoint names it; a name with a slash, as `tunedModels/x`, stands for itself.
    secret_string key{};  ///< Empty where the endpoint wants none.
    std::shared_ptr<credential_source> credentials{};  ///< Instead of `key`, where the key changes.
    gemini_settings settings{};
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

/** A model behind Google's Gemini API, streamed.
 *
 *      weft::gemini_model model{client, {.model = "gemini-x", .key = key}};
 *
 *  A response is judged by its status first, then by its content type, then by its body. A server that sends a JSON
 *  document in place of events is understood too.
 *
 *  @par Errors
 *    From the constructor:
 *    - `errc::invalid_url`             `base_url` is no URL, or ends with the path that weft adds.
 *    - `errc::invalid_configuration`   there is no model, its name cannot stand in an address, a header could not be
 *                                      sent, or there is a key in the URL.
 *
 *    From `reply`: those of `openai_model`; `errc::invalid_configuration` also for a tool that takes free text, a
 *    result whose call is not in the conversation and that has no `name`, and a reference in a schema, where the
 *    dialect of schemas knows none.
 *  @par Cancellation    Closes the connection. A reply that was complete by then is lost as well.
 *  @par Thread safety   From any loop.
 */
class gemini_model final : public provider_model {
public:
    /** @param client   Copied; copies share their connections. */
    gemini_model(http_client client, gemini_model_options options);
};

}  // namespace weft
