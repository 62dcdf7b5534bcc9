#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weft {

/** What the scheduler wants done. Plain data; the driver does it and reports with an event. */
struct action {
    enum class kind : std::uint8_t {
        start_node,         ///< Run the node of `token`; report `node_succeeded`, `node_failed` or `node_stopped`.
        choose_edge,        ///< Ask the predicates of the node of `token`; report `edge_chosen`.
        stop_node,          ///< Ask the running node of `token` to stop; its end is still reported.
        wait,               ///< After `delay` report `retry_due` for `token`.
        stop_waiting,       ///< The wait of `token` is over without an event.
        arm_branch,         ///< After `delay` report `branch_timed_out` for `token`.
        disarm_branch,      ///< The branch of `token` has ended.
        decide,             ///< Ask which `llm` edge to take; report `decided` for `token`. `stop_node` stops it.
        save,               ///< Keep a copy of `to_save`. If saves hold the run: report `saved` or `save_failed`.
        drop_node,          ///< Take the node of `token` down, which only waits for answers; report `node_dropped`.
        all_parked,         ///< Everything that is left waits for answers.
        notice,             ///< Tell whoever watches: `what` happened to `token`.
        finish,             ///< The run is over: read `outcome`. Nothing follows.
    };
    enum class notice_kind : std::uint8_t {
        none,
        node_skipped,
        state_written,
        edge_taken,
        branches_started,
        branch_ended,
        branches_joined,
        node_retried,
    };

    kind what = kind::finish;
    notice_kind notice = notice_kind::none;
    token_index token = no_index;
    node_index node = no_node;      ///< The node concerned; of `edge_taken` the target.
    node_index source = no_node;    ///< Of `edge_taken`: the source.
    std::uint32_t number = 0;       ///< How many branches, which branch, which attempt.
    std::uint32_t edge = no_edge;   ///< Of `edge_taken`: its place among the declared ones.
    checkpoint_kind moment = checkpoint_kind::node_complete;  ///< Of `save`: why now.
    std::chrono::nanoseconds delay{0};
};

/** How a run ended. */
enum class run_status : std::uint8_t { finished, failed, paused, cancelled };

/** How well it went: every node succeeded, at the first attempt or a later one; a failure was tolerated, by a failure
 *  edge or by the policy of a fan-out; not at all. */
enum class run_quality : std::uint8_t { clean, degraded, failed };

[[nodiscard]] std::string_view name_of(run_status status) noexcept;
[[nodiscard]] std::string_view name_of(run_quality quality) noexcept;

/** Bounds of a run that the scheduler keeps. */
struct schedule_limits {
    std::uint32_t steps_max = 1000;     ///< Node visits; 0: unlimited.
    /** Further visits when `steps_max` is used up, or the time of the run, for branches whose node has an edge for
     *  that: `on_budget` or `on_failure`. 0: such edges are not taken then. */
    std::uint32_t steps_reserve = 0;
    std::uint32_t in_flight_max = 64;   ///< Nodes running at once; 0: unlimited.
    std::uint32_t in_a_row_max = 0;     ///< Visits of one node by one branch without another between; 0: unlimited.
    bool fails_at_limit = true;         ///< Whether a limit of steps fails the run, or only ends it where it is.
    bool fails_in_a_row = true;         ///< The same of `in_a_row_max`.
    bool saves = false;                 ///< Whether `save` is wanted after each step.
    bool saves_starts = false;          ///< Whether it is wanted before nodes start as well; with `holds_for_save`.
    bool saves_end = false;             ///< Whether it is wanted before `finish`, which then waits for its `saved`.
    /** Whether a `save` holds the run: no node starts until it is reported. Nodes that run go on meanwhile; what they
     *  complete is covered by the next save. One save is under way at a time. */
    bool holds_for_save = false;
    /** Whether a run that is cancelled or fails leaves where a resume goes on, `take_restart`, also without
     *  `saves_end`: of a run within a node. */
    bool leaves_restart = false;
    bool notices = false;               ///< Whether `notice` is wanted.
};

/** Decides what a run does next. It touches no socket, timer, OS thread or clock: events in, actions out.
 *
 *  Usage: `while (auto next = scheduler.next()) perform(*next);` and, whenever something was reported, the same again.
 *
 *  Invariants: every token ends; every join fires once or its region fails; no node starts after `finish`; a run makes
 *  at most `steps_max` node visits, and `steps_reserve` more on the ways out that its graph has for that.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The graph outlives it.
 */
