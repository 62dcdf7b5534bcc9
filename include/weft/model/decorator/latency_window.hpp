#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace weft {

/** The newest so many latencies, and quantiles of them: exact, bounded, and following an endpoint that changes. */
class latency_window {
public:
    /** @param size   How many are kept; at least 1. */
    explicit latency_window(std::size_t size);

    void add(std::chrono::nanoseconds latency);
    [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }

    /** The least latency that the share `p`, from 0 to 1, of them does not exceed; nothing without any. */
    [[nodiscard]] std::optional<std::chrono::nanoseconds> quantile(double p) const;

private:
    std::size_t size_max_;
    std::size_t oldest_ = 0;
    std::vector<std::chrono::nanoseconds> kept_;
    mutable std::vector<std::chrono::nanoseconds> sorted_;  // memory for `quantile`
};

}  // namespace weft
