#include <weft/model/openai_error.hpp>

#include <weft/model/retry_after.hpp>
#include <weft/net/http_response_head.hpp>
#include <weft/net/secret_string.hpp>

#include "json_peek.hpp"
#include "openai_error_words.hpp"

#include <algorithm>

namespace weft {

namespace {

using model_detail::error_words;
using std::chrono::milliseconds;

struct meaning {
    std::string_view word;
    errc code;
};

// Words that say more than a status; looked up as `code` first, then as `type`.
constexpr meaning meanings[] = {
    {"insufficient_quota", errc::model_quota_exhausted},
    {"credit_balance_exhausted", errc::model_quota_exhausted},
    {"organization_spend_limit_exceeded", errc::model_quota_exhausted},
    {"project_spend_limit_exceeded", errc::model_quota_exhausted},
    {"organization_usage_limit_exceeded", errc::model_quota_exhausted},
    {"billing_hard_limit_reached", errc::model_quota_exhausted},
    {"rate_limit_exceeded", errc::model_rate_limited},
    {"rate_limit_error", errc::model_rate_limited},
    {"slow_down", errc::model_rate_limited},
    {"capacity_exceeded", errc::model_overloaded},
    {"server_error", errc::model_overloaded},
    {"server_is_overloaded", errc::model_overloaded},
    {"service_unavailable_error", errc::model_overloaded},
    {"unavailable_error", errc::model_overloaded},
    {"overloaded_error", errc::model_overloaded},
    {"InternalServerError", errc::model_overloaded},
    {"invalid_request_error", errc::model_rejected},
    {"context_length_exceeded", errc::model_rejected},
    {"exceed_context_size_error", errc::model_rejected},
    {"content_filter", errc::model_rejected},
    {"content_policy_violation", errc::model_rejected},
    {"not_supported_error", errc::model_rejected},
    {"tool_use_failed", errc::model_rejected},
    {"BadRequestError", errc::model_rejected},
    {"invalid_api_key", errc::model_unauthorized},
    {"authentication_error", errc::model_unauthorized},
    {"permission_error", errc::model_unauthorized},
    {"model_not_found", errc::model_not_found},
    {"not_found_error", errc::model_not_found},
    {"NotFoundError", errc::model_not_found},
};

std::optional<errc> code_of_word(std::string_view word) noexcept
{
    for (const meaning& m : meanings)
        if (m.word == word) return m.code;
    return std::nullopt;
}

errc code_of_status(int status) noexcept
{
    switch (status) {
    case 401:
    case 403: return errc::model_unauthorized;
    case 402: return errc::model_quota_exhausted;
    case 404: return errc::model_not_found;
    case 429: return errc::model_rate_limited;
    case 408:
    case 409:
    case 425:
    case 498: return errc::model_overloaded;
    case 501:
    case 505: return errc::model_rejected;
    default: return status >= 500 ? errc::model_overloaded : errc::model_rejected;
    }
}

/** The status decides, but for an exhausted account, which looks like a rate limit from afar. */
errc judge(int status, const error_words& words) noexcept
{
    auto word = code_of_word(words.code);
    if (!word) word = code_of_word(words.type);
    if (word == errc::model_quota_exhausted) return *word;
    if (status != 0) return code_of_status(status);
    return word.value_or(errc::model_stream_error);
}

/** Resets count only for a limit that is used up: the other one says nothing about this refusal. */
std::optional<milliseconds> wait_for_limits(const http_headers& headers) noexcept
{
    const rate_limits limits = rate_limits_of(headers);
    std::optional<milliseconds> wait;
    for (const rate_limit& limit : {limits.requests, limits.tokens})
        if (limit.is_exhausted() && limit.reset_after)
            wait = std::max(wait.value_or(milliseconds{}), *limit.reset_after);
    return wait;
}

std::string sentence(int status, const error_words& words)
{
    std::string text;
    if (status != 0) text.append("status ").append(std::to_string(status));
    if (!words.message.empty()) text.append(text.empty() ? "" : ": ").append(words.message);
    const std::string& word = words.code.empty() || words.status != 0 ? words.type : words.code;
    if (!word.empty()) text.append(text.empty() ? "" : " ").append("(").append(word).append(")");
    return text.empty() ? "no reason is given" : text;
}

void take_words(model_failure& failure, const error_words& words, const secret_string& key)
{
    failure.detail = key.scrub(sentence(failure.status, words));
    failure.provider_type = key.scrub(words.type);
    failure.provider_code = key.scrub(words.code);
}

void take_headers(model_failure& failure, const http_headers& headers)
{
    failure.request_id = headers.find("x-request-id").value_or("");
    failure.partial.request_id = failure.request_id;
    failure.partial.rate_limits = rate_limits_of(headers);
    failure.retry_after = retry_after_of(headers);
    if (!failure.retry_after && failure.status == 429) failure.retry_after = wait_for_limits(headers);
    const auto should_retry = headers.find("x-should-retry");
    if (should_retry == "true") failure.is_transient = true;
    if (should_retry == "false") failure.is_transient = false;
}

/** A success that carries no reply. */
void judge_success(model_failure& failure, const http_response_head& head, std::string_view body)
{
    const std::string type = head.media_type();
    if (type == "text/html") {
        failure.code = errc::invalid_configuration;
        failure.detail = "an HTML page came instead of a reply; is the base URL right, and no proxy in between?";
        return;
    }
    failure.code = errc::invalid_model_reply;
    failure.is_transient = body.empty();
    failure.detail = body.empty() ? "the body is empty"
                                  : "the content type is \"" + type + "\", neither an event stream nor JSON";
}

}  // namespace

model_failure openai_response_failure(const http_response_head& head, std::string_view body, const secret_string& key)
{
    model_failure failure;
    failure.phase = model_phase::response;
    failure.status = head.status;
    if (head.is_success()) {
        judge_success(failure, head, body);
    } else if (head.status < 400) {
        failure.code = errc::invalid_configuration;
        failure.detail = "status " + std::to_string(head.status) +
                         ": redirects are not followed; set the base URL to the final address";
    } else {
        const error_words words = model_detail::words_of_body(head.media_type() == "text/html" ? "" : body);
        failure.code = judge(head.status, words);
        failure.is_transient = is_transient(failure.code);
        take_words(failure, words, key);
    }
    take_headers(failure, head.headers);
    return failure;
}

model_failure openai_reported_failure(const boost::json::object& report, const secret_string& key)
{
    const error_words words = model_detail::words_of(report);
    model_failure failure;
    failure.phase = model_phase::stream;
    failure.status = words.status;
    failure.code = judge(words.status, words);
    failure.is_transient = is_transient(failure.code);
    take_words(failure, words, key);
    return failure;
}

bool reports_error(const boost::json::object& chunk) noexcept
{
    const boost::json::value* error = model_detail::peek(chunk, "error");
    if (error && error->is_object()) return !error->get_object().empty();
    if (error) return !model_detail::text_of(error).empty();
    return model_detail::peek_text(chunk, "object") == "error";
}

}  // namespace weft
