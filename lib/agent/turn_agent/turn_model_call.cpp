#include "agent/conversation/new_input.hpp"
#include "agent/core/model_call.hpp"
#include "agent/guard/guarded_reply.hpp"
#include "turn_nodes.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/model/model_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace weft::agent_detail {

namespace json = boost::json;

namespace {

/** What came of asking models in a turn: what is recorded of it. */
struct recorded_turn {
    turn_reply reply{};
    usd_micros cost{};
    agent_outcome outcome = agent_outcome::none;
    turn_trouble trouble = turn_trouble::none;
    std::string why{};
    std::optional<std::string> cause{};
    std::uint32_t tier = 0;

    void end(agent_outcome how, turn_trouble because, std::string text)
    {
        outcome = how;
        trouble = because;
        why = std::move(text);
    }
};
BOOST_DESCRIBE_STRUCT(recorded_turn, (), (reply, cost, outcome, trouble, why, cause, tier))

task<void> pause_for(std::chrono::nanoseconds span) { co_await sleep_for(span); }

/** The models of a turn, asked until one answers or the cascade ends. All that it refers to outlives it. */
class turn_call {
public:
    turn_call(const turn_parts& parts, node_context& node, const turn_record& agent, agent_inbox& inbox,
              chat_request request, chat_sink& sink)
        : parts_{parts}, node_{node}, agent_{agent}, inbox_{inbox}, sink_{sink}, request_{std::move(request)}
    {
    }
    /** As an effect. */
    task<recorded_turn> operator()(const effect_context& effect) const { return ask_all(*this, effect.key()); }

    static task<recorded_turn> ask_all(const turn_call& self, std::string key);

private:
    struct attempt {
        chat_reply reply;
        std::exception_ptr failed;
    };
    static task<void> ask(const turn_call& self, std::size_t tier, std::string key, attempt& into);
    /** Waits. @return False if the agent was ended meanwhile. */
    static task<bool> wait(const turn_call& self, std::chrono::nanoseconds span);
    /** What needs no cascade: somebody ended it, or the run's budget is used up. */
    [[nodiscard]] bool is_ended_by(const std::exception_ptr& cause, recorded_turn& kept) const;
    void count(const chat_reply& reply, recorded_turn& kept) const
    {
        kept.reply.usage += reply.usage;
        if (reply.cost) kept.cost += *reply.cost;
    }
    /** A cap on what it costs can only be kept if each reply says what it cost. */
    void check_cost(const chat_reply& reply, recorded_turn& kept) const
    {
        if (!parts_.options.requires_cost || reply.cost) return;
        kept.end(agent_outcome::failed, turn_trouble::context_error,
                 "its cost is limited, and the model '" + reply.model +
                     "' has no price: add it to the table of prices, or leave the limit out");
        kept.cause = std::string{name_of(errc::invalid_configuration)};
    }

