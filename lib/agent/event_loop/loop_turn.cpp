#include "agent/conversation/new_input.hpp"
#include "agent/conversation/summary_writer.hpp"
#include "agent/core/dry_run_model.hpp"
#include "agent/core/model_call.hpp"
#include "loop_parts.hpp"

#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/describe/class.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

view_options view_options_of(const loop_parts& parts, const event_loop_memory& memory, const std::string& lane,
                             const std::string& system)
{
    view_options how;
    how.lane = lane;
    how.system = system;
    how.budget = parts.limits().context_max;
    how.estimator = memory.estimator;
    how.continue_with = "[Continue working on your current task.]";
    return how;
}

chat_request request_of_turn(const loop_parts& parts, const offered_tools& offered, const conversation_view& view)
{
    const event_loop_settings& settings = parts.options.settings;
    chat_request request{view.messages};
    request.tools = offered.specs;
    request.model = settings.model;
    request.temperature = settings.temperature;
    if (settings.output_max) request.output_max = tokens{*settings.output_max};
    return request;
}

/** How the model is asked. A dry run has no guardrails. */
model_call_options call_options_of(const loop_parts& parts, const conversation& talk, const loop_brief& brief,
                                   std::string_view lane)
{
    model_call_options options;
    options.text_event = parts.rules.faces_client ? agent_event::output : agent_event::internal_output;
    options.is_recorded = parts.options.once;
    options.node_name = brief.node;
    if (!parts.model) return options;
    options.guards = parts.options.guards.get();
    if (options.guards) options.input = new_input(talk, lane);
    return options;
}

/** Asks the model, or what stands in for it, and has the guardrails look at what the reply says by the loop's own
 *  tools. All but the request outlives the task. */
task<chat_reply> ask_in_loop(const loop_parts& parts, chat_request request, node_context& node,
                             const model_call_options& options)
{
    dry_run_model dry_run{[&parts, &node](const chat_request&) {
        return parts.options.rehearsal->reply(node.get(loop_state));
    }};
    chat_model& model = parts.model ? *parts.model : dry_run;
    list<message> sent;
    if (options.guards) sent = request.messages;
    model_call asking{model, std::move(request), node, options};
    chat_reply& reply = co_await asking;
    if (options.guards) {
        const guard_place place{"node '" + std::string{options.node_name} + "'", &node};
        co_await look_at_own_calls(parts, place, std::move(sent), reply.message);
    }
    co_return std::move(reply);
}

/** The calls of tools that do something. */
std::vector<tool_call> real_calls(const loop_parts& parts, const std::vector<tool_call>& calls)
{
    std::vector<tool_call> real;
    for (const tool_call& call : calls)
        if (!parts.own.has(call.name) || call.name == "delegate_to_sub_agent") real.push_back(call);
    return real;
}

void warn_of_view(const conversation_view& view, node_context& node)
{
    for (const view_note& note : view.notes) node.emit(agent_event::warning, note.text);
}

}  // namespace

task<command> turn_loop(std::shared_ptr<const loop_parts> parts, node_context& node)
{
    if (parts->options.mailbox) parts->options.mailbox->confirm(node.thread());
    event_loop_memory memory = node.get(loop_state);
    conversation talk = node.get(loop_talk);
    const loop_brief& brief = node.get(loop_start);
    const provenance from = loop_provenance(*parts, brief, message_author::model);
    const auto* const last_view = node.find(loop_view);
    auto view = std::make_shared<const conversation_view>(
        view_of(talk, view_options_of(*parts, memory, from.lane, node.get(loop_prompt)),
                last_view ? last_view->get() : nullptr));
    warn_of_view(*view, node);
    const std::shared_ptr<const offered_tools> offered = offered_in_visit(*parts, node, brief.phases);
    const tokens expected = memory.estimator.estimate_for(view->estimated) + offered->estimate;
    const model_call_options options = call_options_of(*parts, talk, brief, from.lane);
    task<chat_reply> asking = ask_in_loop(*parts, request_of_turn(*parts, *offered, *view), node, options);
    chat_reply reply = co_await std::move(asking);
    if (reply.stop == stop_reason::length)
        node.emit(agent_event::warning, "the reply was cut at the limit of tokens: raise output_max");
    memory.estimator.learn(expected, reply.usage);
    memory.used += reply.usage.total();
    const std::vector<tool_call>& calls = reply.message.tool_calls;
    std::string text = reply.message.text();
    if (text.empty()) text = reply.message.refusal();
    const bool has_calls = !calls.empty();
    const bool is_empty = !has_calls && is_blank(text);
    note_reply(memory, std::move(text), calls.size(), real_calls(*parts, calls));
    if (!is_empty) loop_say(node, talk, std::move(reply.message), from);  // providers refuse empty messages
    node.set(loop_view, std::move(view));
    node.set(loop_state, std::move(memory));
    co_return command::label(has_calls ? "act" : "settle");
}

namespace {

/** What of a summary is recorded. */
struct loop_summary {
    std::string text{};
    std::string failure{};
};
BOOST_DESCRIBE_STRUCT(loop_summary, (), (text, failure))

class loop_summary_call {
public:
    loop_summary_call(const loop_parts& parts, summary_job job, summary_rules rules, node_context& node)
        : parts_{&parts}, job_{std::move(job)}, rules_{std::move(rules)}, node_{&node}
    {
    }
    task<loop_summary> operator()(const effect_context&) const { return make(*this); }

private:
    static task<loop_summary> make(const loop_summary_call& self)
    {
        summary_job job = self.job_;
        job.request.budget = self.node_->budget();
        summary_rules rules = self.rules_;
        written_summary written = co_await write_summary(self.parts_->model, std::move(job), std::move(rules));
        emit_usage(*self.node_, written.usage);
        loop_summary kept{std::move(written.text), std::move(written.failure)};
        co_return kept;
    }

    const loop_parts* parts_;
    summary_job job_;
    summary_rules rules_;
    node_context* node_;
};

}  // namespace

task<command> summarise_loop(std::shared_ptr<const loop_parts> parts, node_context& node)
{
    if (!parts->model) co_return command::next();
    conversation talk = node.get(loop_talk);
    const provenance by = loop_provenance(*parts, node.get(loop_start));
    summary_rules rules;
    rules.attempts_max = 1;  // the model of the loop makes failed calls again
    summary_plan plan{by.lane, rules};
    std::optional<summary_job> job = plan.start(talk, true);
    if (!job) co_return command::next();
    const loop_summary_call call{*parts, std::move(*job), rules, node};
    loop_summary kept = co_await node.once("summary", call);
    written_summary written;
    written.text = std::move(kept.text);
    written.failure = std::move(kept.failure);
    const applied_summary applied = plan.finish(talk, written, by);
    if (!written.failure.empty())
        node.emit(agent_event::warning, "the conversation was not summarised: " + written.failure);
    if (applied.change) {
        node.set(loop_talk, *applied.change);
        node.emit(agent_event::context_compacted, "{\"summary\":true}");
    }
    co_return command::next();
}

}  // namespace weft::agent_detail
