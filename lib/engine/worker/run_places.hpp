#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace weft {

/** Counts the runs that a process performs, so that it takes up no more than it may.
 *
 *      run_places places{2};
 *      run_places::hold mine{places, std::min<std::size_t>(places.free(), 1)};
 *
 *  @par Thread safety   None. */
class run_places {
public:
    class hold;

    /** @param max   Nothing: without a limit. */
    explicit run_places(std::optional<std::size_t> max) noexcept
        : max_{max.value_or(std::numeric_limits<std::size_t>::max())}
    {
    }
    run_places(const run_places&) = delete;
    run_places& operator=(const run_places&) = delete;

    /** Whether there is a place at all, taken or free. */
    [[nodiscard]] bool has_any() const noexcept { return max_ > 0; }
    /** @param idle   Runs that have a place and do not need it now, as they wait for an answer. */
    [[nodiscard]] std::size_t free(std::size_t idle = 0) const noexcept
    {
        const std::size_t busy = taken_ - std::min(taken_, idle);
        return max_ - std::min(max_, busy);
    }

private:
    std::size_t max_;
    std::size_t taken_ = 0;
};

/** Places that are taken while it lives. */
class run_places::hold {
public:
    hold(run_places& in, std::size_t count) noexcept : in_{&in}, count_{count} { in.taken_ += count; }
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() { release(); }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    void release() noexcept { in_->taken_ -= std::exchange(count_, 0); }

private:
    run_places* in_;
    std::size_t count_;
};

}  // namespace weft
