#include "anthropic_provider.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/joined_text.hpp>

#include "model/wire/base_url.hpp"

#include <utility>
#include <vector>

namespace weft::model_detail {

namespace {

// By the type of the error, which decides also where the status is another one, as in streams that began with 200.
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

void read_anthropic_details(const boost::json::object& report, parsed_error& parsed)
{
    parsed.request_id = bounded_text(peek_text(report, "request_id"));
    const boost::json::object* details = peek_object(error_in(report), "details");
    if (!details) return;
    const std::string_view code = peek_text(*details, "error_code");
    if (!code.empty()) parsed.code = bounded_text(code);
}

}  // namespace

const error_dialect anthropic_errors{
    .meanings = anthropic_meanings,
    .request_id_header = "request-id",
    .limits = &anthropic_rate_limits_of,
    .read_more = &read_anthropic_details,
};

provider_description anthropic_provider(const anthropic_model_options& options)
{
    const auto settings = std::make_shared<const anthropic_settings>(options.settings);
    provider_description how{.base = target_below(options.base_url, "/messages")};
    how.headers = {{"Accept", "text/event-stream"}, {"anthropic-version", settings->version}};
    if (!settings->betas.empty()) how.headers.emplace_back("anthropic-beta", joined_text(settings->betas, ","));
    how.headers.insert(how.headers.end(), settings->headers.begin(), settings->headers.end());
    how.key_header = settings->auth_header;
    how.key_prefix = settings->auth_prefix;
    how.write = [settings, model = options.model](const chat_request& request) {
        return anthropic_request_body(request, *settings, model);
    };
    how.read = [settings](reply_options reading, const secret_string& key) {
        return anthropic_reader(std::move(reading), *settings, key);
    };
    how.errors = &anthropic_errors;
    how.learns_sampling = true;
    return how;
}

}  // namespace weft::model_detail
