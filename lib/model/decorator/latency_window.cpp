#include <weft/model/decorator/latency_window.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

latency_window::latency_window(std::size_t size) : size_max_{size}
{
    BOOST_ASSERT_MSG(size > 0, "a window of latencies keeps at least one");
    kept_.reserve(size);
    sorted_.reserve(size);
}

void latency_window::add(std::chrono::nanoseconds latency)
{
    if (kept_.size() < size_max_) return kept_.push_back(latency);
    kept_[oldest_] = latency;
    oldest_ = (oldest_ + 1) % size_max_;
}

std::optional<std::chrono::nanoseconds> latency_window::quantile(double p) const
{
    if (kept_.empty()) return std::nullopt;
    sorted_ = kept_;
    const double rank = std::ceil(std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted_.size()));
    const auto place = sorted_.begin() + std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(rank) - 1, 0);
    std::nth_element(sorted_.begin(), place, sorted_.end());
    return *place;
}

}  // namespace weft