    const turn_parts& parts_;
    node_context& node_;
    const turn_record& agent_;
    agent_inbox& inbox_;
    chat_sink& sink_;
    chat_request request_;
};

task<void> turn_call::ask(const turn_call& self, std::size_t tier, std::string key, attempt& into)
{
    chat_request request = self.request_;
    request.call_id = std::move(key);
    model_call_options options;
    options.is_recorded = false;  // all attempts together are the effect
    options.retracts_failed = true;
    options.sink = &self.sink_;
    options.stop = self.inbox_.abort_token();
    try {
        model_call asking{*self.parts_.options.models[tier], std::move(request), self.node_, options};
        chat_reply& reply = co_await asking;
        into.reply = std::move(reply);
    } catch (const model_error& e) {
        into.failed = std::current_exception();
        into.reply.usage = e.partial().usage;
        into.reply.cost = e.partial().cost;
    } catch (...) {
        into.failed = std::current_exception();
    }
}

task<bool> turn_call::wait(const turn_call& self, std::chrono::nanoseconds span)
{
    bool is_over = false;
    try {
        task<void> waiting = pause_for(span);
        task<void> stoppable = with_stop(std::move(waiting), self.inbox_.abort_token());
        co_await std::move(stoppable);
        is_over = true;
    } catch (const error& e) {
        if (e.code() != errc::cancelled || self.node_.stop_requested()) throw;
    }
    co_return is_over;
}

bool turn_call::is_ended_by(const std::exception_ptr& cause, recorded_turn& kept) const
{
    const errc code = code_of(cause);
    if (code == errc::cancelled && inbox_.is_aborted())
        kept.end(agent_outcome::aborted, turn_trouble::abort, "it was asked to stop");
    else if (code == errc::budget_exhausted)
        kept.end(agent_outcome::aborted, turn_trouble::budget_exhausted, text_of(cause));
    return kept.outcome != agent_outcome::none;
}

task<recorded_turn> turn_call::ask_all(const turn_call& self, std::string key)
{
    recorded_turn kept;
    error_cascade cascade;
    cascade.tier = self.agent_.tier;
    for (;;) {
        attempt made;
        co_await ask(self, cascade.tier, key, made);
        self.count(made.reply, kept);
        if (!made.failed) {
            kept.reply.message = std::move(made.reply.message);
            kept.reply.stop = made.reply.stop;
            self.check_cost(made.reply, kept);
            kept.reply.model = std::move(made.reply.model);
            break;
        }
        if (code_of(made.failed) == errc::cancelled && self.node_.stop_requested()) std::rethrow_exception(made.failed);
        if (self.is_ended_by(made.failed, kept)) break;
        const model_trouble what{made.failed};
        error_cascade::step next =
            cascade.failed(what, self.agent_, self.parts_.options.cascade, self.parts_.options.models.size(),
                           self.node_.loop().random().uniform());
        if (next.action == model_error_action::fail) {
            kept.end(agent_outcome::failed,
                     what.may_pass ? turn_trouble::llm_transport_error : turn_trouble::llm_protocol_error,
                     std::move(next.why));
            kept.cause = std::string{name_of(what.code)};
        }
        self.node_.emit(agent_event::warning, "the model failed: " + text_of(made.failed));
        if (next.action != model_error_action::retry) break;
        if (next.pause.count() == 0) continue;
        const bool goes_on = co_await wait(self, next.pause);
        if (goes_on) continue;
        kept.end(agent_outcome::aborted, turn_trouble::abort, "it was asked to stop");
        break;
    }
    kept.tier = static_cast<std::uint32_t>(cascade.tier);
    co_return kept;
}

/** The models of a turn as one, whose reply comes after all attempts. All that it refers to outlives it, and it its
 *  tasks. */
class turn_models final : public reply_source {
public:
    turn_models(const turn_parts& parts, node_context& node, const turn_record& agent, agent_inbox& inbox)
        : parts_{parts}, node_{node}, agent_{agent}, inbox_{inbox}
    {
    }
    /** Leaves in `outcome` what came of it; the message of the reply is in what this gives. */
    task<chat_reply> ask(chat_request request, chat_sink& sink) override
    {
        return ask_once(*this, std::move(request), sink);
    }

    recorded_turn outcome;

private:
    static task<chat_reply> ask_once(turn_models& self, chat_request request, chat_sink& sink)
    {
        const turn_call call{self.parts_, self.node_, self.agent_, self.inbox_, std::move(request), sink};
        if (self.node_.host().keeps_effects()) {
            recorded_turn written = co_await self.node_.once("reply", call);
            self.outcome = std::move(written);
        } else {
            task<recorded_turn> asking = turn_call::ask_all(call, std::string{});
            recorded_turn made = co_await std::move(asking);
            self.outcome = std::move(made);
        }
        chat_reply reply;
        if (self.outcome.reply.message) reply.message = std::move(*self.outcome.reply.message);
        co_return reply;
    }

