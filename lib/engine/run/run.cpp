#include "run.hpp"

#include "effect_once.hpp"
#include "plain_stage.hpp"
#include "run_access.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"
#include "run_routing.hpp"

#include <weft/base/error.hpp>
#include <weft/store/item_space.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft {

run::run(weft::graph graph, serial_loop& loop, run_request&& request)
    : run_core{std::move(graph), loop, std::move(request)}
{
}

run::~run()
{
    if (nodes.is_idle()) forget_wake_up();
    else nodes.destroy_all();
    if (is_waiting) loop.remove_work();
}

void run::begin(run_waiter& hears)
{
    waiter = &hears;
    begin_now();
}

// The loop counts the run as work from here on, or it could end before the run has had its turn.
void run::begin_later(run_waiter& hears)
{
    waiter = &hears;
    begin_wait();
    go_on_soon();
}

// Until `finish` or `abandon` it keeps itself, too. A run that never waits is kept by who began it: most of those are
// so short that counting would be felt.
void run::begin_wait()
{
    if (std::exchange(is_waiting, true)) return;
    loop.add_work();
    intrusive_ptr_add_ref(this);
}

void run::take_turn()
{
    if (has_begun)
        pump();
    else
        begin_now();
}

void run::begin_now()
{
    has_begun = true;
    if (extras || !run_request_access::asks_nothing(request)) {
        open_ledger();
        if (const save_options* const saving = request.limits().saves(); saving && saving->mode != durability::off)
            extra().saving.emplace(*this, *saving);
        open_questions();
        watch_outside();
        // The bridges of the tokens tell it later; until then nodes would start.
        if (request.stop_token().stop_requested()) scheduler().stop();
        else if (request.pause_token().stop_requested()) scheduler().pause();
    } else {
        scheduler().nodes().when_parked(parked_rule::pause);
    }
    if (events) events->notify_started();
    // A run with a wrong input or answer takes the way of one that is stopped: its watchers see a beginning and an
    // end, and it ends at one place.
    if (extras && extras->mistake) scheduler().stop(extras->mistake);
    pump();
}

// Runs whose spending is not counted have no ledger.
void run::open_ledger()
{
    const run_options& limits = request.limits();
    if (!limits.budget() && !limits.draws_on()) return;
    std::string name = "graph '" + std::string{graph.name()} + "'";
    if (!thread().empty()) name.append(", thread '").append(thread()).append("'");
    const frontier_extras* const past = scheduler().where().extras.get();
    const spending before = past && past->spent ? *past->spent : spending{};
    extra().ledger = std::make_shared<budget_ledger>(
        std::move(name), limits.budget() ? *limits.budget() : weft::budget{}, limits.draws_on(), before);
}

// The run begins with its answers and its journal, and with what it does when only answers are missing.
void run::open_questions()
{
    if (extras && extras->outer.run) return scheduler().nodes().when_parked(parked_rule::notify);
    const std::optional<interrupts> mode = run_request_access::on_questions(request);
    if (mode.value_or(interrupts::pause) == interrupts::pause) scheduler().nodes().when_parked(parked_rule::pause);
    const frontier* const from = request.resumed_from().get();
    std::shared_ptr<effect_journal> journal = run_request_access::journal(request);
    if (!journal && from && from->extras) journal = from->extras->journal;
    if (journal) extra().questions.use(std::move(journal));
    const question_answers* const answers = run_request_access::answers(request);
    if (!answers || (extras && extras->mistake)) return;
    try {
        extra().questions.give(*answers);
    } catch (const error& refused) {
        failure wrong;
        wrong.code = refused.code();
        wrong.message = std::string{"answers: "} + refused.what();
        wrong.cause = std::current_exception();
        extra().mistake = std::make_shared<const failure>(std::move(wrong));
    }
}

// What may end the run from outside its graph: the request's tokens, its limit of time.
void run::watch_outside()
{
    if (const auto& token = request.stop_token(); token.stop_possible())
        extra().from_token.emplace(token, loop, [](void* self) { static_cast<run*>(self)->cancel(); }, this);
    if (const auto& token = request.pause_token(); token.stop_possible())
        extra().from_pause.emplace(token, loop, [](void* self) { static_cast<run*>(self)->pause(); }, this);
    if (request.limits().elapsed_max().count() > 0) extra().timers.limit_run();
}

