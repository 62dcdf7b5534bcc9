#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

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
    /** Looks soon at the answers of a thread, as notices call it; 0: of all. */
    void look_at(std::uint64_t news_name);
    /** What a journal calls when its run has asked something. It may outlive the watch. */
    [[nodiscard]] std::function<void()> question_handler() const;

private:
    [[nodiscard]] task<void> take_answers(std::shared_ptr<held_run> held);

    durable_core& core_;
    const std::shared_ptr<signal> asked_ = std::make_shared<signal>();
    std::vector<std::uint64_t> answered_;  // as notices call the threads
    const intrusive_ptr<remote_signal> is_answered_ = make_counted<remote_signal>();
};

}  // namespace weft
