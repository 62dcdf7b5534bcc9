#include "agent/conversation/new_input.hpp"
#include "agent/conversation/summary_writer.hpp"
#include "agent/guard/guarded_reply.hpp"
#include "agent/node/node_model.hpp"
#include "loop_parts.hpp"

#include <weft/agent/conversation/summary_plan.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/model/model_error.hpp>

#include <boost/describe/class.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

/** What of a reply is written down. */
struct loop_reply {
    weft::message message{};
    weft::usage usage{};
    stop_reason stop = stop_reason::unfinished;
};
BOOST_DESCRIBE_STRUCT(loop_reply, (), (message, usage, stop))

/** One call of the model, as an effect. */
class loop_call {
public:
    loop_call(const loop_parts& parts, chat_request request, node_context& node, chat_sink& sink)
        : parts_{&parts}, request_{std::move(request)}, node_{&node}, sink_{&sink}
    {
    }
    task<loop_reply> operator()(const effect_context& effect) const { return make(*this, effect.key()); }

private:
    static task<loop_reply> make(const loop_call& self, std::string key)
    {
        chat_request request = self.request_;
        request.call_id = std::move(key);
        chat_reply reply;
        if (!self.parts_->model) co_return rehearse(self);
        try {
            chat_reply whole = co_await self.parts_->model->reply(std::move(request), *self.sink_);
            reply = std::move(whole);
        } catch (const model_error& e) {
            tell_usage(*self.node_, e.partial().usage);
            throw;
        }
        tell_usage(*self.node_, reply.usage);
        loop_reply kept;
        kept.message = std::move(reply.message);
        kept.usage = reply.usage;
        kept.stop = reply.stop;
        co_return kept;
    }

    static loop_reply rehearse(const loop_call& self)
    {
        loop_reply kept;
        kept.message = self.parts_->options.rehearsal->reply(self.node_->get(loop_state));
        kept.stop = kept.message.tool_calls.empty() ? stop_reason::stop : stop_reason::tool_calls;
        if (const std::string text = kept.message.text(); !text.empty()) self.sink_->on_text(text);
        return kept;
    }

    const loop_parts* parts_;
    chat_request request_;
    node_context* node_;
    chat_sink* sink_;
};

/** The model of a loop as a turn asks it. What it is made of outlives it, and it its tasks. */
class loop_model final : public reply_source {
public:
    loop_model(const loop_parts& parts, node_context& node) : parts_{parts}, node_{node}, watchers_{node, how_}
    {
        how_.text_kind = parts.rules.faces_client ? "output" : "internal_output";
    }
    /** With the guardrails around it; a rehearsal has none. */
    task<chat_reply> reply(chat_request request, const conversation& talk, std::string_view lane)
    {
        if (!parts_.model || !parts_.options.guards) return ask(std::move(request), watchers_);
        return reply_guarded(*this, {std::move(request), new_input(talk, lane)});
    }
    task<chat_reply> ask(chat_request request, chat_sink& sink) override
    {
        return ask_once(*this, std::move(request), sink);
    }

private:
    static task<chat_reply> reply_guarded(loop_model& self, guarded_request asked)
    {
        const guard_place place{"node '" + self.node_.get(loop_start).node + "'", &self.node_};
        list<message> sent = asked.request.messages;
        chat_reply reply =
            co_await guarded_reply(self, std::move(asked), *self.parts_.options.guards, place, self.watchers_);
        co_await look_at_own_calls(self.parts_, place, std::move(sent), reply.message);
        co_return reply;
    }

    static task<chat_reply> ask_once(loop_model& self, chat_request request, chat_sink& sink)
    {
        const loop_call call{self.parts_, std::move(request), self.node_, sink};
        loop_reply kept;
        if (self.parts_.options.once) {
            loop_reply written = co_await self.node_.once("reply", call);
            kept = std::move(written);
        } else {
            const effect_context unkept;
            loop_reply made = co_await call(unkept);
            kept = std::move(made);
        }
        chat_reply reply;
        reply.message = std::move(kept.message);
        reply.usage = kept.usage;
        reply.stop = kept.stop;
        co_return reply;
    }

    const loop_parts& parts_;
    node_context& node_;
    model_call how_;
    to_watchers watchers_;
};

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

chat_request request_of_turn(const loop_parts& parts, const offered_tools& offered, const conversation_view& view,
                             node_context& node)
{
    const event_loop_settings& settings = parts.options.settings;
    chat_request request{view.messages};
    request.tools = offered.specs;
    request.model = settings.model;
    request.temperature = settings.temperature;
    if (settings.output_max) request.output_max = tokens{*settings.output_max};
    request.budget = node.budget();
    return request;
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
    for (const view_note& note : view.notes) node.emit("warning", note.text);
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
    loop_model model{*parts, node};
    task<chat_reply> asking = model.reply(request_of_turn(*parts, *offered, *view, node), talk, from.lane);
    chat_reply reply = co_await std::move(asking);
    if (reply.stop == stop_reason::length)
        node.emit("warning", "the reply was cut at the limit of tokens: raise output_max");
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

/** What of a summary is written down. */
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
        tell_usage(*self.node_, written.usage);
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
    if (!written.failure.empty()) node.emit("warning", "the conversation was not summarised: " + written.failure);
    if (applied.change) {
        node.set(loop_talk, *applied.change);
        node.emit("context_compacted", "{\"summary\":true}");
    }
    co_return command::next();
}

}  // namespace weft::agent_detail
