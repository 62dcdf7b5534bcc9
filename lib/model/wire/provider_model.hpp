#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/net/http_request.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/url.hpp>

#include "provider_call.hpp"
#include "request_checks.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

/** What the models of all providers do alike. */
namespace weft::model_detail {

/** What is asked, for errors and reports: the model and its endpoint. */
[[nodiscard]] std::string label_of(std::string_view model, const url& target);

/** @par Errors   `errc::invalid_configuration` when no model is named. */
void require_model(std::string_view model, const url& target);

/** @par Errors   `errc::invalid_configuration` when there is both a key and a source of keys. */
void require_one_key(bool has_key, bool has_source, const url& target);

/** What the options of all models must say. */
template <class Options>
void check_options(const Options& options, const url& target)
{
    require_model(options.model, target);
    require_one_key(!options.key.empty(), options.credentials != nullptr, target);
}

template <class Settings>
[[nodiscard]] key_header key_header_of(const Settings& settings) noexcept
{
    if constexpr (requires { settings.auth_header; })
        return {settings.auth_header, settings.auth_prefix};
    else
        return {};
}

/** The user's headers, the call's id, the key unless it comes from a source, and the timeouts. */
template <class Options, class Settings>
void put_shared_parts(http_request& out, const chat_request& request, const Options& options, const Settings& settings)
{
    for (const auto& [name, value] : settings.headers) out.header(name, value);
    if (!request.call_id.empty()) out.header("Idempotency-Key", request.call_id);
    if (!options.key.empty()) put_key(out, key_header_of(settings), options.key);
    if (options.timeouts) out.timeouts(*options.timeouts);
}

/** A call with all but how its request is written and its reply is read. */
template <class Options, class Settings>
[[nodiscard]] provider_call started_call(const chat_request& request, const Options& options, const Settings& settings,
                                         const url& target, const error_dialect& words)
{
    provider_call call{words, options.key};
    call.credentials = options.credentials;
    call.key_origin = &options.key_origin;
    call.timeouts = options.timeouts;
    call.first_token_max = options.first_token_max;
    call.token_gap_max = options.token_gap_max;
    call.header = key_header_of(settings);
    call.reading.model = asked_model(request, options.model);
    call.reading.where = label_of(call.reading.model, target);
    call.reading.limits = options.limits;
    return call;
}

/** Reads a reply with a `Stream`, which is made with the settings, if it takes any, and the key. */
template <class Stream, class... Settings>
[[nodiscard]] provider_call::begin_function reader_of(const Settings&... settings)
{
    return [&settings...](reply_options reading, const secret_string& key) -> std::unique_ptr<provider_reply> {
        return std::make_unique<provider_reply_of<Stream>>(std::move(reading), settings..., key);
    };
}

}  // namespace weft::model_detail
