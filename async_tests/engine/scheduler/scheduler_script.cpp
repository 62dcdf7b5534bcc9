#include "scheduler_script.hpp"

#include <algorithm>
#include <stdexcept>

namespace weft_tests {

using weft::action;
using weft::branch_index;

weft::failure_ptr scheduler_script::failure_at(branch_index t, weft::errc code) const
{
    const weft::run_branch& branch = where().branches[t];
    weft::failure failure;
    failure.code = code;
    failure.node = graph_.name_of(branch.node);
    failure.visit = branch.visit;
    failure.attempt = branch.attempt;
    failure.message = failure.node + " failed";
    return std::make_shared<const weft::failure>(std::move(failure));
}

weft::write_set scheduler_script::writes_of(weft::state_update& update) const
{
    weft::write_set writes;
    for (weft::state_update::item& item : update.items())
        writes.push_back({graph_.layout()->require(item.key, "test"), false, false, std::move(item.value)});
    return writes;
}

branch_index scheduler_script::take_running(std::string_view node)
{
    const auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& r) { return r.second == node; });
    if (found == running_.end()) throw std::logic_error{"'" + std::string{node} + "' does not run"};
    const branch_index t = found->first;
    running_.erase(found);
    return t;
}

branch_index scheduler_script::branch_at(std::string_view node, weft::branch_phase phase) const
{
    for (branch_index t = 0; t < where().branches.size(); ++t) {
        const weft::run_branch& branch = where().branches[t];
        if (branch.phase == phase && graph_.name_of(branch.node) == node) return t;
    }
    throw std::logic_error{"no token is at '" + std::string{node} + "' in that phase"};
}

std::string scheduler_script::drain()
{
    std::string line;
    while (const auto next = scheduler_.next()) {
        const std::string word = perform(*next);
        if (word.empty()) continue;
        line += (line.empty() ? "" : ", ") + word;
    }
    return line;
}

std::string scheduler_script::perform(const action& next)
{
    const branch_index t = next.branch;
    if (t != weft::no_index && t >= names_.size()) names_.resize(t + std::size_t{1});
    const bool is_there = t != weft::no_index && where().branches[t].phase != weft::branch_phase::free;
    if (is_there && next.what != action::kind::notice) names_[t] = graph_.name_of(where().branches[t].node);
    const std::string milliseconds =
        " " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(next.delay).count());
    switch (next.what) {
    case action::kind::start_node:
        running_.emplace_back(t, graph_.name_of(next.node));
        return "start " + names_[t];
    case action::kind::choose_edge: choose(t); return {};
    case action::kind::decide: return "decide " + names_[t];
    case action::kind::stop_node: return "stop " + names_[t];
    case action::kind::wait: return "wait " + names_[t] + milliseconds;
    case action::kind::stop_waiting: return "unwait " + names_[t];
    case action::kind::arm_branch: return "arm " + names_[t] + milliseconds;
    case action::kind::disarm_branch: return "disarm " + names_[t];
    case action::kind::save:
        kept_.push_back(through_a_checkpoint(scheduler_.restart().to_save(), graph_, writer_, thread_));
        if (!saves_hold_) return {};
        return "save " + std::string{name_of(next.moment)} +
               (next.node == weft::no_node ? "" : " " + std::string{graph_.name_of(next.node)});
    case action::kind::drop_node: return "drop " + names_[t];
    case action::kind::all_parked: return "all parked";
    case action::kind::notice: return {};
    case action::kind::finish: break;
    }
    const std::string status{name_of(scheduler_.course().status())};
    return "finish " + status + " " + std::string{name_of(scheduler_.course().quality(where().is_degraded))};
}

void scheduler_script::choose(branch_index t)
{
    const weft::state_view view{scheduler_.view_of(t)};
    weft::edge_choice choice = scheduler_.choice_of(t);
    while (const weft::graph_edge* const edge = choice.asked()) {
        try {
            choice.answer(edge->holds(view));
        } catch (const std::exception&) {
            return scheduler_.edge_chosen(t, nullptr, failure_at(t, weft::errc::condition_failed));
        }
    }
    scheduler_.edge_chosen(t, choice.chosen(), nullptr);
}

std::string joined(const std::vector<std::string_view>& names)
{
    std::string line;
    for (const std::string_view name : names) line.append(line.empty() ? "" : " ").append(name);
    return line;
}

}  // namespace weft_tests
