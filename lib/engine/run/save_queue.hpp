#pragma once

#include <weft/engine/run/checkpoint_saver.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

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
    explicit save_queue(const save_options& options) noexcept : ahead_max_{ahead_max_of(options)} {}

    /** A save is to be made. @return Whether the run may go on at once. */
    [[nodiscard]] bool admit(bool is_end) noexcept
    {
        ++unsaved_;
        is_ending_ = is_end;
        is_held_ = unsaved_ > allowed();
        return !is_held_;
    }

    /** The oldest save was made. @return Whether the run, which was held, may go on now. */
    [[nodiscard]] bool saved() noexcept
    {
        --unsaved_;
        if (!is_held_ || unsaved_ > allowed()) return false;
        is_held_ = false;
        return true;
    }

    [[nodiscard]] std::size_t unsaved() const noexcept { return unsaved_; }
    [[nodiscard]] bool is_held() const noexcept { return is_held_; }

private:
    [[nodiscard]] static std::uint32_t ahead_max_of(const save_options& options) noexcept
    {
        if (options.mode != durability::async_steps) return 0;
        constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(options.queue_max, 1, most));
    }
    [[nodiscard]] std::uint32_t allowed() const noexcept { return is_ending_ ? 0 : ahead_max_; }

    std::uint32_t ahead_max_;
    std::uint32_t unsaved_ = 0;
    bool is_ending_ = false;
    bool is_held_ = false;
};

}  // namespace weft
