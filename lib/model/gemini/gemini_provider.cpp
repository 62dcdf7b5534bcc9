#include "gemini_provider.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/model/time/retry_after.hpp>

#include "model/wire/base_url.hpp"

#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

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
void read_quota(const json::object& detail, parsed_error& parsed)
{
    const json::array* violations = peek_array(detail, "violations");
    if (!violations) return;
    for (const json::value& entry : *violations) {
        const json::object* violation = entry.if_object();
        const std::string_view quota = violation ? peek_text(*violation, "quotaId") : std::string_view{};
        if (quota.find("PerDay") == std::string_view::npos) continue;
        parsed.code = bounded_text(quota);
        parsed.meaning = errc::model_quota_exhausted;
        return;
    }
}

void read_detail(const json::object& detail, parsed_error& parsed)
{
    const std::string_view type = peek_text(detail, "@type");
    if (type.ends_with("google.rpc.RetryInfo")) {
        if (const auto wait = parse_duration(peek_text(detail, "retryDelay"))) parsed.retry_after = wait;
    } else if (type.ends_with("google.rpc.QuotaFailure")) {
        read_quota(detail, parsed);
    } else if (type.ends_with("google.rpc.ErrorInfo") && !parsed.meaning) {
        const std::string_view reason = peek_text(detail, "reason");
        if (!reason.empty()) parsed.code = bounded_text(reason);
        if (reason == "API_KEY_INVALID") parsed.meaning = errc::model_unauthorized;  // comes with status 400
    }
}

void read_gemini_details(const json::object& report, parsed_error& parsed)
{
    const json::object& error = error_in(report);
    if (parsed.type.empty()) parsed.type = bounded_text(peek_text(error, "status"));
    const json::array* details = peek_array(error, "details");
    if (!details) return;
    for (const json::value& entry : *details)
        if (const json::object* detail = entry.if_object()) read_detail(*detail, parsed);
}

constexpr std::string_view plain_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/@";

bool is_dots(std::string_view segment) noexcept { return segment == "." || segment == ".."; }

/** A name that would lead to another place than it says is refused. */
void check_segments(std::string_view model)
{
    for (std::string_view rest = model;;) {
        const std::size_t slash = rest.find('/');
        const std::string_view segment = rest.substr(0, slash);
        if (segment.empty() || is_dots(segment))
            throw error{errc::invalid_configuration, "model", "a part of the model's name is empty or dots"};
        if (slash == std::string_view::npos) return;
        rest.remove_prefix(slash + 1);
    }
}

std::string model_path(std::string_view model)
{
    check_segments(model);
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string path = model.find('/') == std::string_view::npos ? "models/" : "";
    for (const char c : model) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain_characters.find(c) != std::string_view::npos)
            path += c;
        else
            path.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return path;
}

/** Addresses end up in logs. */
void check_no_key(const url& base)
{
    const std::string& target = base.target();
    if (target.find("?key=") == std::string::npos && target.find("&key=") == std::string::npos) return;
    throw error{errc::invalid_configuration, base.endpoint(),
                "the key stands in the URL: give it as the key of the model"};
}

/** An address that goes on to a model and what is asked of it. */
void refuse_whole_call(const url& base)
{
    for (const std::string_view call :
         {":generateContent", ":streamGenerateContent", ":embedContent", ":batchEmbedContents"})
        if (base.target().substr(0, base.target().find('?')).ends_with(call))
            throw error{errc::invalid_url, base.endpoint(),
                        "leave out /models and what follows, which weft adds, and name the model in `model`"};
}

url streamed_target(const url& base, std::string_view model)
{
    const url target = gemini_target(base, model, ":streamGenerateContent");
    const bool has_query = target.target().find('?') != std::string::npos;
    return url{target.to_string() + (has_query ? "&alt=sse" : "?alt=sse")};
}

}  // namespace

const error_dialect gemini_errors{
    .meanings = gemini_meanings,
    .read_more = &read_gemini_details,
};

url gemini_base(const std::string& base_url)
{
    url base{base_url};
    check_no_key(base);
    refuse_whole_address(base, "/models");
    refuse_whole_call(base);
    return base;
}

url gemini_target(const url& base, std::string_view model, std::string_view call)
{
    return base.appended(model_path(model) + std::string{call});
}

provider_description gemini_provider(const gemini_model_options& options)
{
    const auto settings = std::make_shared<const gemini_settings>(options.settings);
    provider_description how{.base = gemini_base(options.base_url)};
    how.target = [base = how.base](std::string_view model) { return streamed_target(base, model); };
    how.headers = {{"Accept", "text/event-stream"}};
    how.headers.insert(how.headers.end(), settings->headers.begin(), settings->headers.end());
    how.key_header = settings->auth_header;
    how.key_prefix = settings->auth_prefix;
    how.write = [settings, model = options.model](const chat_request& request) {
        return gemini_request_body(request, *settings, model);
    };
    how.read = [settings](reply_options reading, const secret_string& key) {
        return gemini_reader(std::move(reading), *settings, key);
    };
    how.errors = &gemini_errors;
    return how;
}

}  // namespace weft::model_detail
