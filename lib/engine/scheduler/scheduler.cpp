#include <weft/engine/scheduler/scheduler.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

std::string_view name_of(run_status status) noexcept
{
    switch (status) {
    case run_status::finished: return "finished";
    case run_status::failed: return "failed";
    case run_status::paused: return "paused";
    case run_status::cancelled: return "cancelled";
    }
    return "unknown";
}

std::string_view name_of(run_quality quality) noexcept
{
    switch (quality) {
    case run_quality::clean: return "clean";
    case run_quality::degraded: return "degraded";
    case run_quality::failed: return "failed";
    }
    return "unknown";
}

scheduler::scheduler(const graph& graph, frontier&& from, schedule_limits limits)
    : graph_{graph}, frontier_{std::move(from)}, limits_{limits}
{
    frontier_.visits.resize(graph.size());
    frontier_.path.reserve(std::min<std::size_t>(graph.size(), 32));
    if (frontier_.tokens.empty()) {
        const token_index root = new_token();
        after_success(root);
        return;
    }
    for (region_index r = 0; r < frontier_.regions.size(); ++r) {
        if (!frontier_.regions[r].is_open)
            frontier_.regions[r].parent = std::exchange(free_region_, r);
        else if (frontier_.regions[r].started < frontier_.regions[r].size())
            starting_.push_back(r);
    }
    resume_tokens();
}

/** Takes tokens up where a kept frontier left them: what ran or waited starts again, with its branch's whole time, and
 *  what was chosen is chosen anew. Those that were stopping end only when all others stand, for they may stop them. */
void scheduler::resume_tokens()
{
    const auto size = static_cast<token_index>(frontier_.tokens.size());
    std::vector<token_index> stopping;
    for (token_index index = 0; index < size; ++index) {
        token& t = frontier_.tokens[index];
        t.is_parked = false;
        if (t.phase == token_phase::free) {
            t.fork = std::exchange(free_token_, index);
            continue;
        }
        if (t.phase == token_phase::broken_off) continue;
        if (t.region != no_index)
            if (const auto limit = timeout_of(frontier_.regions[t.region], t.branch); limit.count() > 0)
                push(action::kind::arm_branch, index, limit);
        if (t.phase == token_phase::deciding) t.phase = token_phase::choosing;
        if (t.phase == token_phase::forked || t.phase == token_phase::choosing) continue;
        if (t.phase == token_phase::running && t.attempt > 0) --t.attempt;
        t.is_parked = false;
        t.phase = token_phase::ready;
        if (t.is_stopping)
            stopping.push_back(index);
        else
            ready_.push_back(index);
    }
    for (const token_index index : stopping) stopped_token(index);
    for (token_index index = 0; index < size; ++index) {
        const token& t = frontier_.tokens[index];
        if (t.phase != token_phase::choosing) continue;
        if (t.has_failed)
            after_failure(index, t.previous);
        else
            after_success(index);
    }
    const auto is_free = [](const token& t) { return t.phase == token_phase::free; };
    if (std::all_of(frontier_.tokens.begin(), frontier_.tokens.end(), is_free)) finish(run_status::finished);
}

std::optional<action> scheduler::next()
{
    for (;;) {
        if (taken_ < actions_.size()) return actions_[taken_++];
        if (limits_.holds_for_save) {
            if (auto save = next_save()) return save;
            if (saving_ != save_stage::none && !(is_pausing_ && running_ == 0)) return std::nullopt;
        }
        if (is_finished_) return std::nullopt;
        if (const token_index index = next_start(); index != no_index) {
            action start{};
            start.what = action::kind::start_node;
            start.token = index;
            start.node = frontier_.tokens[index].node;
            return start;
        }
        if (taken_ < actions_.size() || is_finished_ || (parked_ > 0 && !is_held_ && settle_parked())) continue;
        if (!is_pausing_ || running_ > 0) return std::nullopt;
        note_unfinished();
        finish(run_status::paused);
    }
}

token_index scheduler::start_next()
{
    return taken_ < actions_.size() || limits_.holds_for_save ? no_index : next_start();
}

