#include <weft/engine/scheduler/scheduler.hpp>

#include "command_mistake.hpp"

#include <algorithm>
#include <utility>

namespace weft {

void scheduler::go_on(token_index index, const command& answer)
{
    if (names_a_place(answer))
        if (auto wrong = mistake_of(graph_, graph_.node(frontier_.tokens[index].node), answer))
            return take_failure_edge(index, make_failure(wrong->code, index, std::move(wrong->text)));
    switch (answer.which()) {
    case command::kind::next: return after_success(index);
    case command::kind::end: return arrive(index, end_node);
    case command::kind::again: return make_ready(index);
    case command::kind::fail: return after_failure(index, make_failure(errc::node_failed, index, answer.text()));
    case command::kind::label: return take_label(index, answer.text());
    case command::kind::fan_out:  // comes with its items, by `node_sent`
    case command::kind::go_to: break;
    }
    take_edge(index, graph_.find(answer.text()));
}

void scheduler::after_success(token_index index)
{
    token& t = frontier_.tokens[index];
    const graph_node& node = graph_.node(t.node);
    if (node.only_next != no_node) {
        const auto only = graph_.otherwise(node);
        return take_edge(index, node.only_next, only.empty() ? no_edge : only.front().declared);
    }
    if (graph_.conditional(node).empty()) return take_after_success(index, nullptr);
    t.phase = token_phase::choosing;
    t.has_failed = false;
    push(action::kind::choose_edge, index);
}

void scheduler::after_failure(token_index index, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    const graph_node& node = graph_.node(t.node);
    if (!node.asks_after_failure || budget_edge_of(node, cause->code))
        return take_failure_edge(index, std::move(cause));
    t.previous = std::move(cause);
    t.phase = token_phase::choosing;
    t.has_failed = true;
    push(action::kind::choose_edge, index);
}

void scheduler::edge_chosen(token_index index, const graph_edge* chosen, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    const node_index node = t.node;
    if (t.is_stopping) return stopped_token(index);
    if (cause)
        take_failure_edge(index,
                          t.has_failed ? t.previous : std::move(cause));  // the first failure is the one that counts
    else if (t.has_failed)
        take_after_failure(index, chosen);
    else
        take_after_success(index, chosen);
    step_done(index, node);
}

void scheduler::decided(token_index index, node_index target)
{
    --running_;
    if (frontier_.tokens[index].is_stopping) return stopped_token(index);
    const node_index node = frontier_.tokens[index].node;
    take_after_success(index, nullptr, target);
    step_done(index, node);
}

void scheduler::take_label(token_index index, const std::string& label)
{
    for (const graph_edge& edge : graph_.labelled(graph_.node(frontier_.tokens[index].node)))
        if (edge.label == label) return follow(index, edge);
}

void scheduler::take_after_success(token_index index, const graph_edge* chosen, node_index by_llm)
{
    token& t = frontier_.tokens[index];
    const graph_node& node = graph_.node(t.node);
    const auto sure = graph_.on_success(node);
    if (!chosen && by_llm == no_node && !graph_.by_llm(node).empty()) {
        t.phase = token_phase::deciding;
        ++running_;
        return push(action::kind::decide, index);
    }
    const bool is_decided = chosen || by_llm != no_node;
    const auto otherwise = is_decided ? std::span<const graph_edge>{} : graph_.otherwise(node);
    if (sure.empty() && chosen) return follow(index, *chosen);
    if (sure.empty() && by_llm != no_node) {
        notify_fired(index, nullptr, by_llm);
        return arrive(index, by_llm);
    }
    if (sure.empty() && otherwise.size() == 1) return follow(index, otherwise.front());
    pooled_vector<node_index> targets;
    targets.reserve(sure.size() + otherwise.size() + 1);
    bool leads_to_end = false;
    bool may_repeat = !sure.empty();
    const auto add = [&](node_index target) {
        if (target == end_node)
            leads_to_end = true;
        else
            targets.push_back(target);
    };
    for (const graph_edge& edge : sure) add(edge.target);
    if (chosen) add(chosen->target);
    if (by_llm != no_node) add(by_llm);
    for (const graph_edge& edge : otherwise) {
        may_repeat |= edge.kind == edge_kind::always;
        add(edge.target);
    }
    // Two edges of different kinds may lead to one node, which runs once; edges of one kind never do.
    if (may_repeat) {
        auto last = targets.end();
        for (auto it = targets.begin(); it < last; ++it) last = std::remove(it + 1, last, *it);
        targets.erase(last, targets.end());
    }
    if (!targets.empty() || leads_to_end) notify_fired(index, chosen, by_llm);
    if (targets.size() > 1) return fork(index, std::move(targets));
    if (targets.size() == 1) {
        if (node.maps_values)
            for (const graph_edge& edge : graph_.ways_on(node))
                if (edge.target == targets.front()) {
                    move_values(index, edge);
                    break;
                }
        return arrive(index, targets.front());
    }
    const bool has_edges = leads_to_end || !graph_.conditional(node).empty() || !graph_.labelled(node).empty();
    if (has_edges && !leads_to_end) return take_failure_edge(index, no_edge_matched(index));
    arrive(index, end_node);
}

void scheduler::take_after_failure(token_index index, const graph_edge* chosen)
{
    token& t = frontier_.tokens[index];
    if (!chosen) return take_failure_edge(index, std::move(t.previous));
    forget_extras(index);
    frontier_.is_degraded = true;
    follow(index, *chosen);
}

/** The edge that is there for want of budget, steps or time, if that is what failed; else null. */
const graph_edge* scheduler::budget_edge_of(const graph_node& node, errc code) const noexcept
{
    if (code != errc::budget_exhausted && code != errc::steps_exceeded && code != errc::run_timeout) return nullptr;
    for (const graph_edge& edge : graph_.on_failure(node))
        if (edge.kind == edge_kind::on_budget) return &edge;
    return nullptr;
}

/** The failure's own edge, else the first `on_failure` edge, else the first `always` edge; null: it goes up. */
const graph_edge* scheduler::failure_edge_of(const graph_node& node, errc code) const noexcept
{
    if (const graph_edge* const own = budget_edge_of(node, code)) return own;
    for (const graph_edge& edge : graph_.on_failure(node))
        if (edge.kind == edge_kind::on_failure) return &edge;
    for (const auto edges : {graph_.otherwise(node), graph_.unused(node)})
        for (const graph_edge& edge : edges)
            if (edge.kind == edge_kind::always) return &edge;
    return nullptr;
}

void scheduler::take_failure_edge(token_index index, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    const graph_node& node = graph_.node(t.node);
    t.is_counted = false;
    t.previous = cause;
    const graph_edge* const edge = failure_edge_of(node, cause->code);
    if (!edge) return fail_token(index, std::move(cause));
    forget_extras(index);
    frontier_.is_degraded = true;
    follow(index, *edge);
}

/** Takes an edge as the only one, with the values that move along it. */
void scheduler::follow(token_index index, const graph_edge& edge)
{
    move_values(index, edge);
    take_edge(index, edge.target, edge.declared);
}

void scheduler::move_values(token_index index, const graph_edge& edge)
{
    if (edge.map.empty()) return;
    branch_state& view = frontier_.view_of(frontier_.tokens[index]);
    write_set moved;
    for (const auto& [target, source] : edge.map)
        if (const value_ptr& value = view.read(source)) moved.push_back({target, true, false, value});
    commit(index, std::move(moved));
}

void scheduler::take_edge(token_index index, node_index target, std::uint32_t declared)
{
    notify_edge(index, target, declared);
    arrive(index, target);
}

void scheduler::notify_edge(token_index index, node_index target, std::uint32_t declared)
{
    if (!limits_.notices) return;
    notify(action::notice_kind::edge_taken, index, target);
    actions_.back().source = frontier_.tokens[index].node;
    actions_.back().edge = declared;
}

/** Tells of each edge that fires after success; several may lead to one node, which runs once. */
void scheduler::notify_fired(token_index index, const graph_edge* chosen, node_index by_llm)
{
    if (!limits_.notices) return;
    const graph_node& node = graph_.node(frontier_.tokens[index].node);
    const auto tell = [&](const graph_edge& edge) { notify_edge(index, edge.target, edge.declared); };
    for (const graph_edge& edge : graph_.on_success(node)) tell(edge);
    if (chosen) return tell(*chosen);
    if (by_llm == no_node) {
        for (const graph_edge& edge : graph_.otherwise(node)) tell(edge);
        return;
    }
    const auto candidates = graph_.by_llm(node);
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [by_llm](const graph_edge& edge) { return edge.target == by_llm; });
    notify_edge(index, by_llm, found == candidates.end() ? no_edge : found->declared);
}

failure_ptr scheduler::no_edge_matched(token_index index) const
{
    std::string candidates;
    for (const graph_edge& edge : graph_.conditional(graph_.node(frontier_.tokens[index].node))) {
        candidates.append(candidates.empty() ? "" : ", ").append(graph_.name_of(edge.target));
        if (!edge.label.empty()) candidates.append(" [").append(edge.label).append("]");
    }
    if (candidates.empty())
        return make_failure(errc::no_edge_matched, index,
                            "it has labelled edges only and answered without a label; add a plain edge as otherwise");
    return make_failure(errc::no_edge_matched, index,
                        "none of its conditions holds (to " + candidates + "); add a plain edge as the otherwise");
}

}  // namespace weft
