#pragma once

#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/model/chat_model.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace weft {

/** Keeps a lane short while a node works: has a `summary_plan` and the one call of a model that it may have under way.
 *
 *      const weft::task_context& context = co_await weft::this_task::context();
 *      weft::background_summary summaries{context, model, weft::summary_plan{}};
 *      …each turn…
 *      weft::applied_summary applied = summaries.take(talk, from);
 *      if (applied.change) node.set(key, *applied.change);
 *      summaries.start(talk, compaction.wants_summary);
 *
 *  @par Cancellation    A stop of the parent stops the call.
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       `context` and the loop outlive it. Destroying it destroys the call; what it was about stays as
 *                       it is and is summarised another time.
 */
class background_summary {
public:
    /** @param context  Of the coroutine that has it. @param model   Not null. */
    background_summary(const task_context& context, std::shared_ptr<chat_model> model, summary_plan plan);

    /** Begins to write one if it is time and none is under way. @return   Whether it did. */
    bool start(const conversation& history, bool is_urgent = false);
    /** How many messages were compared with the newest when the last one began; see `summary_rules::score_min`. */
    [[nodiscard]] std::size_t scored() const noexcept { return scored_; }
    /** Whether one is written and not taken. */
    [[nodiscard]] bool is_written() const noexcept { return written_.has_value(); }
    /** Whether one is being written, or written and not taken. */
    [[nodiscard]] bool is_under_way() const noexcept { return plan_.is_under_way(); }
    /** Puts one that is written into the conversation; `outcome::stray` if none is. */
    [[nodiscard]] applied_summary take(conversation& history, provenance by);
    /** Waits for the one that is being written, for a conversation that is too long to go on without it.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] task<void> wait();

private:
    static task<void> write(std::shared_ptr<chat_model> model, summary_job job, summary_rules rules,
                            std::optional<written_summary>& into);

    std::shared_ptr<chat_model> model_;
    summary_plan plan_;
    std::optional<written_summary> written_;
    std::size_t scored_ = 0;
    scope calls_;  // last: what its children refer to outlives them
};

}  // namespace weft
