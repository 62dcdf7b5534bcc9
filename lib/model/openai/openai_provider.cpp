#include "openai_provider.hpp"

#include "model/wire/base_url.hpp"

namespace weft::model_detail {

namespace {

// Words that say more than a status; looked up as `code` first, then as `type`.
constexpr error_meaning openai_meanings[] = {
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

const error_dialect openai_errors{.meanings = openai_meanings};

void put_openai_account(provider_description::header_list& out, const std::string& organization,
                        const std::string& project)
{
    if (!organization.empty()) out.emplace_back("OpenAI-Organization", organization);
    if (!project.empty()) out.emplace_back("OpenAI-Project", project);
}

provider_description openai_provider(const openai_model_options& options)
{
    const auto profile = std::make_shared<const openai_profile>(options.profile);
    provider_description how{.base = target_below(options.base_url, "/chat/completions")};
    how.headers = {{"Accept", "text/event-stream"}};
    put_openai_account(how.headers, options.organization, options.project);
    how.headers.insert(how.headers.end(), profile->headers.begin(), profile->headers.end());
    how.key_header = profile->auth_header;
    how.key_prefix = profile->auth_prefix;
    how.write = [profile, model = options.model](const chat_request& request) {
        return openai_request_body(request, *profile, model);
    };
    how.read = [profile](reply_options reading, const secret_string& key) {
        return openai_reader(std::move(reading), *profile, key);
    };
    how.errors = &openai_errors;
    how.learns_sampling = true;
    return how;
}

}  // namespace weft::model_detail