void run::pump()
{
    // Only the outermost call performs.
    if (is_performing) return;
    is_performing = true;
    // A node that ends in its own call reports into this loop, which performs what follows: no recursion as deep as
    // the graph is long. The batch is bounded: a graph of plain nodes that loops must not keep the loop from sockets,
    // timers and stops.
    constexpr int batch = 512;
    int left = batch;
    weft::scheduler& scheduler = this->scheduler();  // it does not rest while the run performs
    plain_stage stage{*this};
    nodes.enter(&stage);
    // A pause that is asked for while a plain node runs must keep the next one from starting. The bridge of its token
    // needs the loop, which the node holds; the token itself does not.
    const bool may_be_paused = extras && extras->from_pause;
    for (;;) {
        if (events && events->may_hold_run()) scheduler.hold(events->holds_run());
        if (may_be_paused && request.pause_token().stop_requested()) scheduler.pause();
        if (const branch_index ready = scheduler.start_next(); ready != no_index) {
            nodes.start(ready, left);
        } else {
            --left;
            const auto next = scheduler.next();
            if (!next) break;
            perform(*next);
            if (next->what == action::kind::finish) return;
        }
        if (left > 0) continue;
        go_on_soon();
        break;
    }
    is_performing = false;
    nodes.enter(nullptr);
    begin_wait();
    // Else at the end of the loop's turn, if it still waits: most waits are over sooner than that.
    if (!is_time_open) rest();
}

void run::perform(const action& next)
{
    switch (next.what) {
    case action::kind::start_node: {
        int left = 1;
        return nodes.start(next.branch, left);
    }
    case action::kind::choose_edge: return run_routing{*this}.choose_edge(next.branch);
    case action::kind::stop_node: return nodes.stop(next.branch);
    case action::kind::wait:
        if (next.delay.count() <= 0) return scheduler().retry_due(next.branch);
        return extra().timers.arm(next.branch, run_timers::use::retry, next.delay);
    case action::kind::stop_waiting: return extra().timers.disarm(next.branch, run_timers::use::retry);
    case action::kind::arm_branch: return extra().timers.arm(next.branch, run_timers::use::branch, next.delay);
    case action::kind::disarm_branch: return extra().timers.disarm(next.branch, run_timers::use::branch);
    case action::kind::decide: return nodes.decide(next.branch);
    case action::kind::save: return save(next);
    case action::kind::drop_node: return drop_parked(*this, next.branch);
    case action::kind::all_parked: return park_in_outer(*this, true);
    case action::kind::notice: return events->notify_notice(next);
    case action::kind::finish: return finish();
    }
}

void run::finish()
{
    park_in_outer(*this, false);
    forget_wake_up();
    if (extras) extras->disarm();
    if (events) events->notify_ended();
    const bool has_waited = std::exchange(is_waiting, false);
    const intrusive_ptr<run> own_reference{has_waited ? this : nullptr, false};
    if (has_waited) loop.remove_work();
    // Last: it resumes the caller, which may destroy the loop, the store and the graph's owner.
    if (run_waiter* const hears = std::exchange(waiter, nullptr)) hears->run_ended(*this);
}

void run::pause()
{
    const intrusive_ptr<run> alive{this};
    scheduler().pause();
    if (extras) extras->inner.pause_all();
    go_on();
}

void run::cancel(std::optional<std::chrono::nanoseconds> grace)
{
    const intrusive_ptr<run> alive{this};
    if (grace) extra().grace = grace;
    // Before their nodes stop: afterwards nothing says where the runs inside stood.
    if (extras) extras->inner.note_places();
    scheduler().stop();
    go_on();
}

void run::lose(failure_ptr cause)
{
    const intrusive_ptr<run> alive{this};
    // A save under way would be refused by the store, and waiting for that refusal keeps the run from its end.
    if (extras && extras->saving) extras->saving->give_up();
    scheduler().save_failed(std::move(cause));
    go_on();
}

void run::abandon()
{
    if (!std::exchange(waiter, nullptr)) return;
    // What the destroyed nodes report comes into `pump`.
    is_performing = true;  // nothing is performed any more
    park_in_outer(*this, false);
    if (extras) extras->disarm();
    if (extras && extras->saving) extras->saving->destroy();
    nodes.destroy_all();
    if (is_waiting) intrusive_ptr_release(this);
}

