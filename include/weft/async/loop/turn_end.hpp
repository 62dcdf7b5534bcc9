#pragma once

#include <weft/async/loop/ready_item.hpp>

namespace weft {

/** What runs when a turn of a loop ends: behind all that is ready in it.
 *
 *  Only within a turn can anything wait for its end. Turns may lie in each other: what runs in one may turn the loop
 *  itself, and the first that ends runs all.
 *
 *  @par Thread safety   None: it belongs to one loop.
 */
class turn_end {
public:
    /** A turn begins. */
    void begin() noexcept { ++turns_; }
    /** The turn ends here. What runs neither resumes a coroutine nor ends the loop. */
    void come()
    {
        --turns_;
        while (!waiting_.empty()) ready_queue::run(waiting_.pop());
    }
    /** Runs `item` then; the owner may take it back by `unlink`. @return  False: no turn is under way. */
    [[nodiscard]] bool defer(ready_item& item) noexcept
    {
        if (turns_ == 0) return false;
        waiting_.push(item);
        return true;
    }

private:
    ready_queue waiting_;
    int turns_ = 0;  // that are under way
};

}  // namespace weft
