#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

/** So long the counts of a rate take to flow in, or have taken. */
struct rate_spans {
    std::chrono::microseconds calls{0};
    std::chrono::microseconds tokens{0};

    friend bool operator==(const rate_spans&, const rate_spans&) = default;
};

/** What a process takes out of a rate that it shares with others. */
struct rate_claim {
    // Declared: see docs/COMPILERS.md.
    rate_claim() {}
    std::string rate;      ///< All processes that name it share it.
    std::string holder;    ///< The process; no other has this name.
    rate_spans cost;       ///< 0 or more.
    rate_spans back;       ///< What it had taken and not used; 0 or more.
    std::chrono::microseconds pause{0};  ///< From now on nothing begins for so long; 0 or more.
};

/** How a rate stands behind a claim, which is the last in its line. All spans are from now on. */
struct rate_standing {
    rate_standing() {}
    rate_spans full_in;                     ///< Until all that was taken has flowed in.
    std::chrono::microseconds paused{0};    ///< Until something may begin; 0 or less: now.
    std::uint32_t holders = 1;              ///< Processes that claimed in the last `holder_seen_for`, with this one.
};

/** Rates that several processes share. A claim stands in line behind all claims before it: what each may begin, and
 *  when, follows from `rate_standing::full_in` without another question.
 *
 *  Each rate is two moments at which its counts will be full again, as in `token_level`; a claim moves them by what it
 *  costs. What the counts hold and how fast they fill is known to those who claim.
 *
 *  @par Errors          Those of the store that has the rates; `errc::limit_reached` for a name of more than
 *                       `name_bytes_max`.
 *  @par Cancellation    At once; whether the claim counts is not known.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Source          The generic cell rate algorithm of ITU-T I.371, annex A, in its virtual scheduling form.
 */
class shared_rates {
public:
    virtual ~shared_rates() = default;

    [[nodiscard]] virtual task<rate_standing> claim(rate_claim what) = 0;

    /** A process that has not claimed for so long does not count as a holder. */
    static constexpr std::chrono::seconds holder_seen_for{30};
    static constexpr std::size_t name_bytes_max = 512;
};

}  // namespace weft
