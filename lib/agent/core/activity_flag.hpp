#pragma once

#include <utility>

namespace weft {

/** Whether work has shown a sign of life since the last look.
 *  @par Thread safety   None: it belongs to one loop. */
class activity_flag {
public:
    void show() noexcept { is_shown_ = true; }
    /** Whether there was one since the last time. */
    [[nodiscard]] bool take() noexcept { return std::exchange(is_shown_, false); }

private:
    bool is_shown_ = false;
};

}  // namespace weft
