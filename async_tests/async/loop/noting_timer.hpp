#pragma once

#include <weft/async/loop/loop_timer.hpp>

#include <vector>

namespace weft_tests {

/** A timer that notes its index when it fires. */
struct noting_timer {
    noting_timer(weft::serial_loop& loop, std::vector<int>& fired, int index)
        : fired{fired}, index{index}, timer{loop,
                                            [](void* self) {
                                                auto& me = *static_cast<noting_timer*>(self);
                                                me.fired.push_back(me.index);
                                            },
                                            this}
    {
    }
    std::vector<int>& fired;
    int index;
    weft::loop_timer timer;
};

}  // namespace weft_tests
