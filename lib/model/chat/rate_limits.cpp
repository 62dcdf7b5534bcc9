#include <weft/model/chat/rate_limits.hpp>

#include <weft/model/time/retry_after.hpp>
#include <weft/model/time/rfc3339.hpp>
#include <weft/net/text/http_headers.hpp>

#include "model/time/http_date.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace weft {

namespace {

std::optional<std::int64_t> count_in(const http_headers& headers, std::string_view name) noexcept
{
    const auto text = headers.find(name);
    if (!text) return std::nullopt;
    std::int64_t count = 0;
    const char* end = text->data() + text->size();
    const auto [at, ec] = std::from_chars(text->data(), end, count);
    // Azure says -1 where it does not know.
    if (ec != std::errc{} || at != end || count < 0) return std::nullopt;
    return count;
}

struct names {
    std::string_view limit;
    std::string_view remaining;
    std::string_view reset;
};

rate_limit read(const http_headers& headers, const names& n) noexcept
{
    rate_limit result;
    result.limit = count_in(headers, n.limit);
    result.remaining = count_in(headers, n.remaining);
    if (const auto reset = headers.find(n.reset)) result.reset_after = parse_duration(*reset);
    return result;
}

/** Until a time that a header names, by the clock of the server. */
std::optional<std::chrono::milliseconds> until(const http_headers& headers, std::string_view name) noexcept
{
    const auto date = headers.find("date");
    const auto reset = headers.find(name);
    const auto now = date ? model_detail::parse_http_date(*date) : std::nullopt;
    const auto then = reset ? parse_rfc3339(*reset) : std::nullopt;
    if (!now || !then) return std::nullopt;
    return std::max(*then - *now, std::chrono::seconds{0});
}

rate_limit read_anthropic(const http_headers& headers, const names& n) noexcept
{
    rate_limit result;
    result.limit = count_in(headers, n.limit);
    result.remaining = count_in(headers, n.remaining);
    result.reset_after = until(headers, n.reset);
    return result;
}

/** Whether a limit leaves less of what it allows than another one does. */
bool is_tighter(const rate_limit& one, const rate_limit& other) noexcept
{
    if (!one.remaining || !other.remaining) return one.remaining.has_value();
    return *one.remaining < *other.remaining;
}

}  // namespace

rate_limits rate_limits_of(const http_headers& headers) noexcept
{
    constexpr names requests{"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
                             "x-ratelimit-reset-requests"};
    constexpr names tokens{"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"};
    return {read(headers, requests), read(headers, tokens)};
}

rate_limits anthropic_rate_limits_of(const http_headers& headers) noexcept
{
    constexpr names requests{"anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
                             "anthropic-ratelimit-requests-reset"};
    constexpr names kinds[] = {
        {"anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining",
         "anthropic-ratelimit-tokens-reset"},
        {"anthropic-ratelimit-input-tokens-limit", "anthropic-ratelimit-input-tokens-remaining",
         "anthropic-ratelimit-input-tokens-reset"},
        {"anthropic-ratelimit-output-tokens-limit", "anthropic-ratelimit-output-tokens-remaining",
         "anthropic-ratelimit-output-tokens-reset"},
    };
    rate_limits result;
    result.requests = read_anthropic(headers, requests);
    for (const names& kind : kinds) {
        const rate_limit limit = read_anthropic(headers, kind);
        if (is_tighter(limit, result.tokens)) result.tokens = limit;
    }
    return result;
}

}  // namespace weft
