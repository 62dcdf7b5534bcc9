#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

/** How many calls may be made beside the ones that were asked for, such as retries and hedges. */
struct extra_call_share {
    double share = 0.1;    ///< Extra calls per call in the long run.
    double reserve = 10;   ///< Extra calls that can be saved up; there from the start.
};

/** Keeps extra calls to a share of all calls, so that an endpoint that fails or slows down is not hit by a storm of
 *  them: each call pays a share in, each extra call takes one out.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Source          Google SRE, "Handling Overload", per-client retry budget; gRFC A6, "Throttling Retry Attempts".
 */
class extra_call_budget {
public:
    explicit extra_call_budget(extra_call_share rate = {}) noexcept;

    /** A call begins. */
    void on_call() noexcept;
    /** Takes one extra call. @return False if there is none. */
    [[nodiscard]] bool try_take() noexcept;
    /** How many extra calls there are. */
    [[nodiscard]] double left() const noexcept;

private:
    // In millionths of a call, so that shares add up exactly.
    std::int64_t share_;
    std::int64_t reserve_;
    std::atomic<std::int64_t> left_;
};

}  // namespace weft
