#pragma once

#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/model/wire/credential_source.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_request.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/url.hpp>

#include "error_judge.hpp"
#include "reply_reader.hpp"
#include "sampling_refusal.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::model_detail {

/** How the pieces of a streamed reply are told apart. */
enum class stream_framing {
    events,      ///< `text/event-stream`.
    json_lines,  ///< `application/x-ndjson`; a line is an event whose data it is.
};

/** What one provider does its own way. The header `<provider>_provider.hpp` of each room has the parts of it. */
struct provider_description {
    using header_list = std::vector<std::pair<std::string, std::string>>;
    using target_function = std::function<url(std::string_view model)>;
    using write_function = std::function<std::string(const chat_request&)>;
    using read_function = std::function<std::unique_ptr<reply_reader>(reply_options, const secret_string& key)>;

    url base;                  ///< Where it is; stands in errors and labels.
    target_function target{};  ///< Where a request goes, if that depends on the model; null: to `base`.
    header_list headers{};     ///< Of every request; the later of two of one name counts.
    std::string key_header = "Authorization";
    std::string key_prefix = "Bearer ";
    write_function write{};  ///< Writes the body, JSON.
    read_function read{};    ///< Makes the reader of a reply when the head of a good response is there.
    const error_dialect* errors = nullptr;
    stream_framing framing = stream_framing::events;
    bool learns_sampling = false;  ///< Asks once more without `temperature` when it is refused; see `sampling_refusal`.
};

/** What the options of all models have in common. */
struct provider_options {
    std::string model;
    secret_string key;
    std::shared_ptr<credential_source> credentials;
    std::string key_origin;
    std::optional<http_timeouts> timeouts;
    reply_limits limits;
    std::optional<std::chrono::nanoseconds> first_token_max;
    std::optional<std::chrono::nanoseconds> token_gap_max;
};

/** @param options   Those of a model, such as `openai_model_options`. */
template <class Options>
[[nodiscard]] provider_options shared_options(const Options& options)
{
    return {.model = options.model,
            .key = options.key,
            .credentials = options.credentials,
            .key_origin = options.key_origin,
            .timeouts = options.timeouts,
            .limits = options.limits,
            .first_token_max = options.first_token_max,
            .token_gap_max = options.token_gap_max};
}

/** All that a model is made of. */
struct provider {
    http_client client;
    provider_options options;
    provider_description how;
    std::string label{};  ///< The model and its endpoint, for errors and reports.
    sampling_refusal sampling{};
};

/** Checks what a user says of a model.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`   there is no model, both a key and a source of keys, or a request that could not
 *                                      be sent, e.g. for one of its headers. */
[[nodiscard]] std::shared_ptr<const provider> made_provider(http_client client, provider_options options,
                                                            provider_description how);

/** What a request asks, for its errors: its model and the endpoint. */
[[nodiscard]] std::string place_of(const provider& from, const chat_request& request);

/** The request as it is sent: with the headers, the call's id, the key unless it is empty, and the timeouts.
 *
 *  @par Errors   `errc::invalid_configuration` when it cannot be written. */
[[nodiscard]] http_request written_request(const provider& from, const chat_request& request,
                                           const secret_string& key);

}  // namespace weft::model_detail