class scheduler {
public:
    /** @param from   A fresh frontier (no tokens), or one that was kept: its running nodes start again. */
    scheduler(const graph& graph, frontier&& from, schedule_limits limits);

    // Events. Each takes effect at once; what follows from it comes out of `next`.
    void node_succeeded(token_index token, write_set&& writes, const command& answer);
    /** It succeeded and asks for a branch for each item. */
    void node_sent(token_index token, write_set&& writes, sent_items&& items);
    /** A node that runs a graph was paused within it: it is not finished, and goes on from there. */
    void node_paused(token_index token, std::shared_ptr<const frontier> inner);
    /** @param uniform    A random number in [0, 1), for the jitter of a retry.
     *  @param may_retry  False if the node said itself that another attempt is of no use. */
    void node_failed(token_index token, failure_ptr cause, double uniform, bool may_retry = true);
    /** The node ended after `stop_node`; what it published survives if the whole run is being cancelled. */
    void node_stopped(token_index token, write_set&& writes);
    /** `chosen` is the conditional edge that holds, null if none does; `cause` set if a predicate threw. */
    void edge_chosen(token_index token, const graph_edge* chosen, failure_ptr cause);
    /** The target of an `llm` edge, or the fallback. */
    void decided(token_index token, node_index target);
    /** All that a running node does is wait for answers. */
    void node_parked(token_index token);
    /** It goes on. */
    void node_unparked(token_index token);
    /** It was taken down as `drop_node` asked, and is to start again. */
    void node_dropped(token_index token);
    /** Stops siblings of a running node's branch. @return  How many. */
    std::size_t cancel_branches(token_index token, const branch_choice& which);
    void retry_due(token_index token);
    void branch_timed_out(token_index token);
    /** No further node starts; when the running ones have ended the run is paused. */
    void pause();
    /** While it is held no further node starts; nothing else changes. */
    void hold(bool is_held) noexcept { is_held_ = is_held; }
    /** Everything stops; when it has, the run is cancelled, or failed with `cause` if there is one. */
    void stop(failure_ptr cause = nullptr);

    /** The time of the run is used up. What runs stops; where its node has an edge for that, its branch goes on there,
     *  and other branches have failed with `cause`. Without any such edge the run stops as by `stop`. */
    void run_out_of_time(const failure_ptr& cause);

    /** What `save` asked for is kept. */
    void saved();
    /** It is not, or nothing can be kept any more: everything stops, the run has failed with `cause`, and `save` is
     *  not asked for again. */
    void save_failed(failure_ptr cause);
    /** Something within a node has moved, such as a graph inside of it: it is to be saved like a step. */
    void node_changed(token_index token);
    /** The frontier is not the one that was kept: it is saved before anything starts. */
    void changed(checkpoint_kind moment, node_index node)
    {
        // Of a run that is stopping only the end is worth keeping: its branches are half gone.
        if (limits_.saves && limits_.holds_for_save && !is_stopping_) note_change(moment, node);
    }

    /** The next action, or nothing until a further event comes. */
    [[nodiscard]] std::optional<action> next();
    /** A short way to a `next` that is `start_node`: its token; `no_index` if something else comes first. */
    [[nodiscard]] token_index start_next();

    /** Where the graph inside of a node stands, for a resume; null: it begins at its beginning. That stays known while
     *  the node's visit may begin again, and no longer than that: a retry begins the graph anew. */
    void note_inner(token_index token, std::shared_ptr<const frontier> inner);
    /** Where it is to go on; null at its beginning. */
    [[nodiscard]] std::shared_ptr<const frontier> inner_of(token_index token) const noexcept;

    /** What the run has spent so far, for who resumes it. */
    void note_spent(const spending& so_far)
    {
        frontier_.extra().spent = so_far;
        if (cut_) cut_->extra().spent = so_far;
    }
    /** How long the run has run so far, for who resumes it. */
    void note_elapsed(std::chrono::nanoseconds so_far)
    {
        frontier_.extra().elapsed = so_far;
        if (cut_) cut_->extra().elapsed = so_far;
    }

