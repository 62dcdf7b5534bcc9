#include "run_rare_part.hpp"

#include <utility>

namespace weft {

void run::finish()
{
    const intrusive_ptr<run> kept{this};
    tell_outer(false);
    if (rare_) rare_->disarm();
    if (is_watched()) {
        run_event event;
        event.what =
            scheduler_.status() == run_status::paused ? run_event::kind::run_paused : run_event::kind::run_finished;
        event.text = name_of(scheduler_.status());
        if (scheduler_.was_cut_short()) event.label = run_event::cut_short;
        tell(std::move(event));
        for (const auto& subscriber : watch_->subscribers)
            if (const auto queue = subscriber.lock()) queue->close();
    }
    run_result result = make_result();
    if (is_waiting_) loop_.remove_work();
    is_waiting_ = false;
    const done_function done = std::exchange(done_, nullptr);
    intrusive_ptr_release(this);
    if (done) done(waiter_, std::move(result));
}

run_result run::make_result()
{
    note_spent();
    note_elapsed();
    run_result result{scheduler_.status(), scheduler_.quality()};
    const time_point now = loop_.now();
    if (!rare_ || !rare_->outer) result.id = identity(now).id;
    result.why = scheduler_.why();
    result.elapsed = now - started_;
    if (rare_) result.unresponsive = std::move(rare_->unresponsive);
    if (rare_ && rare_->saving) result.saves_failed = rare_->saving->failures();
    for (node_index n : scheduler_.unfinished()) result.resume_from.push_back(graph_.name_of(n));
    frontier& last = scheduler_.last();
    result.steps = last.steps;
    result.retries = last.retries;
    if (last.extras && last.extras->spent) result.spent = std::make_unique<spending>(*last.extras->spent);
    const step_limit_action at_limit = scheduler_.was_cut_in_a_row() ? row_limit_of(request_.limits(), graph_).action
                                                                      : request_.limits().at_limit();
    result.was_cut_short = scheduler_.was_cut_short() && at_limit == step_limit_action::return_with_flag;
    if (graph_.goal() && result.ok())
        result.goal = judge(*graph_.goal(), state_view{*last.root});
    if (result.status == run_status::paused) {
        last.settle();
        result.state = last.root->root();
        result.set_trail(graph_, last.path, last.visits);
        if (last.extras) result.questions = last.extras->questions;
        last.extra().identity = identity(now);
        if (rare_ && rare_->journal) last.extra().journal = rare_->journal;
        result.paused_at = std::make_shared<const frontier>(std::move(last));
    } else {
        result.state = std::move(last.root->root());
        result.set_trail(std::move(graph_), std::move(last.path), std::move(last.visits));
    }
    return result;
}

}  // namespace weft
