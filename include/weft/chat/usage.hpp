#pragma once

#include <weft/base/units.hpp>

#include <boost/json/conversion.hpp>
#include <boost/json/fwd.hpp>

#include <cstdint>

namespace weft {

/** Tokens that model calls have used, in one meaning for every provider; adds up over calls.
 *
 *  `input` and `output` are totals; the other counts are parts of them. A call whose provider reported nothing counts
 *  in `unreported`, so that a sum says by itself whether it is exact.
 */
struct usage {
    tokens input;                 ///< Read, cached ones included.
    tokens cached;                ///< Of `input`: served from the provider's prompt cache.
    tokens cache_written;         ///< Of `input`: put into the provider's prompt cache.
    tokens output;                ///< Written, reasoning included.
    tokens reasoning;             ///< Of `output`: spent on reasoning.
    std::int64_t unreported = 0;  ///< Calls whose usage is not known and not contained in the counts.

    /** The usage of one call about which the provider said nothing. */
    [[nodiscard]] static usage unknown() noexcept
    {
        usage result;
        result.unreported = 1;
        return result;
    }

    [[nodiscard]] bool is_exact() const noexcept { return unreported == 0; }
    [[nodiscard]] tokens total() const noexcept { return input + output; }

    usage& operator+=(const usage& other) noexcept;
    friend usage operator+(usage left, const usage& right) noexcept { return left += right; }
    friend bool operator==(const usage&, const usage&) = default;
};

/** `{"input":9,"output":3}`; counts that are zero are left out, all but these two. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const usage& in);

/** @par Errors `errc::unexpected_json` when `in` is no object or a count is no integer. */
usage tag_invoke(boost::json::value_to_tag<usage>, const boost::json::value& in);

}  // namespace weft