    /** From now on what `schedule_limits::leaves_restart` says holds. */
    void leave_restart() noexcept { limits_.leaves_restart = true; }
    /** Whether a run that is cancelled or fails leaves where a resume goes on. */
    [[nodiscard]] bool leaves_restart() const noexcept { return limits_.saves_end || limits_.leaves_restart; }
    /** After `finish`: where a resume of the cancelled or failed run goes on; null if it leaves nothing. */
    [[nodiscard]] std::shared_ptr<const frontier> take_restart() { return std::move(cut_); }

    /** When only answers are missing, the run pauses. Without this, `pause` alone ends it. */
    void pause_when_parked() noexcept { when_parked_ = parked_rule::pause; }
    /** When only answers are missing, `all_parked` says so, once until a node goes on. */
    void tell_when_parked() noexcept { when_parked_ = parked_rule::tell; }

    /** From now on `notice` is wanted: somebody watches. */
    void give_notices() noexcept { limits_.notices = true; }

    /** Whether all that is left of the run waits for answers. */
    [[nodiscard]] bool is_parked() const noexcept;

    [[nodiscard]] const frontier& where() const noexcept { return frontier_; }
    /** What a save keeps: where the run stands; once it is cancelled where it stood, with what was published since;
     *  once it has failed where a resume goes on. */
    [[nodiscard]] const frontier& to_save() const noexcept { return cut_ ? *cut_ : frontier_; }
    [[nodiscard]] const token& at(token_index index) const noexcept { return frontier_.tokens[index]; }
    [[nodiscard]] branch_state& view_of(token_index index) noexcept
    {
        return frontier_.view_of(frontier_.tokens[index]);
    }
    /** Whether `finish` was given out. */
    [[nodiscard]] bool is_finished() const noexcept { return is_finish_told_; }

    /** Whether nothing is decided any more. */
    [[nodiscard]] bool is_over() const noexcept { return is_finished_; }
    /** Whether the visit that a token has ended will begin again: with its next attempt, or with a resume of the run
     *  that it has failed. Then the effects of the visit are still wanted. */
    [[nodiscard]] bool is_visited_again(token_index index) const noexcept
    {
        const token& t = frontier_.tokens[index];
        const bool looks_for_edge = t.phase == token_phase::choosing && t.has_failed;
        return t.phase == token_phase::waiting || t.phase == token_phase::broken_off || looks_for_edge;
    }
    /** Whether all of the run was asked to stop. */
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }

    // After `finish`.
    [[nodiscard]] run_status status() const noexcept { return status_; }
    [[nodiscard]] run_quality quality() const noexcept;
    [[nodiscard]] const failure_ptr& why() const noexcept { return failure_; }
    /** Whether a limit of steps ended the run without failing it. */
    [[nodiscard]] bool was_cut_short() const noexcept { return is_cut_short_; }
    /** By `in_a_row_max`. */
    [[nodiscard]] bool was_cut_in_a_row() const noexcept { return is_cut_in_a_row_; }
    /** Nodes that a resume would start with: of a failed run those that failed, were cut short or had not begun. */
    [[nodiscard]] const std::vector<node_index>& unfinished() const noexcept { return unfinished_; }
    [[nodiscard]] frontier take_frontier() noexcept { return std::move(frontier_); }
    /** What is left of the run, to take apart. */
    [[nodiscard]] frontier& last() noexcept { return frontier_; }

