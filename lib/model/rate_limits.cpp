#include <weft/model/rate_limits.hpp>

#include <weft/model/retry_after.hpp>
#include <weft/net/http_headers.hpp>

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

}  // namespace

rate_limits rate_limits_of(const http_headers& headers) noexcept
{
    constexpr names requests{"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
                             "x-ratelimit-reset-requests"};
    constexpr names tokens{"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"};
    return {read(headers, requests), read(headers, tokens)};
}

}  // namespace weft
