#pragma once

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/task/task_context.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node/node.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

class node_runner;
struct run_core;

/** What an attempt of a node has asked and done so far: it names its questions and effects, and tells whether it only
 *  waits for answers. */
class visit_places {
public:
    explicit visit_places(std::string address) : address_{std::move(address)} {}

    /** The address of the visit, from the outermost graph on. */
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /** The address of the next question or effect of that name. */
    [[nodiscard]] std::string next(std::string_view name);

    [[nodiscard]] bool only_waits() const noexcept { return questions > 0 && effects == 0; }

    std::uint32_t questions = 0;  ///< That are open, and graphs inside that only wait for answers.
    std::uint32_t effects = 0;    ///< That are under way.
    bool is_parked = false;       ///< As the scheduler knows it.
    bool is_dropped = false;      ///< It is being taken down for a pause: its questions stay open.
    std::optional<std::chrono::nanoseconds> timeout_left;  ///< Of the node, while it is parked.

private:
    std::string address_;
    std::vector<std::pair<std::string, std::uint32_t>> counts_;
};

/** One coroutine node at work: its context, its stop scope, its time. Lives from its start to its end.
 *
 *  @par Lifetimes   The `node_runner` of its run owns it; the branch's state it sees outlives it.
 */
class node_run final : private outer_stop_scope {
public:
    node_run(run_core& core, branch_index branch, branch_state& view, node_context::visit_info info);

    // It lies within its run where that has room.
    static void* operator new(std::size_t size, node_runner& owner);
    static void operator delete(void* memory, node_runner& owner) noexcept;
    static void operator delete(node_run* ended, std::destroying_delete_t) noexcept;

    /** Starts the node's coroutine. @return True if it has ended already. */
    [[nodiscard]] bool start(node_task work);
    /** Asks the node to stop; after `grace` it is destroyed. */
    void stop(std::chrono::nanoseconds grace);
    /** It has not ended in its start. @param timeout   How long it may run; 0: without a limit. */
    void begin_wait(std::chrono::nanoseconds timeout);
    /** Its time begins now, if that has not begun with its first wait. */
    void begin_time();
    /** From now on it times out when it makes no progress for that long. */
    void limit_idleness(std::chrono::nanoseconds most);
    void note_progress() noexcept
    {
        if (beside_ && beside_->idle) beside_->idle->last = task_.loop->now();
    }
    /** Its timeout does not run until `release_timeout`. */
    void hold_timeout();
    void release_timeout();

    /** Null until it asks a question or has an effect. */
    [[nodiscard]] visit_places* places() const noexcept { return beside_ ? beside_->places.get() : nullptr; }
    void set_places(std::unique_ptr<visit_places> places) { beside().places = std::move(places); }

    [[nodiscard]] node_context& context() noexcept { return context_; }
    [[nodiscard]] node_task& work() noexcept { return work_; }
    /** Of one that has ended: it succeeded and neither wrote nor returned anything, in time and without a stop. */
    [[nodiscard]] bool ends_bare() const noexcept
    {
        return work_.gives_nothing() && !work_.exception() && context_.writes().empty() && !saw_stop_ &&
               !is_stopping_ && !has_timed_out_;
    }
    /** What the coroutine returned; throws what it threw. */
    [[nodiscard]] command answer();
    [[nodiscard]] branch_index branch() const noexcept { return branch_; }
    [[nodiscard]] bool has_timed_out() const noexcept { return has_timed_out_; }
    /** Whether that was for want of progress. */
    [[nodiscard]] bool was_idle() const noexcept { return beside_ && beside_->idle && beside_->idle->is_over; }
    [[nodiscard]] bool was_destroyed() const noexcept { return was_destroyed_; }

    /** Its coroutine asked for a stop and saw one that the loop had not carried out yet. */
    [[nodiscard]] bool saw_stop() const noexcept { return saw_stop_; }
    /** When its time is up, as far as that is known. */
    [[nodiscard]] time_point timeout_at() const noexcept;
    /** When the runner calls `end_time`; `time_point::max()`: not at all. */
    [[nodiscard]] time_point deadline() const noexcept
    {
        return has_waited_ && deadline_ != time_point::min() ? deadline_ : time_point::max();
    }
    /** Its time is up: its timeout, or the grace after a stop. It may be destroyed here, and its run end. */
    void end_time();
    void note_timeout() noexcept { has_timed_out_ = true; }
    /** What runs is no node: it changes what one that has ended has written. */
    void note_amending() noexcept { is_amending_ = true; }
    [[nodiscard]] bool is_amending() const noexcept { return is_amending_; }

private:
    struct idleness {
        loop_timer timer;
        std::chrono::nanoseconds most;
        time_point last;       // when it made progress
        bool is_over = false;  // it has timed out for want of it
    };

    /** What most nodes do not have. */
    struct seldom {
        std::unique_ptr<visit_places> places;
        std::unique_ptr<idleness> idle;
    };

    /** The run that the node is a part of. */
    [[nodiscard]] run_core& core() const noexcept;
    [[nodiscard]] seldom& beside()
    {
        if (!beside_) beside_ = std::make_unique<seldom>();
        return *beside_;
    }
    static void on_done(void* self);
    static void on_idle(void* self);
    bool is_due() const noexcept override;
    bool takes_step(std::chrono::nanoseconds held) const override;
    void set_time(std::chrono::nanoseconds left);

    bool has_timed_out_ : 1 = false;  // these lie in the last bytes of the scope
    bool is_stopping_ : 1 = false;
    bool was_destroyed_ : 1 = false;
    bool has_waited_ : 1 = false;
    bool is_amending_ : 1 = false;
    mutable bool saw_stop_ : 1 = false;
    // Of its timeout, then of the grace period; the past while its time has not begun. That begins with the end of the
    // loop's turn in which it first waits, or where it first asks for a stop.
    mutable time_point deadline_ = time_point::min();
    task_context task_;
    node_context context_;
    std::unique_ptr<seldom> beside_;  // mostly null
    [[no_unique_address]] node_task work_;  // behind all that its frame refers to
    branch_index branch_;                   // in the last bytes of that
};

}  // namespace weft
