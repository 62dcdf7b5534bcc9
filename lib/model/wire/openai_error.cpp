#include "openai_error.hpp"

#include <weft/base/json/json_peek.hpp>

#include "openai_dialect.hpp"

namespace weft {

namespace {

using model_detail::error_meaning;

// Words that say more than a status; looked up as `code` first, then as `type`.
constexpr error_meaning meanings[] = {
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

}  // namespace

const model_detail::error_dialect model_detail::openai_dialect{.meanings = meanings};

model_failure openai_response_failure(const http_response_head& head, std::string_view body, const secret_string& key)
{
    return model_detail::response_failure(head, body, key, model_detail::openai_dialect);
}

model_failure openai_reported_failure(const boost::json::object& report, const secret_string& key)
{
    return model_detail::reported_failure(report, key, model_detail::openai_dialect);
}

bool reports_error(const boost::json::object& chunk) noexcept
{
    const boost::json::value* error = peek_member(chunk, "error");
    if (error && error->is_object()) return !error->get_object().empty();
    if (error) return !peek_text(error).empty();
    return peek_text(chunk, "object") == "error";
}

}  // namespace weft
