#include "anthropic_error.hpp"

#include <weft/base/json/json_peek.hpp>

#include "anthropic_dialect.hpp"

namespace weft {

namespace {

using model_detail::error_meaning;
using model_detail::error_words;

constexpr error_meaning anthropic_meanings[] = {
    {"enforced_spend_limit_reached", errc::model_quota_exhausted, 429},
    {"contract_spend_limit_reached", errc::model_quota_exhausted, 429},
    {"invalid_request_error", errc::model_rejected, 400},
    {"authentication_error", errc::model_unauthorized, 401},
    {"billing_error", errc::model_quota_exhausted, 402},
    {"permission_error", errc::model_unauthorized, 403},
    {"not_found_error", errc::model_not_found, 404},
    {"conflict_error", errc::model_overloaded, 409},
    {"request_too_large", errc::model_rejected, 413},
    {"rate_limit_error", errc::model_rate_limited, 429},
    {"api_error", errc::model_overloaded, 500},
    {"timeout_error", errc::model_overloaded, 504},
    {"overloaded_error", errc::model_overloaded, 529},
};

void read_anthropic_words(const boost::json::object& report, error_words& words)
{
    words.request_id = model_detail::bounded_words(peek_text(report, "request_id"));
    const boost::json::object* details = peek_object(model_detail::error_in(report), "details");
    if (!details) return;
    const std::string_view code = peek_text(*details, "error_code");
    if (!code.empty()) words.code = model_detail::bounded_words(code);
}

}  // namespace

const model_detail::error_dialect model_detail::anthropic_dialect{
    .meanings = anthropic_meanings,
    .request_id_header = "request-id",
    .limits = &anthropic_rate_limits_of,
    .read_more = &read_anthropic_words,
};

model_failure anthropic_response_failure(const http_response_head& head, std::string_view body,
                                         const secret_string& key)
{
    return model_detail::response_failure(head, body, key, model_detail::anthropic_dialect);
}

model_failure anthropic_reported_failure(const boost::json::object& report, const secret_string& key)
{
    return model_detail::reported_failure(report, key, model_detail::anthropic_dialect);
}

}  // namespace weft