event_stream run::subscribe(slow_subscriber rule)
{
    if (!events) events = std::make_unique<run_events>(*this);
    // Runs that are not watched do not even make the notices.
    scheduler().give_notices();
    return events->subscribe(rule);
}

void run::lie_within(run_core& outer, branch_index branch)
{
    extra().outer = {&outer, branch, places_of(outer, *outer.nodes.find(branch)).address()};
    if (outer.scheduler().restart().is_left()) scheduler().restart().leave();
}

run_questions& run::questions() { return extra().questions; }

void run::emit(const node_context& from, std::string_view kind, std::string_view text)
{
    // A node that shows something is not idle.
    nodes.note_output(from);
    if (events) events->notify_output(from, kind, text);
}

std::shared_ptr<budget_ledger> run::budget() const noexcept { return extras ? extras->ledger : nullptr; }

std::shared_ptr<const trace_context> run::trace(const node_context& from) const
{
    const std::shared_ptr<const trace_context>& own = request.trace_of();
    if (!own || !own->recorder) return own;
    const std::uint64_t visit = span_within(own->place().span, from.node(), from.visit(), from.attempt());
    return std::make_shared<const trace_context>(own->within(visit));
}

std::string run::purpose() const
{
    std::string own = graph.purpose();
    if (own.empty() && extras && extras->outer.run) return extras->outer.run->purpose();
    return own;
}

std::shared_ptr<const item_space> run::memory(const node_context& from) const
{
    std::shared_ptr<const item_space> whole = request.limits().memory();
    if (whole && extras && extras->outer.run) {  // that of the node around, whose graph may say which
        const outer_node& outer = extras->outer;
        whole = outer.run->memory(outer.run->nodes.find(outer.branch)->context());
    }
    const graph_memory* const own = graph.memory();
    if (!whole || !own) return whole;
    const item_limits limits{own->items_max, own->value_bytes_max, own->keep_for};
    return std::make_shared<const item_space>(whole->below(scope_of(*own, from)).limited(limits));
}

run_remaining run::remaining() const
{
    run_remaining left;
    if (const std::uint32_t most = request.limits().steps_max(); most != 0)
        left.steps = most - std::min(most, scheduler().where().steps);
    const run_core& all = outermost();
    if (const std::chrono::nanoseconds most = all.request.limits().elapsed_max(); most.count() > 0)
        left.elapsed = std::max(most - all.elapsed(), std::chrono::nanoseconds{0});
    if (const auto ledger = budget()) {
        left.tokens = ledger->tokens_left();
        left.cost = ledger->cost_left();
    }
    return left;
}

std::size_t run::cancel_branches(const node_context& from, const branch_choice& which)
{
    const std::size_t count = scheduler().cancel_branches(nodes.branch_of(from), which);
    // The caller is a coroutine of this run: what is performed here and now could destroy it.
    if (!is_performing) go_on_soon();
    return count;
}

void run::record_calls() { extra().calls = std::make_unique<call_records>(); }

call_record* run::record_of_calls(const node_context& from)
{
    run_core& all = outermost();
    if (!all.events || !all.extras || !all.extras->calls) return nullptr;
    std::string path = std::to_string(nodes.branch_of(from)) + ':' + std::string{from.node()};
    const run_core* at = this;
    while (at->extras && at->extras->outer.run) {
        const outer_node& outer = at->extras->outer;
        path.append("/" + std::to_string(outer.branch) + ':');
        path.append(outer.run->nodes.find(outer.branch)->context().node());
        at = outer.run;
    }
    return &all.extras->calls->of(path);
}

task<command> run::run_inside(node_context& node, const subgraph& what)
{
    return extra().inner.run_inside(node, what);
}

task<boost::json::value> run::interrupt(node_context& node, question asked)
{
    node_run& work = nodes.work_of(node);
    std::string address = places_of(*this, work).next(asked.name);
    return outermost().extra().questions.ask(*this, work, std::move(address), std::move(asked));
}

bool run::keeps_effects() const noexcept
{
    const run_core& all = outermost();
    return all.extras && all.extras->questions.journal();
}

task<boost::json::value> run::once(node_context& node, std::string name, const effect_options& options,
                                   effect_call& call)
{
    return effect_once(*this, node, std::move(name), options, call);
}

effect_context run::name_effect(node_context& node, std::string_view name)
{
    return weft::name_effect(*this, node, name);
}

}  // namespace weft