/** Moves the next token that may into its node; `no_index` if none may, or something else is to be done first. */
token_index scheduler::next_start()
{
    actions_.clear();
    taken_ = 0;
    while (!is_pausing_ && !is_held_ && !is_finished_ && actions_.empty()) {
        if (limits_.in_flight_max != 0 && running_ >= limits_.in_flight_max) return no_index;
        if (ready_taken_ < ready_.size()) {
            const token_index index = ready_[ready_taken_++];
            if (start_token(index)) return index;
            continue;
        }
        ready_.clear();
        ready_taken_ = 0;
        if (!start_some_branch()) return no_index;
    }
    return no_index;
}

/** @return False if the token may not start its node. */
bool scheduler::start_token(token_index index)
{
    token& t = frontier_.tokens[index];
    BOOST_ASSERT(t.phase == token_phase::ready);
    if (t.node == end_node) {  // the run paused behind its last node
        end_token(index);
        return false;
    }
    if (!t.is_counted) {
        if (!may_visit(t) || (limits_.in_a_row_max != 0 && t.in_a_row >= limits_.in_a_row_max)) {
            stop_at_limit(index);
            return false;
        }
        const graph_node& node = graph_.node(t.node);
        if (pauses_at(t.node, pause_point::before) && !t.has_paused) {
            t.has_paused = true;
            ready_.push_back(index);
            pause();
            return false;
        }
        t.has_paused = false;
        ++frontier_.steps;
        ++t.in_a_row;
        std::uint32_t& visits = frontier_.visits[t.node];
        if (node.visits_max > 0 && visits >= node.visits_max) {
            skip_node(index);
            return false;
        }
        t.visit = ++visits;
        t.attempt = 0;
        ++t.step;
        t.is_counted = true;
        frontier_.path.push_back(t.node);
        if (node.clears_keys && t.visit > 1) clear_stale(index);
    }
    ++t.attempt;
    t.phase = token_phase::running;
    ++running_;
    return true;
}

void scheduler::clear_stale(token_index index)
{
    write_set nothing;
    for (const std::uint32_t slot : graph_.node(frontier_.tokens[index].node).clears)
        nothing.push_back({slot, true, false, nullptr});
    commit(index, std::move(nothing));
}

/** A node visited too often is passed over: its edges are followed as if it had succeeded. */
void scheduler::skip_node(token_index index)
{
    token& t = frontier_.tokens[index];
    notify(action::notice_kind::node_skipped, index, t.node);
    t.branches.reset();
    t.previous.reset();
    after_success(index);
}

void scheduler::commit(token_index index, write_set&& writes)
{
    if (writes.empty()) return;
    own_state_of(index).commit(std::move(writes));
    notify(action::notice_kind::state_written, index, frontier_.tokens[index].node);
}

branch_state& scheduler::own_state_of(token_index index)
{
    token& t = frontier_.tokens[index];
    if (t.region == no_index) return *frontier_.root;
    if (!t.own) t.own = std::make_unique<branch_state>(t.input ? t.input.get() : frontier_.regions[t.region].view);
    return *t.own;
}

void scheduler::pause()
{
    if (is_pausing_ || is_finished_) return;
    is_pausing_ = true;
    for (token_index t = 0; t < frontier_.tokens.size(); ++t)
        if (frontier_.tokens[t].phase == token_phase::waiting) push(action::kind::stop_waiting, t);
}

void scheduler::stop(failure_ptr cause)
{
    if (is_stopping_ || is_finished_) return;
    is_stopping_ = true;
    failure_ = std::move(cause);
    note_unfinished();
    if (leaves_restart() && !is_cut_short_) keep_where_it_was();
    stop_token(0);
}

void scheduler::make_ready(token_index index)
{
    frontier_.tokens[index].phase = token_phase::ready;
    if (ready_taken_ == ready_.size()) {
        ready_.clear();
        ready_taken_ = 0;
    }
    ready_.push_back(index);
}

/** Moves a token along an edge: into a node, to the join where its branch ends, or to the end. */
void scheduler::arrive(token_index index, node_index target)
{
    token& t = frontier_.tokens[index];
    t.is_counted = false;
    for (region_index r = t.region; r != no_index; r = frontier_.tokens[frontier_.regions[r].parent].region) {
        if (frontier_.regions[r].join != target) continue;
        frontier_.regions[t.region].arrived = target;
        return settle(index, branch_status::succeeded, nullptr);
    }
    if (target == end_node) return end_token(index);
    if (graph_.node(target).is_deferred) {
        auto& deferred = frontier_.extra().deferred;
        if (std::find(deferred.begin(), deferred.end(), target) == deferred.end()) deferred.push_back(target);
        return end_token(index);
    }
    if (target != t.node) t.in_a_row = 0;
    t.node = target;
    make_ready(index);
}

