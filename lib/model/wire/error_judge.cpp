#include "error_judge.hpp"

#include <weft/model/time/retry_after.hpp>
#include <weft/net/options/http_response_head.hpp>
#include <weft/net/secret_string.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace weft::model_detail {

namespace {

using std::chrono::milliseconds;

const error_meaning* meaning_of(std::string_view word, std::span<const error_meaning> meanings) noexcept
{
    const auto found =
        std::find_if(meanings.begin(), meanings.end(), [word](const error_meaning& m) { return m.word == word; });
    return found == meanings.end() ? nullptr : &*found;
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
void judge(model_failure& failure, const parsed_error& parsed, const error_dialect& dialect) noexcept
{
    const error_meaning* word = meaning_of(parsed.code, dialect.meanings);
    if (!word) word = meaning_of(parsed.type, dialect.meanings);
    if (failure.status == 0) failure.status = parsed.status;
    if (failure.status == 0 && word) failure.status = word->status;
    if (parsed.meaning)
        failure.code = *parsed.meaning;
    else if (word && word->code == errc::model_quota_exhausted)
        failure.code = word->code;
    else if (failure.status != 0)
        failure.code = code_of_status(failure.status);
    else
        failure.code = word ? word->code : errc::model_stream_error;
    failure.is_transient = is_transient(failure.code);
}

/** Resets count only for a limit that is used up: the other one says nothing about this refusal. */
std::optional<milliseconds> wait_for_limits(const rate_limits& limits) noexcept
{
    std::optional<milliseconds> wait;
    for (const rate_limit& limit : {limits.requests, limits.tokens})
        if (limit.is_exhausted() && limit.reset_after)
            wait = std::max(wait.value_or(milliseconds{}), *limit.reset_after);
    return wait;
}

std::string sentence(int status, const parsed_error& parsed)
{
    std::string text;
    if (status != 0) text.append("status ").append(std::to_string(status));
    if (!parsed.message.empty()) text.append(text.empty() ? "" : ": ").append(parsed.message);
    const std::string& word = parsed.code.empty() || parsed.status != 0 ? parsed.type : parsed.code;
    if (!word.empty()) text.append(text.empty() ? "" : " ").append("(").append(word).append(")");
    return text.empty() ? "no reason is given" : text;
}

void take_parsed(model_failure& failure, const parsed_error& parsed, const secret_string& key)
{
    failure.detail = key.scrub(sentence(failure.status, parsed));
    failure.provider_type = key.scrub(parsed.type);
    failure.provider_code = key.scrub(parsed.code);
    failure.request_id = key.scrub(parsed.request_id);
    failure.retry_after = parsed.retry_after;
}

/** What the headers say goes before what the body says. */
void take_headers(model_failure& failure, const http_headers& headers, const error_dialect& dialect)
{
    if (const auto id = headers.find(dialect.request_id_header)) failure.request_id = *id;
    failure.partial.request_id = failure.request_id;
    failure.partial.rate_limits = dialect.limits(headers);
    if (const auto wait = retry_after_of(headers)) failure.retry_after = wait;
    if (!failure.retry_after && failure.status == 429)
        failure.retry_after = wait_for_limits(failure.partial.rate_limits);
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
                                  : "the content type is \"" + type + "\", neither a stream nor JSON";
}

}  // namespace

model_failure response_failure(const http_response_head& head, std::string_view body, const secret_string& key,
                               const error_dialect& dialect)
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
        const parsed_error parsed = error_of_body(head.media_type() == "text/html" ? "" : body, dialect.read_more);
        judge(failure, parsed, dialect);
        take_parsed(failure, parsed, key);
    }
    take_headers(failure, head.headers, dialect);
    return failure;
}

model_failure reported_failure(const boost::json::object& report, const secret_string& key,
                               const error_dialect& dialect)
{
    const parsed_error parsed = error_of(report, dialect.read_more);
    model_failure failure;
    failure.phase = model_phase::stream;
    judge(failure, parsed, dialect);
    take_parsed(failure, parsed, key);
    return failure;
}

}  // namespace weft::model_detail
