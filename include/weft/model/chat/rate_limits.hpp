#pragma once

#include <weft/base/chrono.hpp>

#include <cstdint>
#include <optional>

namespace weft {

class http_headers;

/** What a provider says about one kind of limit. */
struct rate_limit {
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> remaining;
    std::optional<std::chrono::milliseconds> reset_after;  ///< Until the limit is whole again.

    [[nodiscard]] bool is_exhausted() const noexcept { return remaining && *remaining <= 0; }

    friend bool operator==(const rate_limit&, const rate_limit&) = default;
};

/** What a provider says about its limits in the headers of a response; a rate limiter corrects its
 *  own count by it. */
struct rate_limits {
    rate_limit requests;
    rate_limit tokens;

    friend bool operator==(const rate_limits&, const rate_limits&) = default;
};

/** Reads `x-ratelimit-…`; what is missing or not understood stays unknown.
 *  @par Source   OpenAI's API reference, "Rate limits: headers"; Azure gives resets in plain seconds. */
[[nodiscard]] rate_limits rate_limits_of(const http_headers& headers) noexcept;

/** Reads `anthropic-ratelimit-…`. Resets are times, which are compared with the response's own `date`; without one
 *  they stay unknown. Where input and output tokens are limited apart, `tokens` is the tighter one.
 *  @par Source   Anthropic's API reference, "Rate limits: response headers". */
[[nodiscard]] rate_limits anthropic_rate_limits_of(const http_headers& headers) noexcept;

}  // namespace weft
