#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What the numbers of a metric mean. */
enum class metric_kind : std::uint8_t {
    counter,    ///< Only grows, until the process ends.
    gauge,      ///< Goes up and down.
    histogram,  ///< Counts values by size.
};

/** A metric: its name, what it says, and which labels tell its series apart. */
struct metric_description {
    std::string name;                     ///< Without `_total`, which writers add to counters: `weft_runs`.
    std::string help;                     ///< One sentence.
    metric_kind kind = metric_kind::counter;
    std::vector<std::string> labels = {};
    std::vector<double> bounds = {};      ///< Of a histogram: upper ends of its buckets, ascending.
};

/** Ends of buckets for times from a millisecond to ten minutes, in seconds. */
[[nodiscard]] std::vector<double> time_bounds();

/** One series of a metric.
 *
 *  @par Thread safety   All operations from any OS thread; none takes a lock. */
class metric_series {
public:
    metric_series(std::vector<std::string> values, std::uint64_t hash, const std::vector<double>& bounds);

    /** Of counters and gauges. */
    void add(double amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
    /** Of gauges. */
    void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
    /** Of histograms. */
    void observe(double value) noexcept;

    /** The values of its labels. */
    [[nodiscard]] const std::vector<std::string>& values() const noexcept { return values_; }
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    /** Of a histogram the sum of what it has observed. */
    [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }
    /** How many values a bucket has; the one behind the last bound takes all that is larger. */
    [[nodiscard]] std::uint64_t in_bucket(std::size_t index) const noexcept;

private:
    const std::vector<std::string> values_;
    const std::uint64_t hash_;
    const std::vector<double>& bounds_;
    std::atomic<double> value_{0};
    std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;  // null unless of a histogram
};

/** A metric with all its series.
 *
 *      registry.family(description).at({"research", "finished"}).add();
 *
 *  @par Thread safety   All operations from any OS thread. A lock is taken once in the life of a series. */
class metric_family {
public:
    /** Series at most. What would be one more is counted by a series whose labels all say `other`. */
    static constexpr std::size_t series_max = 200;

    explicit metric_family(metric_description what);
    ~metric_family();

    /** The series of these values, one for each label, in the order of the labels. */
    metric_series& at(std::initializer_list<std::string_view> values);
    /** Sets all series to 0: before gauges are set anew of which some may be gone. */
    void reset() noexcept;

    [[nodiscard]] const metric_description& description() const noexcept { return what_; }
    /** Its series so far, in no order. */
    [[nodiscard]] std::vector<const metric_series*> series() const;

private:
    static constexpr std::size_t slots = 512;
    metric_series& make(std::initializer_list<std::string_view> values, std::uint64_t hash);
    metric_series& enter(std::vector<std::string> values, std::uint64_t hash);

    const metric_description what_;
    // By hash, with open addressing. Slots are filled under the lock and never emptied, so that readers need none.
    std::unique_ptr<std::atomic<metric_series*>[]> table_;
    std::mutex making_;
    std::size_t count_ = 0;
};

/** The metrics of a process, or of a part of it.
 *
 *  @par Thread safety   All operations from any OS thread. */
class metric_registry {
public:
    metric_registry();
    ~metric_registry();

    /** The metric of this name; it is made when it is asked for first. The reference holds as long as the registry. */
    metric_family& family(metric_description what);
    /** In the order in which they were made. */
    [[nodiscard]] std::vector<const metric_family*> families() const;

private:
    mutable std::mutex changing_;
    std::vector<std::unique_ptr<metric_family>> families_;
};

/** How metrics are written. */
enum class metric_format : std::uint8_t {
    prometheus,   ///< `text/plain; version=0.0.4`.
    openmetrics,  ///< `application/openmetrics-text; version=1.0.0`.
};

/** The format that a header `Accept` asks for; else `prometheus`. */
[[nodiscard]] metric_format metric_format_for(std::string_view accept) noexcept;
/** As a header `Content-Type`. */
[[nodiscard]] std::string_view content_type_of(metric_format format) noexcept;

/** All metrics, as Prometheus reads them.
 *  @par Source   Prometheus exposition formats 0.0.4; OpenMetrics 1.0.0. */
[[nodiscard]] std::string metric_text(const metric_registry& registry, metric_format format);

/** Sets the metrics `process_*` of a registry: memory, time of the processor, open files, start. Where the system does
 *  not say them, as outside of Linux, they are left out. */
void note_process(metric_registry& registry);

}  // namespace weft
