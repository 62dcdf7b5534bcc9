#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/scheduler/scheduler.hpp"

#include <weft/graph/graph_builder.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

/** Plays the driver by hand, without time, coroutines or I/O: each event names a node and gives back what the scheduler
 *  wants done next, as one line: `"start b, start c"`, `"wait b 500"`, `"finish finished clean"`.
 *
 *  Conditional edges are chosen as a driver does, by asking their predicates, and are not shown.
 */
class scheduler_script {
public:
    explicit scheduler_script(const weft::graph& of, weft::schedule_limits limits = {})
        : scheduler_script{of, weft::frontier{weft::state{of.layout()}}, limits}
    {
    }
    scheduler_script(const weft::graph& of, weft::frontier from, weft::schedule_limits limits = {})
        : graph_{of}, scheduler_{graph_, std::move(from), limits}, saves_hold_{limits.holds_for_save},
          writer_{of, strict_thread::key}
    {
    }

    /** What is to be done before anything has happened. */
    std::string begin() { return drain(); }

    std::string ok(std::string_view node, weft::state_update update = {})
    {
        return answer(node, weft::command::next(), std::move(update));
    }
    std::string answer(std::string_view node, weft::command answer, weft::state_update update = {})
    {
        scheduler_.node_succeeded(take_running(node), writes_of(update), std::move(answer));
        return drain();
    }
    /** It asks for a branch for each target. */
    std::string send(std::string_view node, const std::vector<std::string>& targets)
    {
        weft::sent_items items(targets.size());
        for (std::size_t i = 0; i < items.size(); ++i) items[i].target = graph_.find(targets[i]);
        return send_items(node, std::move(items));
    }
    std::string send_items(std::string_view node, weft::sent_items items)
    {
        scheduler_.node_sent(take_running(node), {}, std::move(items));
        return drain();
    }
    /** The model has chosen where `node` leads. */
    std::string decide(std::string_view node, std::string_view target)
    {
        scheduler_.decided(branch_at(node, weft::branch_phase::deciding), graph_.find(target));
        return drain();
    }
    std::string fail(std::string_view node, weft::errc code = weft::errc::node_failed, bool may_retry = true)
    {
        const weft::branch_index t = take_running(node);
        scheduler_.node_failed(t, failure_at(t, code), 0.5, may_retry);
        return drain();
    }
    std::string stopped(std::string_view node, weft::state_update update = {}, bool is_published = false)
    {
        weft::write_set writes = writes_of(update);
        for (weft::state_write& write : writes) write.is_published = is_published;
        scheduler_.node_stopped(take_running(node), std::move(writes));
        return drain();
    }
    /** All that `node`, which is running, does is wait for answers. */
    std::string park(std::string_view node)
    {
        scheduler_.node_parked(branch_at(node, weft::branch_phase::running));
        return drain();
    }
    std::string unpark(std::string_view node)
    {
        scheduler_.node_unparked(branch_at(node, weft::branch_phase::running));
        return drain();
    }
    std::string dropped(std::string_view node)
    {
        scheduler_.node_dropped(take_running(node));
        return drain();
    }
    /** The delay before the next attempt of `node` is over. */
    std::string due(std::string_view node)
    {
        scheduler_.retry_due(branch_at(node, weft::branch_phase::waiting));
        return drain();
    }
    /** The time of the branch whose first node is `node` is over. */
    std::string late(std::string_view node)
    {
        for (weft::branch_index t = 0; t < where().branches.size(); ++t) {
            const weft::run_branch& branch = where().branches[t];
            if (branch.phase == weft::branch_phase::free || branch.region == weft::no_index) continue;
            const weft::region& within = where().regions[branch.region];
            if (graph_.name_of(within.first_node_of(branch.branch)) == node) scheduler_.branch_timed_out(t);
        }
        return drain();
    }
    std::string pause()
    {
        scheduler_.pause();
        return drain();
    }
    /** What was to be saved is kept. */
    std::string saved()
    {
        scheduler_.saved();
        return drain();
    }
    std::string save_failed(weft::errc code = weft::errc::store_unavailable)
    {
        weft::failure failure;
        failure.code = code;
        scheduler_.save_failed(std::make_shared<const weft::failure>(std::move(failure)));
        return drain();
    }
    std::string stop(weft::failure_ptr cause = nullptr)
    {
        scheduler_.stop(std::move(cause));
        return drain();
    }

    /** The nodes that run, in the order in which they were started. */
    [[nodiscard]] std::vector<std::string_view> running() const
    {
        std::vector<std::string_view> names;
        for (const auto& [branch, node] : running_) names.push_back(node);
        return names;
    }

    [[nodiscard]] const weft::frontier& where() const { return scheduler_.where(); }
    [[nodiscard]] weft::scheduler& scheduler() { return scheduler_; }
    /** The frontiers kept at each `save`, if the limits ask for it; each was written as a checkpoint and read again. */
    [[nodiscard]] const std::vector<weft::frontier>& kept() const { return kept_; }

    /** Where the run stands, with its path and its visits, which a run on the line of its graph does not make. */
    [[nodiscard]] weft::frontier trail() const
    {
        weft::frontier seen{where()};
        seen.write_trail(graph_);
        return seen;
    }
    [[nodiscard]] std::vector<std::string_view> path() const
    {
        std::vector<std::string_view> names;
        trail().path.for_each([&](weft::node_index n) { names.push_back(graph_.name_of(n)); });
        return names;
    }
    [[nodiscard]] const weft::state& state() const { return where().root->root(); }
    /** The attempt that `node`, which is running, is at. */
    [[nodiscard]] std::uint32_t attempt_of(std::string_view node) const
    {
        return where().branches[branch_at(node, weft::branch_phase::running)].attempt;
    }
    /** What `node`, which is running, sees; of several the one that the next event is about. */
    [[nodiscard]] weft::state_view view_of(std::string_view node)
    {
        for (const auto& [branch, name] : running_)
            if (name == node) return weft::state_view{scheduler_.view_of(branch)};
        throw std::logic_error{"'" + std::string{node} + "' does not run"};
    }
    /** Whether `node`, which is running, was asked to stop. */
    [[nodiscard]] bool is_stopping(std::string_view node) const
    {
        return where().branches[branch_at(node, weft::branch_phase::running)].is_stopping;
    }
    /** How the branches of the fan-out ended that `node`, which is running, is the join of. */
    [[nodiscard]] weft::branch_results branches(std::string_view node) const
    {
        const auto& branches = where().branches[branch_at(node, weft::branch_phase::running)].branches();
        return branches ? branches->results() : weft::branch_results{};
    }

private:
    [[nodiscard]] weft::failure_ptr failure_at(weft::branch_index t, weft::errc code) const;
    [[nodiscard]] weft::write_set writes_of(weft::state_update& update) const;
    [[nodiscard]] weft::branch_index take_running(std::string_view node);
    [[nodiscard]] weft::branch_index branch_at(std::string_view node, weft::branch_phase phase) const;
    std::string drain();
    std::string perform(const weft::action& next);
    void choose(weft::branch_index t);

    weft::graph graph_;
    weft::scheduler scheduler_;
    bool saves_hold_;
    std::vector<std::pair<weft::branch_index, std::string_view>> running_;
    std::vector<std::string> names_;  // per branch, for actions on branches that are free by then
    weft::checkpoint_writer writer_;
    strict_thread thread_;
    std::vector<weft::frontier> kept_;
};

/** `"a b c"`: names on one line. */
[[nodiscard]] std::string joined(const std::vector<std::string_view>& names);

}  // namespace weft_tests
