#include <weft/observe/metric/metric_registry.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

// What series beyond the bound count as. A user that takes it for a label of its own shares the series.
constexpr std::string_view other_series = "other";

std::uint64_t hash_of_values(std::initializer_list<std::string_view> values) noexcept
{
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    for (const std::string_view value : values) {
        for (const char c : value) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        hash = (hash ^ 0xffU) * 1099511628211ULL;  // so that "a", "bc" is not "ab", "c"
    }
    return hash ^ (hash >> 32);
}

bool has_values(const metric_series& series, std::initializer_list<std::string_view> values) noexcept
{
    return std::equal(values.begin(), values.end(), series.values().begin(), series.values().end());
}

}  // namespace

std::vector<double> time_bounds()
{
    return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600};
}

metric_series::metric_series(std::vector<std::string> values, std::uint64_t hash, const std::vector<double>& bounds)
    : values_{std::move(values)}, hash_{hash}, bounds_{bounds}
{
    if (!bounds.empty()) buckets_ = std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1);
}

void metric_series::observe(double value) noexcept
{
    BOOST_ASSERT(buckets_);
    const auto place = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    buckets_[static_cast<std::size_t>(place - bounds_.begin())].fetch_add(1, std::memory_order_relaxed);
    add(value);
}

std::uint64_t metric_series::in_bucket(std::size_t index) const noexcept
{
    return buckets_[index].load(std::memory_order_relaxed);
}

metric_family::metric_family(metric_description what)
    : what_{std::move(what)}, table_{std::make_unique<std::atomic<metric_series*>[]>(slots)}
{
    BOOST_ASSERT((what_.kind == metric_kind::histogram) == !what_.bounds.empty());
}

metric_family::~metric_family()
{
    for (std::size_t i = 0; i < slots; ++i) delete table_[i].load();
}

metric_series& metric_family::at(std::initializer_list<std::string_view> values)
{
    BOOST_ASSERT(values.size() == what_.labels.size());
    const std::uint64_t hash = hash_of_values(values);
    // An empty slot ends the search: slots are filled in this order, and none is emptied.
    for (std::size_t i = 0; i < slots; ++i) {
        metric_series* const found = table_[(hash + i) % slots].load(std::memory_order_acquire);
        if (!found) break;
        if (found->hash() == hash && has_values(*found, values)) return *found;
    }
    return make(values, hash);
}

metric_series& metric_family::make(std::initializer_list<std::string_view> values, std::uint64_t hash)
{
    const std::lock_guard lock{making_};
    if (count_ < series_max) return enter({values.begin(), values.end()}, hash);
    // Under a hash that no values are looked for by: each of those beyond the bound comes here, and takes the lock.
    std::vector<std::string> of_others(what_.labels.size(), std::string{other_series});
    return enter(std::move(of_others), 0);
}

metric_series& metric_family::enter(std::vector<std::string> values, std::uint64_t hash)
{
    for (std::size_t i = 0;; ++i) {
        std::atomic<metric_series*>& slot = table_[(hash + i) % slots];
        metric_series* const found = slot.load(std::memory_order_relaxed);
        // Another OS thread may have made it meanwhile.
        if (found && found->hash() == hash && found->values() == values) return *found;
        if (found) continue;
        auto made = std::make_unique<metric_series>(std::move(values), hash, what_.bounds);
        // A reader that sees the pointer sees what it points at.
        slot.store(made.get(), std::memory_order_release);
        ++count_;
        return *made.release();
    }
}

void metric_family::reset() noexcept
{
    for (std::size_t i = 0; i < slots; ++i)
        if (metric_series* const one = table_[i].load(std::memory_order_acquire)) one->set(0);
}

std::vector<const metric_series*> metric_family::series() const
{
    std::vector<const metric_series*> all;
    for (std::size_t i = 0; i < slots; ++i)
        if (const metric_series* const one = table_[i].load(std::memory_order_acquire)) all.push_back(one);
    return all;
}

metric_registry::metric_registry() = default;
metric_registry::~metric_registry() = default;

metric_family& metric_registry::family(metric_description what)
{
    const std::lock_guard lock{changing_};
    for (const auto& each : families_)
        if (each->description().name == what.name) return *each;
    return *families_.emplace_back(std::make_unique<metric_family>(std::move(what)));
}

std::vector<const metric_family*> metric_registry::families() const
{
    const std::lock_guard lock{changing_};
    std::vector<const metric_family*> all;
    for (const auto& each : families_) all.push_back(each.get());
    return all;
}

}  // namespace weft
