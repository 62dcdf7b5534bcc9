#include "ended_run.hpp"

#include "run_access.hpp"
#include "run_core.hpp"
#include "run_extras.hpp"

#include <memory>
#include <utility>

namespace weft {

const failure_ptr& ended_run::why() const noexcept { return run_.scheduler.course().why(); }

run_result ended_run::take() const
{
    run_.note_used();
    const run_course& ended = run_.scheduler.course();
    frontier& last = run_.scheduler.where();
    run_result result{ended.status(), ended.quality(last.is_degraded)};
    const time_point now = run_.loop.now();
    if (!run_.extras || !run_.extras->outer.run)
        result.id = ended.status() == run_status::paused ? run_.identity_at(now).id : run_.last_id_at(now);
    result.why = ended.why();
    result.elapsed = now - run_.started;
    if (run_.extras) result.unresponsive = std::move(run_.extras->unresponsive);
    if (run_.extras && run_.extras->saving) result.saves_failed = run_.extras->saving->failures();
    for (node_index n : ended.unfinished()) result.resume_from.push_back(run_.graph.name_of(n));
    result.steps = last.steps;
    result.retries = last.retries;
    if (last.extras && last.extras->spent) result.spent = std::make_unique<spending>(*last.extras->spent);
    const step_limit_action at_limit = ended.was_cut_in_a_row() ? row_limit_of(run_.request.limits(), run_.graph).action
                                                                : run_.request.limits().at_limit();
    result.was_cut_short = ended.was_cut_short() && at_limit == step_limit_action::return_with_flag;
    if (run_.graph.goal() && result.status == run_status::finished)
        result.goal = judge(*run_.graph.goal(), state_view{*last.root});
    // A paused run is shared with its resume, so that its state is copied. Any other end gives its state away.
    if (result.status == run_status::paused) {
        last.settle();
        result.state = last.root->root();
        run_result_access::set_trail(result, run_.graph, last.path, last.visits);
        if (last.extras) result.questions = last.extras->questions;
        last.extra().identity = run_.identity_at(now);
        if (run_.extras && run_.extras->questions.journal()) last.extra().journal = run_.extras->questions.journal();
        result.paused_at = std::make_shared<const frontier>(std::move(last));
    } else {
        result.state = std::move(last.root->root());
        run_result_access::set_trail(result, std::move(run_.graph), std::move(last.path), std::move(last.visits));
    }
    return result;
}

}  // namespace weft
