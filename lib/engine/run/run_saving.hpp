#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run/run_keeper.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include "engine/scheduler/schedule_limits.hpp"
#include "save_queue.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class run;

/** Makes the saves of a run, one after another, in a child of its own, and says when the run may go on.
 *
 *  @par Lifetimes   The run owns it.
 */
class run_saving {
public:
    run_saving(run& owner, serial_loop& loop, const run_keeping& how);

    /** Keeps a frontier; `run::save_reported` follows, possibly inside. */
    void save(const frontier& where, checkpoint_kind kind, std::string_view node);
    /** The next save, if it is about the node `outer` that has changed, is about `inner` within it. */
    void name_inner(std::string outer, checkpoint_kind kind, std::string inner);
    /** Nothing is kept and nothing is reported any more. May be called by what the keeper does. */
    void give_up();
    /** As `give_up`, and destroys what is under way. */
    void destroy();

    /** How many saves have begun. */
    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
    /** Waits until the save of this number, counted from 1, is reported. */
    [[nodiscard]] task<void> covered(std::uint64_t number);

    [[nodiscard]] std::uint32_t failures() const noexcept { return failures_; }
    [[nodiscard]] const run_keeping& how() const noexcept { return how_; }

private:
    struct item {
        frontier where;
        checkpoint_kind kind;
        std::string node;
    };
    struct inner_change {
        std::string outer;  // empty: there is none
        checkpoint_kind kind;
        std::string node;
    };
    struct waiting_node {
        std::uint64_t number;
        signal news;
    };
    using waiting_nodes = std::vector<waiting_node*>;
    static void on_done(void* self);
    void write_next();
    void ended();
    void report();
    void fail(std::exception_ptr cause, const std::string& node);

    run& owner_;
    run_keeping how_;
    save_queue queue_;
    std::deque<item> items_;
    inner_change inner_;
    /** Shared with what waits: a run within a node may be destroyed after the run around it. */
    std::shared_ptr<waiting_nodes> waiting_ = std::make_shared<waiting_nodes>();
    std::uint64_t begun_ = 0;
    std::uint64_t reported_ = 0;
    std::uint32_t failures_ = 0;
    bool is_writing_ = false;
    bool is_given_up_ = false;
    std::string node_;  // of what is being written
    stop_scope scope_;
    task_context context_;
    task<void> writing_;  // last: its frame refers to what stands above
};

/** Has the scheduler ask for the saves that are wanted. */
void add_saves(schedule_limits& limits, const run_keeping& how);

/** Keeps where a run within a node stands together with the run around it. */
class inner_keeper final : public run_keeper {
public:
    inner_keeper(run& outer, token_index token) noexcept : outer_{outer}, token_{token} {}
    [[nodiscard]] task<void> keep(frontier where, checkpoint_kind kind, std::string node) override;

private:
    run& outer_;
    token_index token_;
};

}  // namespace weft
