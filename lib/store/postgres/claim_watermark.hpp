#pragma once

#include <weft/base/clock.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace weft::postgres_detail {

/** Where in the queue a claim begins to look.
 *
 *  While an old snapshot is held, by a dump for instance, the server cannot clean its index of ready runs up: each
 *  claim would walk through the entries of all runs that were ever taken meanwhile. Before the oldest run of the last
 *  claim nearly nothing is ready; so when two looks from the beginning in a row were slow, claims begin there for a
 *  second. One slow look says nothing: a plan was made, the machine was busy. What is ready before the mark meanwhile,
 *  such as a run of a high priority, or of a tenant whose turn comes later, waits for the next look.
 *
 *  @par Thread safety   From any OS thread.
 */
class claim_watermark {
public:
    static constexpr std::chrono::seconds blind_max{1};
    static constexpr std::chrono::milliseconds cheap_max{50};

    /** The place to begin at; nothing: at the beginning. */
    [[nodiscard]] std::optional<std::int64_t> mark(time_point now) const
    {
        const std::lock_guard guard{lock_};
        return is_dear_ && now - looked_ < blind_max ? value_ : std::nullopt;
    }
    /** A claim took runs from `place` on. */
    void advance(std::int64_t place)
    {
        const std::lock_guard guard{lock_};
        value_ = place;
    }
    /** An older run may be ready again. */
    void forget()
    {
        const std::lock_guard guard{lock_};
        value_.reset();
    }
    /** A look from the beginning has ended. */
    void looked(time_point began, time_point ended)
    {
        const std::lock_guard guard{lock_};
        looked_ = ended;
        const bool is_slow = ended - began > cheap_max;
        is_dear_ = is_slow && was_slow_;
        was_slow_ = is_slow;
        value_.reset();
    }

private:
    mutable std::mutex lock_;
    std::optional<std::int64_t> value_;
    time_point looked_{};
    bool was_slow_ = false;  // the last look
    bool is_dear_ = false;
};

}  // namespace weft::postgres_detail
