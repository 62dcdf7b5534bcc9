#include "run_orders.hpp"

#include "serve/schedule/webhook_url.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"
#include "sent_tools.hpp"
#include "threads.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** What the server says of a run beside what the client did, so that it can be found and shown. */
std::string metadata_of(const run_body& body, const assistant& of)
{
    object metadata = body.metadata;
    metadata["assistant_id"] = of.id;
    metadata["graph_id"] = of.graph;
    metadata[run_notes::strategy] = strategy_names[static_cast<std::size_t>(body.on_busy)];
    if (body.checkpoint) metadata[run_notes::from] = *body.checkpoint;
    // A client that joins the run sees what the one that began it wanted to see.
    metadata[run_notes::stream] = object{{"modes", names_of(body.view.modes)}, {"subgraphs", body.view.has_subgraphs}};
    return boost::json::serialize(metadata);
}

task<stored_thread> thread_for(serve_core& core, thread_key key, bool makes_it)
{
    if (makes_it) (void)co_await core.stores.service->threads().create(key, "{}");
    co_return co_await require_thread(core, std::move(key));
}

/** Chats are listed by graph and assistant, which the thread gets from its runs. */
task<void> note_assistant(serve_core& core, const stored_thread& of, const assistant& used)
{
    const object known = object_in(of.metadata);
    const value* const graph = known.if_contains("graph_id");
    const value* const id = known.if_contains("assistant_id");
    // Most runs of a thread are of one assistant: one look instead of a write for each.
    if (graph && *graph == value(used.graph) && id && *id == value(used.id)) co_return;
    thread_change change;
    object added;
    added["graph_id"] = used.graph;
    added["assistant_id"] = used.id;
    change.metadata = boost::json::serialize(added);
    (void)co_await core.stores.service->threads().update(of.thread, std::move(change));
}

[[noreturn]] void refuse_order(const run_body& body, std::string_view member, std::string_view why)
{
    throw http_error{422, "invalid_body", body.place + '.' + std::string{member} + ": " + std::string{why}};
}

/** Answers by the addresses of questions: those that the client names, else the only one that is open. */
question_answers answers_of(const run_body& body, const std::vector<open_question>& questions)
{
    const value& resume = *body.resume;
    if (questions.empty())
        throw http_error{422, "no_interrupt", body.place + ".command.resume: no question of the thread is open"};
    question_answers answers;
    if (resume.is_object()) {
        // An answer may be an object itself: only one whose names are all questions is a list of answers.
        bool is_by_address = !resume.get_object().empty();
        for (const auto& [address, answer] : resume.get_object())
            is_by_address &= std::any_of(questions.begin(), questions.end(),
                                         [&](const open_question& asked) { return asked.address == address; });
        if (is_by_address) {
            for (const auto& [address, answer] : resume.get_object()) answers.emplace(address, answer);
            return answers;
        }
    }
    if (questions.size() > 1) {
        std::string known;
        for (const open_question& asked : questions) known.append(known.empty() ? "" : ", ").append(asked.address);
        throw http_error{422, "ambiguous_resume",
                         body.place + ".command.resume: several questions are open; give an object by their ids: " +
                             known};
    }
    answers.emplace(questions.front().address, resume);
    return answers;
}

bool is_under_way(run_phase phase) noexcept
{
    return phase == run_phase::ready || phase == run_phase::running || phase == run_phase::queued;
}

busy_policy policy_for(const run_body& body, const std::optional<run_record>& active)
{
    // A run that another request, or another process, enters from now on is seen by the store.
    if (!active) return body.on_busy == run_body::strategy::reject ? busy_policy::reject : busy_policy::queue;
    // A run that waits for an answer gives way to a new input, as LangGraph has it.
    if (active->phase == run_phase::waiting) return busy_policy::replace;
    switch (body.on_busy) {
    case run_body::strategy::enqueue: return busy_policy::queue;
    case run_body::strategy::reject:
        if (is_under_way(active->phase))
            throw http_error{409, "thread_is_busy", "the thread has a run that is under way: " + active->id.text()};
        return busy_policy::queue;
    case run_body::strategy::interrupt:
    case run_body::strategy::rollback: break;
    }
    return busy_policy::replace;
}

/** All values of a state, to be written over those that the thread has now; a key without a value gets none. */
state_update values_of(const state& from)
{
    state_update result;
    const state_layout& layout = from.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const state_layout::slot& key = layout[slot];
        if (key.type->is_transient) continue;
        result.items().push_back({any_state_key{key.name, hash_of_name(key.name), key.type}, from.at(slot), true});
    }
    return result;
}

/** The values that a thread had before a run began. */
task<state_update> values_before(serve_core& core, const run_record& run, const weft::graph& of)
{
    constexpr std::size_t checkpoints_a_page = 100;
    history_page page;
    page.count_max = checkpoints_a_page;
    for (;;) {
        const std::vector<checkpoint_info> infos = co_await core.engine.history(run.thread, page);
        for (const checkpoint_info& info : infos) {
            page.before = info.sequence;
            if (info.run == run.id) continue;
            const thread_snapshot before = co_await core.engine.read(run.thread, info.sequence);
            co_return values_of(before.state());
        }
        if (infos.size() < checkpoints_a_page) break;
    }
    const state none{of.layout()};
    co_return values_of(none);
}

/** The values of a checkpoint; at the beginning there are none. */
task<state_update> values_at(serve_core& core, thread_key thread, std::int64_t checkpoint, const weft::graph& of)
{
    if (checkpoint == 0) {
        const state none{of.layout()};
        co_return values_of(none);
    }
    const thread_snapshot from = co_await core.engine.read(std::move(thread), checkpoint);
    co_return values_of(from.state());
}

