#include <weft/engine/scheduler/scheduler.hpp>

#include <utility>

namespace weft {

failure_ptr scheduler::time_failure(token_index index) const
{
    return make_failure(out_of_time_->code, index, "raise the limit `elapsed_max` if it needs longer");
}

failure_ptr scheduler::limit_failure(token_index index) const
{
    const token& t = frontier_.tokens[index];
    if (limits_.steps_max != 0 && frontier_.steps >= limits_.steps_max) {
        std::string detail = "after " + std::to_string(frontier_.steps) + " steps";
        if (t.is_leaving) detail += ", with the reserve for its way out";
        return make_failure(errc::steps_exceeded, index,
                            detail + "; if the graph does not loop for ever, raise the limit `steps_max`");
    }
    if (out_of_time_ && !t.is_leaving) return time_failure(index);
    return make_failure(errc::node_repeated, index,
                        std::to_string(t.in_a_row) + " times; if that is meant, raise the limit `in_a_row_max`");
}

/** A token may not begin its visit: it leaves by an edge of its node that is there for that, or the run stops. */
void scheduler::stop_at_limit(token_index index)
{
    failure_ptr cause = limit_failure(index);
    if (take_way_out(index, cause)) return;
    const bool is_in_a_row = cause->code == errc::node_repeated;
    is_cut_short_ = !(is_in_a_row ? limits_.fails_in_a_row : limits_.fails_at_limit);
    is_cut_in_a_row_ = is_cut_short_ && is_in_a_row;
    frontier_.is_degraded = true;
    stop(is_cut_short_ ? nullptr : std::move(cause));
}

/** The edge of a node by which a branch leaves that may not go on; null if it has none. */
const graph_edge* scheduler::edge_out_of(const graph_node& node, errc code) const noexcept
{
    const graph_edge* const edge = code == errc::node_repeated ? nullptr : failure_edge_of(node, code);
    // An `always` edge says where to go on, not how to end.
    return edge && edge->kind == edge_kind::always ? nullptr : edge;
}

bool scheduler::take_way_out(token_index index, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    if (t.is_leaving || limits_.steps_reserve == 0 || !limits_.fails_at_limit) return false;
    if (!edge_out_of(graph_.node(t.node), cause->code)) return false;
    const node_index node = t.node;
    t.is_leaving = true;
    take_failure_edge(index, std::move(cause));
    changed(checkpoint_kind::node_start, node);
    return true;
}

/** Whether a branch that is under way has an edge for that. */
bool scheduler::has_way_out(errc code) const noexcept
{
    for (const token& t : frontier_.tokens) {
        const bool is_under_way = t.phase != token_phase::free && t.phase != token_phase::forked && !t.is_stopping;
        if (is_under_way && (t.is_leaving || edge_out_of(graph_.node(t.node), code))) return true;
    }
    return false;
}

void scheduler::run_out_of_time(const failure_ptr& cause)
{
    if (is_stopping_ || is_finished_ || out_of_time_) return;
    if (limits_.steps_reserve == 0 || !has_way_out(cause->code)) return stop(cause);
    out_of_time_ = cause;
    const auto size = static_cast<token_index>(frontier_.tokens.size());
    for (token_index index = 0; index < size && !is_stopping_; ++index) end_for_want_of_time(index);
}

void scheduler::end_for_want_of_time(token_index index)
{
    token& t = frontier_.tokens[index];
    const bool goes_on = t.phase == token_phase::free || t.phase == token_phase::forked || t.is_leaving ||
                         t.phase == token_phase::choosing;  // what it chooses is not started
    if (goes_on || t.is_stopping) return;
    t.is_leaving = edge_out_of(graph_.node(t.node), out_of_time_->code) != nullptr;
    if (!t.is_leaving && t.region == no_index) return stop(out_of_time_);
    frontier_.extra().late.emplace_back(index, time_failure(index));
    changed(checkpoint_kind::node_complete, t.node);
    stop_token(index);
}

}  // namespace weft