void scheduler::end_token(token_index index)
{
    token& t = frontier_.tokens[index];
    if (t.region != no_index) return settle(index, branch_status::succeeded, nullptr);
    if (frontier_.extras && !frontier_.extras->deferred.empty()) {
        auto& deferred = frontier_.extras->deferred;
        t.node = deferred.front();
        t.in_a_row = 0;
        deferred.erase(deferred.begin());
        return make_ready(index);
    }
    if (is_pausing_ && t.node != end_node && t.node != start_node && pauses_at(t.node, pause_point::after)) {
        t.node = end_node;
        return make_ready(index);
    }
    free_token(index);
    finish(run_status::finished);
}

void scheduler::fail_token(token_index index, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    if (t.region != no_index) return settle(index, branch_status::failed, std::move(cause));
    fail_run(std::move(cause));
}

/** A token that was asked to stop has ended. */
void scheduler::stopped_token(token_index index)
{
    token& t = frontier_.tokens[index];
    if (t.is_leaving && out_of_time_ && !is_stopping_) {
        const bool is_unwanted = t.region != no_index && frontier_.regions[t.region].is_decided;
        if (const failure_ptr cause = frontier_.lateness_of(index); cause && !is_unwanted) {
            t.is_stopping = false;
            forget_extras(index);
            return take_failure_edge(index, cause);
        }
    }
    if (t.region == no_index) {
        free_token(index);
        if (is_cut_short_) return finish(run_status::finished);
        return finish(failure_ ? run_status::failed : run_status::cancelled);
    }
    failure_ptr cause = frontier_.lateness_of(index);
    settle(index, cause ? branch_status::timed_out : branch_status::stopped, cause);
}

run_quality scheduler::quality() const noexcept
{
    if (status_ == run_status::failed || status_ == run_status::cancelled) return run_quality::failed;
    return frontier_.is_degraded ? run_quality::degraded : run_quality::clean;
}

token_index scheduler::new_token()
{
    if (free_token_ == no_index) {
        frontier_.tokens.emplace_back();
        return static_cast<token_index>(frontier_.tokens.size() - 1);
    }
    const token_index index = free_token_;
    free_token_ = std::exchange(frontier_.tokens[index].fork, no_index);
    return index;
}

void scheduler::free_token(token_index index)
{
    forget_extras(index);
    const region_index within = frontier_.tokens[index].fork;
    frontier_.tokens[index] = token{};
    frontier_.tokens[index].fork = std::exchange(free_token_, index);
    if (within != no_index) free_region(within);
}

void scheduler::note_unfinished()
{
    for (const token& t : frontier_.tokens)
        if (t.phase != token_phase::free && t.phase != token_phase::forked && t.phase != token_phase::broken_off)
            unfinished_.push_back(t.node);
    for (const region& r : frontier_.regions)
        if (r.is_open && !r.is_decided)
            for (std::uint32_t b = r.started; b < r.size(); ++b) unfinished_.push_back(r.first_node_of(b));
}

void scheduler::push(action::kind what, token_index token, std::chrono::nanoseconds delay)
{
    action next{};
    next.what = what;
    next.token = token;
    next.delay = delay;
    actions_.push_back(next);
}

void scheduler::notify(action::notice_kind what, token_index token, node_index node, std::uint32_t number)
{
    if (!limits_.notices) return;
    action notice{};
    notice.what = action::kind::notice;
    notice.notice = what;
    notice.token = token;
    notice.node = node;
    notice.number = number;
    actions_.push_back(notice);
}

failure_ptr scheduler::make_failure(errc code, token_index index, std::string detail) const
{
    const token& t = frontier_.tokens[index];
    failure result;
    result.code = code;
    result.node = graph_.name_of(t.node);
    result.visit = t.visit;
    result.attempt = t.attempt;
    result.message = "node '" + result.node + "'";
    if (t.visit > 0) result.message += ", visit " + std::to_string(t.visit);
    result.message.append(": ").append(describe(code)).append(detail.empty() ? "" : ": ").append(detail);
    return std::make_shared<const failure>(std::move(result));
}

}  // namespace weft
