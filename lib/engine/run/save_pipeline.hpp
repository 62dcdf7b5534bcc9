#pragma once

#include "engine/scheduler/schedule_limits.hpp"
#include "save_queue.hpp"

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct run_core;

/** Makes the saves of a run, one after another, in a child of its own, and tells the scheduler when the run may go on,
 *  which `save_queue` decides.
 *
 *  @par Thread safety   None: on the run's loop only.
 *  @par Lifetimes       The run owns it.
 */
class save_pipeline {
public:
    save_pipeline(run_core& core, const save_options& options);

    /** Keeps a frontier. The run goes on afterwards, possibly inside. */
    void save(const frontier& where, checkpoint_kind kind, std::string_view node);
    /** Keeps where a graph inside of a node stands with the next save of the run, and waits until that is made. */
    [[nodiscard]] task<void> save_inner(branch_index branch, std::shared_ptr<const frontier> where,
                                        checkpoint_kind kind, std::string node);
    /** Nothing is kept and nothing is reported any more. May be called by what the saver does. */
    void give_up();
    /** As `give_up`, and destroys what is under way. */
    void destroy();

    /** How many saves on a best effort have failed. */
    [[nodiscard]] std::uint32_t failures() const noexcept { return failures_; }
    [[nodiscard]] const save_options& options() const noexcept { return options_; }

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
    [[nodiscard]] task<void> covered(std::uint64_t number);

    run_core& core_;
    save_options options_;
    [[no_unique_address]] save_queue queue_;  // what follows lies in its last bytes
    bool is_writing_ = false;
    bool is_given_up_ = false;
    std::uint32_t failures_ = 0;
    std::deque<item> items_;
    inner_change inner_;       // the next save, if it is about the node `outer`, is about `node` within it
    /** Shared with what waits: a run within a node may be destroyed after the run around it. */
    std::shared_ptr<waiting_nodes> waiting_ = std::make_shared<waiting_nodes>();
    std::uint64_t begun_ = 0;  // saves, counted from 1
    std::uint64_t reported_ = 0;
    std::string node_;         // of what is being written
    stop_scope scope_;
    task_context context_;
    task<void> writing_;       // last: its frame refers to what stands above
};

/** Has the scheduler ask for the saves that are wanted. */
void add_saves(schedule_limits& limits, const save_options& options);

/** Keeps where a run within a node stands together with the run around it, which outlives it while it saves. */
class inner_saver final : public checkpoint_saver {
public:
    inner_saver(save_pipeline& outer, branch_index branch) noexcept : outer_{outer}, branch_{branch} {}
    [[nodiscard]] task<void> save(frontier where, checkpoint_kind kind, std::string node) override;

private:
    save_pipeline& outer_;
    branch_index branch_;
};

}  // namespace weft
