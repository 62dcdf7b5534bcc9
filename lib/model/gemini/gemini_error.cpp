#include "gemini_error.hpp"

#include <weft/base/json/json_peek.hpp>

#include "gemini_dialect.hpp"
#include "model/time/retry_after.hpp"

namespace weft {

namespace {

namespace json = boost::json;
using model_detail::error_meaning;
using model_detail::error_words;

constexpr error_meaning gemini_meanings[] = {
    {"INVALID_ARGUMENT", errc::model_rejected, 400},
    {"FAILED_PRECONDITION", errc::model_rejected, 400},
    {"OUT_OF_RANGE", errc::model_rejected, 400},
    {"UNAUTHENTICATED", errc::model_unauthorized, 401},
    {"PERMISSION_DENIED", errc::model_unauthorized, 403},
    {"NOT_FOUND", errc::model_not_found, 404},
    {"ABORTED", errc::model_overloaded, 409},
    {"RESOURCE_EXHAUSTED", errc::model_rate_limited, 429},
    {"CANCELLED", errc::model_rejected, 499},
    {"INTERNAL", errc::model_overloaded, 500},
    {"UNKNOWN", errc::model_overloaded, 500},
    {"UNIMPLEMENTED", errc::model_rejected, 501},
    {"UNAVAILABLE", errc::model_overloaded, 503},
    {"DEADLINE_EXCEEDED", errc::model_overloaded, 504},
};

/** A quota per day is used up for long: waiting as for a rate limit does not help. */
void read_quota(const json::object& detail, error_words& words)
{
    const json::array* violations = peek_array(detail, "violations");
    if (!violations) return;
    for (const json::value& entry : *violations) {
        const json::object* violation = entry.if_object();
        const std::string_view quota = violation ? peek_text(*violation, "quotaId") : std::string_view{};
        if (quota.find("PerDay") == std::string_view::npos) continue;
        words.code = model_detail::bounded_words(quota);
        words.meaning = errc::model_quota_exhausted;
        return;
    }
}

void read_detail(const json::object& detail, error_words& words)
{
    const std::string_view type = peek_text(detail, "@type");
    if (type.ends_with("google.rpc.RetryInfo")) {
        if (const auto wait = parse_duration(peek_text(detail, "retryDelay"))) words.retry_after = wait;
    } else if (type.ends_with("google.rpc.QuotaFailure")) {
        read_quota(detail, words);
    } else if (type.ends_with("google.rpc.ErrorInfo") && !words.meaning) {
        const std::string_view reason = peek_text(detail, "reason");
        if (!reason.empty()) words.code = model_detail::bounded_words(reason);
        if (reason == "API_KEY_INVALID") words.meaning = errc::model_unauthorized;  // comes with status 400
    }
}

void read_gemini_words(const json::object& report, error_words& words)
{
    const json::object& error = model_detail::error_in(report);
    if (words.type.empty()) words.type = model_detail::bounded_words(peek_text(error, "status"));
    const json::array* details = peek_array(error, "details");
    if (!details) return;
    for (const json::value& entry : *details)
        if (const json::object* detail = entry.if_object()) read_detail(*detail, words);
}

}  // namespace

const model_detail::error_dialect model_detail::gemini_dialect{
    .meanings = gemini_meanings,
    .read_more = &read_gemini_words,
};

model_failure gemini_response_failure(const http_response_head& head, std::string_view body, const secret_string& key)
{
    return model_detail::response_failure(head, body, key, model_detail::gemini_dialect);
}

model_failure gemini_reported_failure(const boost::json::object& report, const secret_string& key)
{
    return model_detail::reported_failure(report, key, model_detail::gemini_dialect);
}

}  // namespace weft