    const turn_parts& parts_;
    node_context& node_;
    const turn_record& agent_;
    agent_inbox& inbox_;
};

std::string composed_system(const turn_parts& parts, node_context& node)
{
    if (!parts.options.turn_sections) return parts.system;
    std::vector<prompt_section> sections = parts.options.sections;
    std::vector<prompt_section> more = parts.options.turn_sections(node);
    std::move(more.begin(), more.end(), std::back_inserter(sections));
    composed_prompt prompt = compose(sections, parts.options.prompt);
    for (const section_report& section : prompt.sections)
        if (section.fate == section_fate::dropped)
            node.emit(agent_event::warning,
                      "the section '" + section.id + "' of the prompt was left out: " + section.why);
    return std::move(prompt.text);
}

/** With what the graph around the agent is for. */
std::string system_of(const turn_parts& parts, node_context& node)
{
    std::string text = composed_system(parts, node);
    const std::string purpose = node.purpose();
    if (!purpose.empty()) text.append(text.empty() ? "" : "\n\n").append(purpose);
    return text;
}

chat_request request_for(const turn_parts& parts, node_context& node)
{
    view_options options = parts.options.view;
    options.system = system_of(parts, node);
    options.has_tools = true;
    const std::shared_ptr<const conversation_view>* const last = node.find(turn_keys::view);
    const std::shared_ptr<const conversation_view> before = last ? *last : nullptr;
    const conversation* const talk = node.find(turn_keys::talk);
    auto view = std::make_shared<const conversation_view>(
        view_of(talk ? *talk : conversation{}, options, before.get()));
    for (const view_note& note : view->notes)
        if (note.what == view_note::kind::over_budget) node.emit(agent_event::warning, note.text);
    chat_request request{view->messages};
    request.tools = parts.specs;
    request.temperature = parts.options.temperature;
    request.output_max = parts.options.output_max;
    node.set(turn_keys::view, std::move(view));
    return request;
}

/** What somebody says to the model anew, for guardrails. */
std::optional<std::string> input_of_turn(const turn_parts& parts, const node_context& node)
{
    const conversation* const talk = node.find(turn_keys::talk);
    return talk ? new_input(*talk, parts.options.view.lane) : std::nullopt;
}

void tell_message(node_context& node, const turn_reply& reply)
{
    json::object told{{"stop", json::string_view{name_of(reply.stop)}}, {"usage", json::value_from(reply.usage)}};
    if (!reply.model.empty()) told.emplace("model", reply.model);
    emit_object(node, agent_event::message_end, told);
    if (reply.stop == stop_reason::length)
        node.emit(agent_event::warning, "the reply was cut at the limit of tokens: raise output_max");
}

/** Writes the turn into the state. */
void write_turn(recorded_turn kept, std::chrono::nanoseconds elapsed, turn_record record, node_context& node)
{
    record.used += kept.reply.usage.total();
    record.cost += kept.cost;
    record.working_ns += elapsed.count();
    count_elapsed(record, node);
    record.tier = kept.tier;
    end_turns(record, kept.outcome, kept.trouble, std::move(kept.why));
    record.cause = std::move(kept.cause);
    if (kept.reply.message) tell_message(node, kept.reply);
    node.set(turn_keys::reply, std::move(kept.reply));
    node.set(turn_keys::record, std::move(record));
}

}  // namespace

task<void> call_turn_model(std::shared_ptr<const turn_parts> parts, node_context& node)
{
    turn_record record = node.get(turn_keys::record);
    ++record.turns;
    emit_object(node, agent_event::turn_start, {{"turn", record.turns}});
    agent_inbox inbox{parts->options.mailbox, turn_address(*parts, node)};
    const time_point began = node.loop().now();
    model_call_options options;
    options.text_event = agent_event::message_delta;
    options.guards = parts->options.guards.get();
    if (options.guards) options.input = input_of_turn(*parts, node);
    turn_models models{*parts, node, record, inbox};
    model_call asking{models, request_for(*parts, node), node, options};
    chat_reply& reply = co_await asking;
    if (models.outcome.reply.message) models.outcome.reply.message = std::move(reply.message);
    write_turn(std::move(models.outcome), node.loop().now() - began, std::move(record), node);
}

}  // namespace weft::agent_detail
