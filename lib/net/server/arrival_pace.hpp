#pragma once

#include <weft/base/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft::net_detail {

/** How slowly a body may come: a number of bytes a second, behind which it may fall by a grace.
 *
 *  Only the time that is spent waiting for the client counts, so that a handler that reads late harms none.
 */
class arrival_pace {
public:
    arrival_pace(std::chrono::nanoseconds grace, std::size_t bytes_per_second) noexcept
        : grace_{grace}, bytes_per_second_{bytes_per_second == 0 ? 1 : bytes_per_second}
    {
    }

    /** Until when the next bytes must come, if the wait for them begins now. */
    [[nodiscard]] time_point deadline(time_point now) const noexcept
    {
        const auto earned = std::chrono::nanoseconds{std::chrono::seconds{1}} / bytes_per_second_;
        return now + grace_ + earned * static_cast<std::int64_t>(received_) - waited_;
    }

    /** Bytes came after a wait. */
    void arrived(std::size_t bytes, std::chrono::nanoseconds waited) noexcept
    {
        received_ += bytes;
        waited_ += waited;
    }

private:
    std::chrono::nanoseconds grace_;
    std::size_t bytes_per_second_;
    std::uint64_t received_ = 0;
    std::chrono::nanoseconds waited_{};
};

}  // namespace weft::net_detail