private:
    // scheduler.cpp and node_outcomes.cpp: starting, ending and moving tokens.
    [[nodiscard]] token_index next_start();
    [[nodiscard]] bool start_token(token_index index);
    void skip_node(token_index index);
    void arrive(token_index index, node_index target);
    void end_token(token_index index);
    void fail_token(token_index index, failure_ptr cause);
    void stopped_token(token_index index);
    void make_ready(token_index index);
    [[nodiscard]] token_index new_token();
    void free_token(token_index index);
    void finish(run_status status);
    void tell_finish();
    void commit(token_index index, write_set&& writes);
    [[nodiscard]] bool complete(token_index index, write_set&& writes);
    void resume_tokens();
    [[nodiscard]] bool pauses_at(node_index node, pause_point where) const noexcept
    {
        const pause_point set = graph_.node(node).pauses;
        return set == where || set == pause_point::both;
    }
    void clear_stale(token_index index);
    void drop_extras(token_index index);
    void forget_extras(token_index index)
    {
        if (frontier_.extras) drop_extras(index);
    }
    void keep_outputs(node_index node, const write_set& writes);

    // scheduler_saves.cpp: when the frontier is kept, and what waits for it.
    /** A node has completed and its branch has moved on. */
    void step_done(token_index index, node_index node)
    {
        if (limits_.saves) save_step(index, node);
    }
    void save_step(token_index index, node_index node);
    void note_change(checkpoint_kind moment, node_index node);
    [[nodiscard]] std::optional<action> next_save();
    [[nodiscard]] action begin_save(checkpoint_kind moment, node_index node, bool is_end);
    [[nodiscard]] node_index next_to_start() const;
    [[nodiscard]] bool may_start_branch(const region& r) const;
    [[nodiscard]] node_index node_of_failure() const;
    [[nodiscard]] checkpoint_kind moment_of_end() const noexcept;
    void keep_where_it_was();
    void keep_published(token_index index, const write_set& writes);

    // scheduler_questions.cpp: nodes that wait for answers.
    [[nodiscard]] bool settle_parked();
    [[nodiscard]] bool may_move() const noexcept;

    // edge_choice.cpp: which edges fire.
    void go_on(token_index index, const command& answer);
    void after_success(token_index index);
    void after_failure(token_index index, failure_ptr cause);
    void take_after_success(token_index index, const graph_edge* chosen, node_index by_llm = no_node);
    void take_label(token_index index, const std::string& label);
    void follow(token_index index, const graph_edge& edge);
    void take_after_failure(token_index index, const graph_edge* chosen);
    [[nodiscard]] const graph_edge* edge_out_of(const graph_node& node, errc code) const noexcept;
    [[nodiscard]] const graph_edge* budget_edge_of(const graph_node& node, errc code) const noexcept;
    [[nodiscard]] const graph_edge* failure_edge_of(const graph_node& node, errc code) const noexcept;
    void take_failure_edge(token_index index, failure_ptr cause);
    void move_values(token_index index, const graph_edge& edge);
    void take_edge(token_index index, node_index target, std::uint32_t declared = no_edge);
    void notify_edge(token_index index, node_index target, std::uint32_t declared);
    void notify_fired(token_index index, const graph_edge* chosen, node_index by_llm);
    [[nodiscard]] failure_ptr no_edge_matched(token_index index) const;

    // fan_out_start.cpp and fan_out_rules.cpp: opening, settling and closing regions.
    void fork(token_index index, pooled_vector<node_index>&& targets, bool is_group = false);
    [[nodiscard]] bool are_unconditional(const graph_node& node, std::span<const node_index> targets) const;
    void fork_sent(token_index index, sent_items&& items);
    [[nodiscard]] region_index new_region(token_index parent);
    void give_input(token_index index, const region& r, node_index target);
    void open(region_index index, token_index parent);
    [[nodiscard]] std::chrono::nanoseconds timeout_of(const region& r, std::uint32_t branch) const;
    void start_branch(region_index index);
    [[nodiscard]] bool start_some_branch();
    void settle(token_index index, branch_status status, failure_ptr cause);
    void apply_policy(region_index index);
    void decide(region_index index);
    void close_if_settled(region_index index)
    {
        const region& r = frontier_.regions[index];
        if (r.running == 0 && r.is_open && (r.is_decided || r.started == r.size())) close(index);
    }
    void close(region_index index);
    void keep_partial_work(region_index index);
    void stop_branches(region_index index);
    void stop_token(token_index index);
    [[nodiscard]] failure_ptr ask_until(region_index index, token_index token, bool& is_enough);
    struct joined_part {
        region_index at;
        std::size_t taken;                   // how many of `region::ended` are in it
        std::unique_ptr<branch_state> seen;
    };
    [[nodiscard]] joined_part& joined_so_far(region_index index);
    void forget_failed_branches(region_index index);
    void note_written(region& r, const token& t) const;
    [[nodiscard]] std::size_t cancel_in(region_index index, std::uint32_t own, const branch_choice& which);
    [[nodiscard]] bool joins_in_order(const region& r, std::uint32_t slot) const;
    [[nodiscard]] failure_ptr conflict_of(const region& r, const token& t) const;
    void join_writes(const region& r, ended_branches::items& ended);
    void merge_branches(const region& r, ended_branches::items& ended, branch_state& into) const;
    [[nodiscard]] std::shared_ptr<const branch_results> results_of(const region& r) const;
    [[nodiscard]] bool has_failed(const region& r) const;
    [[nodiscard]] bool may_fail(const region& r) const;
    [[nodiscard]] failure_ptr failure_of(const region& r) const;
    void free_region(region_index index);

    // scheduler_restart.cpp: what a run that has failed leaves for its resume.
    void break_off(token_index index);
    void fail_run(failure_ptr cause);
    void note_broken_off();
    void keep_restart();
    void take_up_again(frontier& at, token_index index) const;
    void take_up_branches(frontier& at, region& r) const;
    void merge_finished();
    [[nodiscard]] static std::vector<branch_status> statuses_of(const region& r);
    [[nodiscard]] branch_state& own_state_of(token_index index);
    [[nodiscard]] conflict_strategy strategy_of(const region& r, std::uint32_t slot) const;
    [[nodiscard]] const fan_out_options& options_of(const region& r) const;

    // way_out.cpp: what happens when the steps or the time of the run are used up.
    /** Whether a token may begin a further visit. */
    [[nodiscard]] bool may_visit(const token& t) const noexcept
    {
        if (out_of_time_ && !t.is_leaving) return false;
        if (limits_.steps_max == 0) return true;
        return frontier_.steps < std::uint64_t{limits_.steps_max} + (t.is_leaving ? limits_.steps_reserve : 0);
    }
    void stop_at_limit(token_index index);
    [[nodiscard]] failure_ptr limit_failure(token_index index) const;
    [[nodiscard]] failure_ptr time_failure(token_index index) const;
    [[nodiscard]] bool take_way_out(token_index index, failure_ptr cause);
    [[nodiscard]] bool has_way_out(errc code) const noexcept;
    void end_for_want_of_time(token_index index);

    void push(action::kind what, token_index token, std::chrono::nanoseconds delay = {});
    void notify(action::notice_kind what, token_index token, node_index node, std::uint32_t number = 0);
    [[nodiscard]] failure_ptr make_failure(errc code, token_index index, std::string detail) const;
    void note_unfinished();

    const graph& graph_;
    frontier frontier_;
    schedule_limits limits_;
    pooled_vector<action> actions_;           // a queue: taken from `taken_`, emptied when all are taken
    std::size_t taken_ = 0;
    small_vector<token_index, 2> ready_;      // a queue as well
    std::size_t ready_taken_ = 0;
    pooled_vector<region_index> starting_;    // fan-outs with branches still to start, oldest first
    token_index free_token_ = no_index;       // the first of a chain through `token::fork`
    std::vector<joined_part> joined_;         // of open fan-outs that end when a condition holds
    region_index free_region_ = no_index;     // the first of a chain through `region::parent`
    std::uint32_t running_ = 0;               // those that are parked are not counted
    std::uint32_t parked_ = 0;
    enum class parked_rule : std::uint8_t { wait, pause, tell } when_parked_ = parked_rule::wait;
    bool is_parked_told_ = false;
    bool is_pausing_ = false;
    bool is_held_ = false;
    bool is_stopping_ = false;
    bool is_cut_short_ = false;
    bool is_cut_in_a_row_ = false;
    failure_ptr out_of_time_;      // set once the time of the run is used up
    std::vector<node_index> unfinished_;
    bool is_finished_ = false;     // nothing is decided any more; an end that is saved is told later
    bool is_finish_told_ = false;
    bool owes_end_save_ = false;
    enum class save_stage : std::uint8_t { none, step, end } saving_ = save_stage::none;  // what is under way
    bool is_unsaved_ = false;
    bool is_start_saved_ = false;  // what starts next is as it was saved
    checkpoint_kind unsaved_moment_ = checkpoint_kind::node_complete;
    node_index unsaved_node_ = no_node;
    std::unique_ptr<frontier> cut_;  // of a run that `leaves_restart` and was cancelled or failed: where it goes on
    run_status status_ = run_status::finished;
    failure_ptr failure_;
};

}  // namespace weft
