#include "loop_steps.hpp"

#include "agent/conversation/new_input.hpp"
#include "agent/conversation/summary_writer.hpp"
#include "agent/core/dry_run_model.hpp"
#include "agent/core/live_text.hpp"
#include "agent/core/model_call.hpp"
#include "agent/core/node_warnings.hpp"

#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/describe/class.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

/** What the model is given of the conversation. */
std::shared_ptr<const conversation_view> view_of_turn(const loop_visit& visit)
{
    view_options how;
    how.lane = visit.by().lane;
    how.system = visit.node.get(loop_prompt);
    add_live_text(how.system, visit.loop.options().live.get(), visit.node);
    how.budget = visit.loop.limits().context_max;
    how.estimator = visit.memory.estimator;
    how.continue_with = "[Continue working on your current task.]";
    const auto* const last = visit.node.find(loop_view);
    auto view =
        std::make_shared<const conversation_view>(view_of(visit.history, how, last ? last->get() : nullptr));
    for (const view_note& note : view->notes) visit.warn(note.text);
    return view;
}

chat_request request_of_turn(const loop_definition& loop, const offered_tools& offered, const conversation_view& view)
{
    chat_request request{view.messages};
    request.tools = offered.specs;
    loop.settings().apply_to(request);
    return request;
}

/** How the model is asked. A dry run has no guardrails. */
model_call_options call_options_of(const loop_visit& visit)
{
    const loop_definition& loop = visit.loop;
    model_call_options options;
    options.text_event = loop.rules().faces_client ? agent_event::output : agent_event::internal_output;
    options.is_recorded = loop.options().once;
    options.node_name = visit.brief().node;
    if (!loop.model()) return options;
    options.guards = loop.options().guards.get();
    if (options.guards) options.input = new_input(visit.history, visit.by().lane);
    return options;
}

/** Asks the model, or what stands in for it, and has the guardrails look at what the reply says by the loop's own
 *  tools. All but the request outlives the task. */
task<chat_reply> ask_in_loop(const loop_definition& loop, chat_request request, node_context& node,
                             const model_call_options& options)
{
    dry_run_model dry_run{[&loop, &node](const chat_request&) {
        return loop.options().dry_run->reply(node.get(loop_state));
    }};
    chat_model& model = loop.model() ? *loop.model() : dry_run;
    list<message> sent;
    if (options.guards) sent = request.messages;
    model_call asking{model, std::move(request), node, options};
    chat_reply& reply = co_await asking;
    if (options.guards) {
        const guard_place place{"node '" + std::string{options.node_name} + "'", &node};
        co_await look_at_own_calls(loop, place, std::move(sent), reply.message);
    }
    co_return std::move(reply);
}

/** The calls of tools that do something. */
// Delegating counts as work, although the loop itself carries it out: a turn that only delegates is no stall.
std::vector<tool_call> real_calls(const loop_definition& loop, const std::vector<tool_call>& calls)
{
    std::vector<tool_call> real;
    for (const tool_call& call : calls)
        if (!loop.own().has(call.name) || call.name == "delegate_to_sub_agent") real.push_back(call);
    return real;
}

/** What the loop remembers of a reply, which joins the conversation.
 *  @return   Where it goes on. */
command take_reply(loop_visit& visit, chat_reply reply)
{
    warn_of_cut(reply.stop, visit.node);
    visit.memory.used += reply.usage.total();
    const std::vector<tool_call>& calls = reply.message.tool_calls;
    std::string text = reply.message.text();
    if (text.empty()) text = reply.message.refusal();
    const bool has_calls = !calls.empty();
    const bool is_empty = !has_calls && is_blank(text);
    note_reply(visit.memory, std::move(text), calls.size(), real_calls(visit.loop, calls));
    if (!is_empty) visit.say(std::move(reply.message), message_author::model);  // providers refuse empty messages
    return command::label(has_calls ? "act" : "settle");
}

}  // namespace

task<command> turn_loop(loop_ptr loop, node_context& node)
{
    // What was heard is part of the state that this step began with: only now does the mailbox drop it.
    if (loop->options().mailbox) loop->options().mailbox->confirm(node.thread());
    loop_visit visit{*loop, node};
    std::shared_ptr<const conversation_view> view = view_of_turn(visit);
    const std::shared_ptr<const offered_tools> offered = visit.offered();
    const tokens expected = visit.memory.estimator.estimate_for(view->estimated) + offered->estimate;
    const model_call_options options = call_options_of(visit);
    chat_request request = request_of_turn(*loop, *offered, *view);
    chat_reply reply = co_await ask_in_loop(*loop, std::move(request), node, options);
    visit.memory.estimator.learn(expected, reply.usage);
    command next = take_reply(visit, std::move(reply));
    node.set(loop_view, std::move(view));
    visit.save();
    co_return next;
}

namespace {

/** What of a summary is recorded. */
struct loop_summary {
    std::string text{};
    std::string failure{};
};
BOOST_DESCRIBE_STRUCT(loop_summary, (), (text, failure))

/** Writes a summary, as an effect. All that it refers to outlives it. */
class loop_summary_call {
public:
    loop_summary_call(const loop_visit& visit, summary_job job, summary_rules rules)
        : visit_{visit}, job_{std::move(job)}, rules_{std::move(rules)}
    {
    }
    task<loop_summary> operator()(const effect_context&) const { return make(*this); }

private:
    static task<loop_summary> make(const loop_summary_call& self)
    {
        summary_job job = self.job_;
        job.request.budget = self.visit_.node.budget();
        job.request.trace = self.visit_.node.trace();
        summary_rules rules = self.rules_;
        written_summary written = co_await write_summary(self.visit_.loop.model(), std::move(job), std::move(rules));
        emit_usage(self.visit_.node, written.usage);
        loop_summary recorded{std::move(written.text), std::move(written.failure)};
        co_return recorded;
    }

    const loop_visit& visit_;
    summary_job job_;
    summary_rules rules_;
};

}  // namespace

task<command> summarise_loop(loop_ptr loop, node_context& node)
{
    if (!loop->model()) co_return command::next();
    loop_visit visit{*loop, node};
    const provenance by = visit.by();
    summary_rules rules;
    // The summary is an effect of its own, so that a crash behind it does not pay for it twice.
    rules.attempts_max = 1;  // the model of the loop makes failed calls again
    summary_plan plan{by.lane, rules};
    std::optional<summary_job> job = plan.start(visit.history, true);
    if (!job) co_return command::next();
    const loop_summary_call call{visit, std::move(*job), rules};
    loop_summary recorded = co_await node.once("summary", call);
    written_summary written;
    written.text = std::move(recorded.text);
    written.failure = std::move(recorded.failure);
    const applied_summary applied = plan.finish(visit.history, written, by);
    if (!written.failure.empty()) visit.warn("the conversation was not summarised: " + written.failure);
    if (applied.change) {
        node.set(loop_conversation, *applied.change);
        node.emit(agent_event::context_compacted, "{\"summary\":true}");
    }
    co_return command::next();
}

}  // namespace weft::agent_detail
