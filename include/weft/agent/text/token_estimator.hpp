#pragma once

#include <weft/base/units.hpp>
#include <weft/chat/usage.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>

namespace weft {

/** Corrects estimates of tokens by what the provider counts.
 *
 *      weft::tokens expected = weft::estimate_input(request);
 *      …
 *      estimator.learn(expected, reply.usage);
 *
 *  It keeps one factor: counts above the estimate move it half of the way, since to expect too little is what breaks
 *  requests, counts below it an eighth. The factor stays between a quarter and four. A plain value that converts to
 *  JSON; integers only, so that it comes out the same everywhere.
 */
struct token_estimator {
    static constexpr std::int64_t unit = 1'024;

    std::int64_t factor = unit;  ///< In 1024ths.
    std::int64_t lessons = 0;    ///< How many counts it has seen.

    /** @param estimated   Before correction.
     *  @param reported    Of the same request. Calls without a report and requests under a hundred tokens, which are
     *                     mostly frame, teach nothing. */
    void learn(tokens estimated, const usage& reported) noexcept;
    /** A provider refused a request as too long that was expected to fit: a quarter more from now on. */
    void was_too_low() noexcept;
    /** What an estimate stands for, rounded up. */
    [[nodiscard]] tokens corrected(tokens estimated) const noexcept;
    /** The largest estimate that stands for at most so many tokens. */
    [[nodiscard]] tokens estimate_for(tokens budget) const noexcept;

    friend bool operator==(const token_estimator&, const token_estimator&) = default;
};
BOOST_DESCRIBE_STRUCT(token_estimator, (), (factor, lessons))

}  // namespace weft
