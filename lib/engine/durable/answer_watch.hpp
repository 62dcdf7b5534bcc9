#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>

#include <functional>
#include <memory>

namespace weft {

struct durable_core;
struct held_run;

/** Looks for answers that came from other processes while a run here has open questions, and makes runs give themselves
 *  back that have been parked for long.
 *
 *  @par Lifetimes   The core outlives it.
 */
class answer_watch {
public:
    explicit answer_watch(durable_core& core) noexcept : core_{core} {}

    /** Until it is destroyed or stopped. One such task at a time. */
    [[nodiscard]] task<void> watch();
    /** What a journal calls when its run has asked something. It may outlive the watch. */
    [[nodiscard]] std::function<void()> question_handler() const;

private:
    [[nodiscard]] task<void> take_answers(std::shared_ptr<held_run> held);

    durable_core& core_;
    const std::shared_ptr<signal> asked_ = std::make_shared<signal>();
};

}  // namespace weft
