#pragma once

#include <weft/engine/run/run_keeper.hpp>

#include <algorithm>
#include <cstddef>

namespace weft {

/** Decides when a run that asked for a save may go on. It counts; it keeps nothing and waits for nothing.
 *
 *  After a step the run goes on as soon as at most so many saves are not kept: none with `every_step`, as many as the
 *  queue takes with `async_steps`. At its end it waits for all of them.
 *
 *  @par Thread safety   None.
 */
class save_queue {
public:
    explicit save_queue(const run_keeping& how) noexcept
        : ahead_max_{how.mode() == durability::async_steps ? std::max<std::size_t>(how.queue_max(), 1) : 0}
    {
    }

    /** A save is to be made. @return Whether the run may go on at once. */
    [[nodiscard]] bool admit(bool is_end) noexcept
    {
        ++unkept_;
        allowed_ = is_end ? 0 : ahead_max_;
        is_held_ = unkept_ > allowed_;
        return !is_held_;
    }

    /** The oldest save was made. @return Whether the run, which was held, may go on now. */
    [[nodiscard]] bool kept() noexcept
    {
        --unkept_;
        if (!is_held_ || unkept_ > allowed_) return false;
        is_held_ = false;
        return true;
    }

    [[nodiscard]] std::size_t unkept() const noexcept { return unkept_; }
    [[nodiscard]] bool is_held() const noexcept { return is_held_; }

private:
    std::size_t ahead_max_;
    std::size_t allowed_ = 0;
    std::size_t unkept_ = 0;
    bool is_held_ = false;
};

}  // namespace weft
