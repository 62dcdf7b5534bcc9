#pragma once

#include "engine/worker/news_inbox.hpp"

#include <weft/async/task.hpp>

#include <cstdint>

namespace weft {

class answer_watch;
struct durable_core;

/** Hears from the store what has happened, in this process or another, and wakes what waits for it on this loop.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its task.
 */
class news_watch {
public:
    news_watch(durable_core& core, answer_watch& answers) noexcept : core_{core}, answers_{answers} {}

    /** Until it is destroyed or stopped; ends at once if the store tells nothing. */
    [[nodiscard]] task<void> watch();

private:
    void pass_on(const store_notice& notice);
    [[nodiscard]] task<void> look_at_signals(std::uint64_t thread);

    durable_core& core_;
    answer_watch& answers_;
};

}  // namespace weft
