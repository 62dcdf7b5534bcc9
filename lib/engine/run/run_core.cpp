#include "run_core.hpp"

#include "run_access.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <memory>
#include <utility>

namespace weft {

namespace {

bool is_failure(step_limit_action action)
{
    return action == step_limit_action::fail || action == step_limit_action::raise;
}

schedule_limits limits_of(const run_options& options, const graph& what)
{
    schedule_limits limits;
    limits.steps_max = options.steps_max();
    limits.steps_reserve = options.reserve().steps;
    const row_limit in_a_row = row_limit_of(options, what);
    limits.in_a_row_max = in_a_row.visits;
    limits.fails_at_limit = is_failure(options.at_limit());
    limits.fails_in_a_row = is_failure(in_a_row.action);
    limits.in_flight_max = options.in_flight_max();
    limits.saves = options.on_save() != nullptr;
    if (options.saves()) add_saves(limits, *options.saves());
    return limits;
}

}  // namespace

run_core::run_core(weft::graph graph, serial_loop& loop, run_request&& request)
    : timed_item{[](ready_item& self) { static_cast<run_core&>(self).wake_up(); }},
      graph{std::move(graph)}, loop{loop}, request{std::move(request)},
      values{state{this->graph.layout()}}, started{loop.now()},
      scheduler_{first_scheduler()}, nodes{*this}
{
    if (!run_request_access::asks_nothing(this->request)) take_up();
    // The state has them now; a request that keeps them holds them for as long as the run lasts.
    run_request_access::drop_first_values(this->request);
}

/** Which run it is and who watches it, of one that was asked for something. */
void run_core::take_up()
{
    const run_identity& given = run_request_access::identity(request);
    // A resume is the next part of the same run: events of both have one order.
    const auto& from = request.resumed_from();
    if (from && given.id.is_nil() && from->extras && !from->extras->identity.id.is_nil())
        identity = std::make_unique<run_identity>(from->extras->identity.id, from->extras->identity.part + 1);
    else if (!given.id.is_nil())
        identity = std::make_unique<run_identity>(given);
    if (from || request.does_save_input()) {
        // Values that joined where it goes on are kept before they are used.
        const state_update* const first = run_request_access::first_values(request);
        const bool has_input = (first && !first->is_empty()) || run_request_access::json_values(request);
        if (has_input) scheduler().changed(checkpoint_kind::node_start, no_node);
    }
    if (request.watcher()) {
        events = std::make_unique<run_events>(*this);
        scheduler().give_notices();
    }
}

run_core::~run_core() = default;

resting_scheduler run_core::first_scheduler()
{
    const schedule_limits limits = limits_of(request.limits(), graph);
    if (const std::shared_ptr<const frontier>& from = request.resumed_from()) {
        frontier first{*from};
        take_input(*first.root);
        return {graph, std::move(first), limits};
    }
    take_input(values);
    return {graph, values, limits};
}

void run_core::take_input(branch_state& into)
{
    try {
        if (const auto* const json = run_request_access::json_values(request)) into.root().assign_json(*json);
        if (state_update* const first = run_request_access::first_values(request)) {
            write_set writes;
            for (state_update::item& item : first->items()) {
                const std::uint32_t slot = graph.layout()->require(item.key, "input");
                require_finite(item.value, (*graph.layout())[slot]);
                writes.push_back({slot, item.is_overwrite, false, std::move(item.value)});
            }
            into.commit(std::move(writes));
        }
    } catch (...) {
        failure wrong;
        wrong.code = code_of(std::current_exception());
        wrong.message = "input: " + text_of(std::current_exception());
        wrong.cause = std::current_exception();
        // A constructor has no result to say it in: the run begins and fails at once.
        extra().mistake = std::make_shared<const failure>(std::move(wrong));
    }
}

void run_core::go_on_soon()
{
    // Several reasons to go on are one turn.
    if (std::exchange(is_turn_due, true)) return;
    forget_wake_up();
    loop.defer(*this);
}

void run_core::wake_up()
{
    const intrusive_ptr<run_core> alive{this};
    const bool is_turn = std::exchange(is_turn_due, false);
    if (std::exchange(is_time_open, false)) {
        nodes.begin_times();
        if (!is_turn) rest();
    } else {
        nodes.end_times_due();
    }
    if (is_turn) take_turn();
}

weft::scheduler& run_core::wake_scheduler()
{
    weft::scheduler& awake = scheduler_.wake(graph, values, limits_of(request.limits(), graph));
    awake.nodes().when_parked(parked_rule::pause);
    return awake;
}

run_extras& run_core::extra()
{
    if (!extras) extras = std::make_unique<run_extras>(*this);
    return *extras;
}

// Not a cast of something const: this object is not.
run_core& run_core::outermost() noexcept { return const_cast<run_core&>(std::as_const(*this).outermost()); }

const run_core& run_core::outermost() const noexcept
{
    const run_core* at = this;
    while (at->extras && at->extras->outer.run) at = at->extras->outer.run;
    return *at;
}

const run_identity& run_core::identity_at(time_point now)
{
    const std::uint32_t part = run_request_access::identity(request).part;
    if (!identity) identity = std::make_unique<run_identity>(loop.next_id<run_id>(now), part);
    return *identity;
}

std::chrono::nanoseconds run_core::elapsed_before() const noexcept
{
    const auto& from = request.resumed_from();
    return from && from->extras ? from->extras->elapsed : std::chrono::nanoseconds{0};
}

std::chrono::nanoseconds run_core::elapsed() const noexcept { return elapsed_before() + (loop.now() - started); }

void run_core::note_used()
{
    // A checkpoint without it would give a resumed run its whole budget again.
    if (extras && extras->ledger) scheduler().restart().note_spent(extras->ledger->spent());
    if (request.limits().elapsed_max().count() > 0) scheduler().restart().note_elapsed(elapsed());
}

void run_core::save(const action& next)
{
    note_used();
    if (extras && extras->saving)
        extras->saving->save(scheduler().restart().to_save(), next.moment,
                             next.node == no_node ? "" : graph.name_of(next.node));
    if (!request.limits().on_save()) return;
    try {
        (*request.limits().on_save())(scheduler().where());
    } catch (...) {
        failure wrong;
        wrong.cause = std::current_exception();
        wrong.code = code_of(wrong.cause);
        wrong.message = "`on_save` of the run threw: " + text_of(wrong.cause);
        scheduler().stop(std::make_shared<const failure>(std::move(wrong)));
    }
}

const failure_ptr& ended_run::why() const noexcept { return run_.scheduler().course().why(); }

bool ended_run::throws() const noexcept
{
    const failure_ptr& cause = why();
    if (!cause) return false;
    const run_options& limits = run_.request.limits();
    if (cause->code == errc::steps_exceeded) return limits.at_limit() == step_limit_action::raise;
    return cause->code == errc::node_repeated &&
           row_limit_of(limits, run_.graph).action == step_limit_action::raise;
}

run_result ended_run::take() const
{
    const bool asks_nothing = !run_.extras && run_request_access::asks_nothing(run_.request);
    if (!asks_nothing) run_.note_used();
    const run_course& ended = run_.scheduler().course();
    frontier& last = run_.scheduler().where();
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
    if (ended.was_cut_short()) {
        const run_options& limits = run_.request.limits();
        const step_limit_action at_limit =
            ended.was_cut_in_a_row() ? row_limit_of(limits, run_.graph).action : limits.at_limit();
        result.was_cut_short = at_limit == step_limit_action::return_with_flag;
    }
    if (run_.graph.goal() && result.status == run_status::finished)
        result.goal = judge(*run_.graph.goal(), state_view{*last.root});
    // A paused run is shared with its resume, so that its state is copied. Any other end gives its state away.
    if (result.status == run_status::paused) {
        last.settle(run_.graph);
        last.root.take_over();
        result.state = last.root->root();
        run_result_access::set_trail(result, run_.graph, last.path, last.visits);
        if (last.extras) result.questions = last.extras->questions;
        last.extra().identity = run_.identity_at(now);
        if (run_.extras && run_.extras->questions.journal()) last.extra().journal = run_.extras->questions.journal();
        result.paused_at = std::make_shared<const frontier>(std::move(last));
    } else {
        result.state = std::move(last.root->root());
        if (last.is_on_line)
            run_result_access::set_line(result, std::move(run_.graph), last.steps);
        else
            run_result_access::set_trail(result, std::move(run_.graph), std::move(last.path), std::move(last.visits));
    }
    return result;
}

}  // namespace weft