/** Goes back to a checkpoint, from which the next run goes on without an input: another answer to the same words. */
task<void> go_back(serve_core& core, thread_key thread, const run_body& body, std::optional<run_record> active)
{
    const std::int64_t checkpoint = *body.checkpoint;
    if (active && is_under_way(active->phase))
        throw http_error{409, "thread_is_busy", "the thread has a run that is under way: " + active->id.text()};
    bool goes_on = false;
    if (checkpoint > 0) {
        const thread_snapshot from = co_await core.engine.read(thread, checkpoint);
        goes_on = from.is_unfinished();
    }
    if (!goes_on) refuse_order(body, "checkpoint", "no node would run next there: give an input");
    // A question that is open gives way, as it does to an input.
    if (active) (void)co_await core.engine.stop(thread);
    state_update nothing;
    (void)co_await core.engine.edit(thread, std::move(nothing), checkpoint);
}

/** @param given   What the client sends: it goes over what the thread had. */
task<void> fill_input(serve_core& core, run_order& order, const run_body& body, state_update given,
                      const std::optional<run_record>& active)
{
    // What the run did that is rolled back stays in the history, and no value of it in the state.
    const bool rolls_back = body.on_busy == run_body::strategy::rollback && active && is_under_way(active->phase);
    if (rolls_back && !body.checkpoint) order.input = co_await values_before(core, *active, order.graph->graph);
    // A thread has one line of checkpoints: what came between stays in the history, and its values are written over.
    if (body.checkpoint) {
        order.input = co_await values_at(core, *order.thread, *body.checkpoint, order.graph->graph);
    }
    for (state_update::item& item : given.items()) order.input.items().push_back(std::move(item));
}

/** What the client sends when a run begins. */
state_update read_input(const weft::graph& of, const run_body& body)
{
    const std::string where = body.place + ".input";
    state_update given = read_update(of, *body.input, where);
    settle_tools(of, *body.input, where, given);
    return given;
}

std::optional<wall_time> moment_after(const serve_core& core, std::optional<double> seconds)
{
    if (!seconds || *seconds <= 0) return std::nullopt;
    return core.loop.clock().system_now() + std::chrono::seconds{static_cast<std::int64_t>(*seconds)};
}

}  // namespace

// A server reaches machines that its clients do not, its own first of all.
void check_webhook(const serve_core& core, const run_body& body)
{
    if (body.webhook.empty()) return;
    if (const std::string fault = webhook_url_fault(body.webhook, core.options.webhooks); !fault.empty())
        refuse_order(body, "webhook", fault);
}

task<run_order> order_in_thread(serve_core& core, thread_key thread, run_body body)
{
    check_webhook(core, body);
    const assistant used = co_await require_assistant(core, thread.tenant, body.assistant, 422);
    run_order order;
    order.graph = graph_of(core, used);
    // Before the thread is made: what does not fit the graph leaves none behind.
    state_update given;
    if (body.input) given = read_input(order.graph->graph, body);
    order.id = body.id.is_nil() ? core.next_id<run_id>() : body.id;
    name_messages(order.id.text(), given);
    const stored_thread known = co_await thread_for(core, std::move(thread), body.makes_thread);
    order.thread = known.thread;
    order.tenant = known.thread.tenant;
    order.metadata = metadata_of(body, used);
    order.webhook = body.webhook;
    order.steps_max = body.steps_max;
    order.not_before = moment_after(core, body.after_seconds);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(known.thread);
    if (body.update && !body.input) {
        order.input = read_update(order.graph->graph, *body.update, body.place + ".command.update");
        name_messages(order.id.text(), order.input);
    }
    if (body.resume) {
        const std::vector<open_question> questions = co_await core.engine.questions(known.thread);
        order.what = run_order::kind::answer;
        order.answers = answers_of(body, questions);
        // The run that asks goes on: it keeps its id, its events and its effects.
        if (active) order.id = active->id;
    } else if (body.input) {
        order.busy = policy_for(body, active);
        co_await fill_input(core, order, body, std::move(given), active);
    } else {
        order.what = run_order::kind::go_on;
        if (body.checkpoint) co_await go_back(core, known.thread, body, active);
        else if (active) order.id = active->id;
    }
    co_await note_assistant(core, known, used);
    co_return order;
}

run_record ordered_record(const serve_core& core, const run_order& order)
{
    run_record ordered;
    ordered.id = order.id;
    ordered.thread = *order.thread;
    ordered.metadata = order.metadata;
    ordered.created = ordered.changed = core.loop.clock().system_now();
    return ordered;
}

task<run_order> order_alone(serve_core& core, std::string tenant, run_body body, bool is_kept)
{
    // A run in the background must be found again, one with a webhook must not get lost, and one that waits for a place
    // may get it elsewhere: so it has a thread, which goes when it is over.
    const bool is_queued = core.options.runs.performed_max.has_value() && !body.resume && !body.checkpoint;
    if (is_kept || is_queued || !body.webhook.empty()) {
        body.makes_thread = true;
        if (!body.input) body.input.emplace();
        const bool forgets = !body.keeps_thread;
        thread_key thread{core.next_id<run_id>().text(), std::move(tenant)};
        run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
        order.forgets_thread = forgets;
        co_return order;
    }
    if (body.resume || body.checkpoint)
        refuse_order(body, "command", "a run without a thread has nothing to go on with");
    const assistant used = co_await require_assistant(core, tenant, body.assistant, 422);
    run_order order;
    order.tenant = std::move(tenant);
    order.graph = graph_of(core, used);
    order.id = body.id.is_nil() ? core.next_id<run_id>() : body.id;
    order.steps_max = body.steps_max;
    if (body.input) order.input = read_input(order.graph->graph, body);
    name_messages(order.id.text(), order.input);
    co_return order;
}

}  // namespace weft::serve_detail
