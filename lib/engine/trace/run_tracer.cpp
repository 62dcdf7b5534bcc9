#include "run_tracer.hpp"

#include <weft/engine/trace/run_log.hpp>
#include <weft/graph/node/node_cache.hpp>

#include <algorithm>

namespace weft {

namespace {

/** Deeper than any graph file nests; what is deeper is kept as if it happened in the run's own graph. */
constexpr std::uint32_t depth_max = 64;

}  // namespace

void run_tracer::add(const run_event& event)
{
    ++events_;
    // Clocks of a log may go back, spans may not.
    now_ = std::max(now_, event.at - time_point{});
    if (event.what == run_event::kind::gap) {
        // The numbers in a log are data from outside: a wrong one must not wrap around.
        trace_.events_lost += event.sequence >= event.number ? event.sequence - event.number + 1 : 0;
        return;
    }
    instance& in = instances_[event.what == run_event::kind::run_started ? new_instance(event) : instance_of(event)];
    switch (event.what) {
    case run_event::kind::node_started: return start(event, in);
    case run_event::kind::node_succeeded:
    case run_event::kind::node_failed: return end(event, in);
    case run_event::kind::node_retried: return retry(event, in);
    case run_event::kind::output: return hear(event, in);
    case run_event::kind::edge_taken: return take_edge(event, in);
    case run_event::kind::node_skipped: return skip(event, in);
    case run_event::kind::branches_started: return fork(event, in);
    case run_event::kind::branch_ended: return end_branch(event, in);
    case run_event::kind::branches_joined: return join(event, in);
    case run_event::kind::edge_condition_error:
    case run_event::kind::route_decided:
    case run_event::kind::route_fallback:
    case run_event::kind::question_asked:
    case run_event::kind::question_answered: return remark(event);
    case run_event::kind::run_paused:
    case run_event::kind::run_finished: return finish(event);
    case run_event::kind::run_started:
    case run_event::kind::state_written:
    case run_event::kind::gap: return;
    }
}

std::size_t run_tracer::instance_of(const run_event& event)
{
    const auto found = instance_by_key_.find(key{event.address, event.address_visits});
    return found != instance_by_key_.end() ? found->second : new_instance(event);
}

std::size_t run_tracer::new_instance(const run_event& event)
{
    const std::size_t index = instances_.size();
    instance made;
    // A graph within a node is known by the address of that node, which is at work now.
    if (const auto outer = at_work_.find(key{event.address, event.address_visits}); outer != at_work_.end()) {
        made.within = outer->second;
        made.depth = trace_.visits[made.within].depth + 1;
        auto& attempts = lineage_.visits[made.within].inside;
        // Each attempt of a node begins its graph anew; one without a graph has none.
        attempts.resize(trace_.visits[made.within].attempts.size(), none);
        attempts.back() = index;
    }
    instance_by_key_.insert_or_assign(key{event.address, event.address_visits}, index);
    instances_.push_back(std::move(made));
    return index;
}

run_tracer::key run_tracer::key_within(const run_trace::visit& visit, const run_event& event) const
{
    const std::string number = std::to_string(visit.number);
    if (event.address.empty()) return {visit.node, number};
    return {event.address + "/" + visit.node, event.address_visits + "/" + number};
}

/** Whose end let a visit begin: what its branch has behind it, or, for the first of a branch, what made the branch or
 *  gave it its place. */
std::size_t run_tracer::cause_of(const run_event& event, instance& in, lane& of) const
{
    // Behind the first visit of a branch each waits for the one before it.
    if (of.last != none) return of.last;
    const auto arrived = in.arrivals.find(event.node);
    if (arrived == in.arrivals.end()) return in.last_ended;
    if (!of.parent && arrived->second.branch != event.branch) of.parent = arrived->second.branch;
    const auto parent = in.lanes.find(arrived->second.branch);
    const bool has_waited = parent != in.lanes.end() && parent->second.forked_at != none && in.ended_at != none &&
                            in.ended_at > parent->second.forked_at;
    return has_waited || arrived->second.after == none ? in.last_ended : arrived->second.after;
}

/** The visit that an event of a node belongs to, if it has begun and not ended for good. */
std::size_t run_tracer::open_visit(const run_event& event, instance& in) const
{
    const auto found = in.visits.find({std::string{event.node}, event.visit});
    return found == in.visits.end() ? none : found->second;
}

void run_tracer::start(const run_event& event, instance& in)
{
    lane& of = in.lanes[event.branch];
    // A retry is a further attempt of the same visit.
    std::size_t index = event.attempt > 1 ? open_visit(event, in) : none;
    if (index == none) {
        index = trace_.visits.size();
        run_trace::visit visit;
        visit.address = event.address;
        visit.node = event.node;
        visit.number = event.visit;
        visit.branch = event.branch;
        visit.depth = in.depth;
        visit.within = in.within;
        visit.after = cause_of(event, in, of);
        visit.start = now_;
        in.visits.insert_or_assign({visit.node, visit.number}, index);
        trace_.visits.push_back(std::move(visit));
        lineage_.visits.push_back({static_cast<std::size_t>(&in - instances_.data()), {}});
    }
    run_trace::visit& visit = trace_.visits[index];
    visit.how = run_trace::outcome::unfinished;
    visit.attempts.push_back({now_, now_, run_trace::outcome::unfinished, {}});
    of.last = index;
    if (visit.depth < depth_max) at_work_.insert_or_assign(key_within(visit, event), index);
}

void run_tracer::end(const run_event& event, instance& in)
{
    const std::size_t index = open_visit(event, in);
    if (index == none) return;
    run_trace::visit& visit = trace_.visits[index];
    // There is one, since the visit has started.
    run_trace::attempt& attempt = visit.attempts.back();
    const bool was_stopped = event.text == run_event::stopped;
    const bool has_failed = event.what == run_event::kind::node_failed;
    attempt.how = !has_failed     ? run_trace::outcome::succeeded
                  : was_stopped ? run_trace::outcome::stopped
                                : run_trace::outcome::failed;
    if (attempt.how == run_trace::outcome::failed) attempt.why = event.text;
    visit.how = attempt.how;
    attempt.end = visit.end = now_;
    at_work_.erase(key_within(visit, event));
    (was_stopped ? in.last_stopped : in.last_ended) = index;
    (was_stopped ? in.stopped_at : in.ended_at) = events_;
}

/** Until its next attempt has ended a visit has not either. */
void run_tracer::retry(const run_event& event, instance& in)
{
    const auto found = in.lanes.find(event.branch);
    if (found == in.lanes.end() || found->second.last == none) return;
    run_trace::visit& visit = trace_.visits[found->second.last];
    if (visit.node == event.node) visit.how = run_trace::outcome::unfinished;
}

void run_tracer::hear(const run_event& event, instance& in)
{
    if (event.label == cached_label && !event.text.starts_with("not kept"))
        if (const std::size_t index = open_visit(event, in); index != none) trace_.visits[index].was_cached = true;
    const auto spent = usage_in(event);
    if (!spent) return;
    trace_.spent += *spent;
    if (const std::size_t index = open_visit(event, in); index != none) trace_.visits[index].spent += *spent;
}

void run_tracer::take_edge(const run_event& event, instance& in)
{
    const auto [place, is_new] = edges_.try_emplace(
        {{event.address, std::string{event.source}}, {std::string{event.node}, event.edge}}, trace_.edges.size());
    if (is_new)
        trace_.edges.push_back({event.address, std::string{event.source}, std::string{event.node}, event.edge, 0});
    ++trace_.edges[place->second].times;
    in.arrivals.insert_or_assign(std::string{event.node}, arrival{in.lanes[event.branch].last, event.branch});
}

void run_tracer::skip(const run_event& event, instance& in)
{
    lane& of = in.lanes[event.branch];
    of.last = cause_of(event, in, of);
    remark(event);
}

/** A branch that has done nothing yet and fans out is one that stands for several which meet before the others. */
void run_tracer::fork(const run_event& event, instance& in)
{
    lane& of = in.lanes[event.branch];
    of.forked_at = events_;
    const auto opener = in.forks.find(event.node);
    if (of.last == none && !of.parent && opener != in.forks.end() && opener->second != event.branch)
        of.parent = opener->second;
    else
        in.forks.insert_or_assign(std::string{event.node}, event.branch);
}

void run_tracer::end_branch(const run_event& event, instance& in)
{
    const auto found = in.lanes.find(event.branch);
    if (found == in.lanes.end()) return;
    const lane ended = found->second;
    in.lanes.erase(found);
    if (ended.last == none || !ended.parent) return;
    std::size_t& joined = in.lanes[*ended.parent].joined;
    if (joined == none || trace_.visits[ended.last].how != run_trace::outcome::stopped) joined = ended.last;
}

void run_tracer::join(const run_event& event, instance& in)
{
    lane& of = in.lanes[event.branch];
    if (of.joined != none) {
        of.last = in.last_ended = of.joined;
        in.ended_at = events_;
    }
    of.joined = none;
    of.forked_at = none;
}

void run_tracer::remark(const run_event& event)
{
    trace_.remarks.push_back({event.what, event.address, std::string{event.source}, std::string{event.node}, event.text,
                              now_});
}

void run_tracer::finish(const run_event& event)
{
    if (!event.address.empty()) return;
    trace_.status = event.text;
    trace_.was_cut_short = event.label == run_event::cut_short;
    trace_.elapsed = now_;
}

void run_tracer::close_open_visits()
{
    for (run_trace::visit& visit : trace_.visits) {
        run_trace::attempt& last = visit.attempts.back();
        if (last.how == run_trace::outcome::unfinished) last.end = now_;
        if (visit.how == run_trace::outcome::unfinished) visit.end = now_;
    }
}

/** A visit that was stopped counts if nothing ended after it, and if it was not stopped because another one failed. */
std::size_t run_tracer::last_of(const instance& in) const
{
    if (in.last_stopped == none || in.last_ended == none)
        return in.last_ended == none ? in.last_stopped : in.last_ended;
    if (in.stopped_at < in.ended_at) return in.last_ended;
    if (trace_.visits[in.last_ended].how != run_trace::outcome::failed) return in.last_stopped;
    std::size_t before = in.last_stopped;
    while (before != none && before != in.last_ended) before = trace_.visits[before].after;
    return before == none ? in.last_ended : in.last_stopped;
}

run_trace run_tracer::take()
{
    close_open_visits();
    if (!trace_.is_complete()) trace_.elapsed = now_;
    for (const instance& in : instances_) lineage_.last.push_back(last_of(in));
    // What is still going on has taken longer than what has ended.
    for (std::size_t i = trace_.visits.size(); i-- > 0;)
        if (trace_.visits[i].how == run_trace::outcome::unfinished) lineage_.last[lineage_.visits[i].instance] = i;
    trace_.critical_path = critical_path_of(trace_, lineage_);
    return std::move(trace_);
}

run_trace trace_of(const run_log& log)
{
    run_tracer tracer;
    for (const run_event& event : log.events()) tracer.add(event);
    run_trace trace = tracer.take();
    if (log.header()) {
        trace.graph = log.header()->graph;
        trace.began_at = log.header()->at;
    }
    return trace;
}

}  // namespace weft
