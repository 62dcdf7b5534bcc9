#include "run_progress.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/engine/trace/run_trace.hpp>

#include <algorithm>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::size_t tail_bytes_max = 2000;
constexpr std::size_t stopped_max = 1000;

}  // namespace

std::string visit_progress::title() const
{
    std::string text = address.empty() ? node : address + "/" + node;
    if (number > 1) text += ", visit " + std::to_string(number);
    if (attempt > 1) text += ", attempt " + std::to_string(attempt);
    return text;
}

std::string_view visit_progress::phase_name() const noexcept
{
    switch (now) {
    case phase::working: return "working";
    case phase::waiting: return "waiting";
    case phase::done: return "done";
    case phase::failed: return "failed";
    case phase::stopped: return "stopped";
    }
    return "";
}

std::vector<visit_progress>::iterator run_progress::find(const weft::run_event& event)
{
    return std::find_if(open_.begin(), open_.end(), [&](const visit_progress& visit) {
        return visit.node == event.node && visit.number == event.visit && visit.address == event.address &&
               visit.address_visits == event.address_visits;
    });
}

const visit_progress* run_progress::start(const weft::run_event& event)
{
    auto visit = find(event);
    if (visit == open_.end()) {
        visit_progress made;
        made.address = event.address;
        made.address_visits = event.address_visits;
        made.node = event.node;
        made.number = event.visit;
        made.branch = event.branch;
        made.since = event.at;
        visit = open_.insert(open_.end(), std::move(made));
    }
    visit->attempt = event.attempt;
    visit->now = visit_progress::phase::working;
    visit->tail.clear();
    return &*visit;
}

const visit_progress* run_progress::hear(const weft::run_event& event)
{
    if (const auto reported = weft::usage_in(event)) {
        spent_ += *reported;
        return nullptr;
    }
    const auto visit = find(event);
    if (visit == open_.end()) return nullptr;
    if (event.label == weft::agent_event::retract) {
        visit->tail.clear();
        return &*visit;
    }
    const bool is_plain = event.label.empty() || event.label == weft::agent_event::output;
    const bool is_for_programs = !is_plain && event.text.starts_with('{');
    if (is_for_programs) return nullptr;
    visit->tail += event.text;
    if (visit->tail.size() > 2 * tail_bytes_max) visit->tail.erase(0, visit->tail.size() - tail_bytes_max);
    return &*visit;
}

const visit_progress* run_progress::end(const weft::run_event& event, visit_progress::phase how)
{
    const auto visit = find(event);
    if (visit == open_.end()) return nullptr;
    visit->now = how;
    visit->until = event.at;
    if (how == visit_progress::phase::failed) visit->tail = event.text;
    last_ = std::move(*visit);
    open_.erase(visit);
    ++ended_;
    if (how == visit_progress::phase::stopped && stopped_.size() < stopped_max) stopped_.push_back(last_);
    return &last_;
}

/** It follows the failure of the attempt before: the visit goes on. */
const visit_progress* run_progress::retry(const weft::run_event& event)
{
    if (last_.now != visit_progress::phase::failed || last_.node != event.node || last_.branch != event.branch ||
        last_.address != event.address || last_.address_visits != event.address_visits)
        return nullptr;
    --ended_;
    last_.now = visit_progress::phase::waiting;
    return &open_.emplace_back(std::exchange(last_, {}));
}

const visit_progress* run_progress::take(const weft::run_event& event)
{
    using kind = weft::run_event::kind;
    switch (event.what) {
    case kind::run_started:
        if (event.address.empty() && !std::exchange(has_begun_, true)) began_ = event.at;
        return nullptr;
    case kind::node_started: return start(event);
    case kind::output: return hear(event);
    case kind::node_succeeded: return end(event, visit_progress::phase::done);
    case kind::node_failed:
        return end(event, event.text == weft::run_event::stopped ? visit_progress::phase::stopped
                                                                 : visit_progress::phase::failed);
    case kind::node_retried: return retry(event);
    default: return nullptr;
    }
}

}  // namespace weft_cli
