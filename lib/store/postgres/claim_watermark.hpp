#pragma once

#include <weft/base/clock.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>

namespace weft::postgres_detail {

/** Where in the line of ready runs a claim begins to look.
 *
 *  While an old snapshot is held, by a dump for instance, the server cannot clean its index of ready runs up: each
 *  claim would walk through the entries of all runs that were ever taken meanwhile. Behind the last run that was
 *  taken nothing is dead. Older runs may become ready again, though; so a look from the beginning follows when the
 *  first one found too little, as often as it is cheap, and once a second when it is not.
 *
 *  @par Thread safety   From any OS thread.
 */
class claim_watermark {
public:
    static constexpr std::chrono::seconds blind_max{1};
    static constexpr std::chrono::milliseconds cheap_max{50};

    [[nodiscard]] std::int64_t value() const
    {
        const std::lock_guard guard{lock_};
        return value_;
    }
    /** Runs up to `number` were taken. */
    void advance(std::int64_t number)
    {
        const std::lock_guard guard{lock_};
        if (number > value_) value_ = number;
    }
    /** An older run may be ready again. */
    void forget()
    {
        const std::lock_guard guard{lock_};
        value_ = 0;
        is_dear_ = false;
    }
    /** Whether a claim that found too little behind the mark should look from the beginning. */
    [[nodiscard]] bool looks_again(time_point now) const
    {
        const std::lock_guard guard{lock_};
        return value_ > 0 && (!is_dear_ || now - looked_ >= blind_max);
    }
    /** A look from the beginning has ended. */
    void looked(time_point began, time_point ended)
    {
        const std::lock_guard guard{lock_};
        looked_ = ended;
        is_dear_ = ended - began > cheap_max;
    }

private:
    mutable std::mutex lock_;
    std::int64_t value_ = 0;
    time_point looked_{};
    bool is_dear_ = false;
};

}  // namespace weft::postgres_detail
