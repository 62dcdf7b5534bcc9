#include "agent/conversation/new_input.hpp"
#include "agent/core/live_text.hpp"
#include "agent/core/model_call.hpp"
#include "agent/core/node_warnings.hpp"
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

/** The models of a turn as one, asked until one of them answers or the cascade ends; all attempts together are one
 *  effect. All that it refers to outlives it, and it its tasks. */
class turn_models final : public reply_source {
public:
    turn_models(const turn_definition& definition, node_context& node, const turn_record& agent, agent_inbox& inbox)
        : definition_{definition}, node_{node}, agent_{agent}, inbox_{inbox}
    {
    }
    /** Leaves in `outcome` what came of it; the message of the reply is in what this gives. */
    task<chat_reply> ask(chat_request request, chat_sink& sink) override;

    recorded_turn outcome;

private:
    struct attempt {
        chat_reply reply;
        std::exception_ptr failed;
    };
    static task<recorded_turn> ask_all(const turn_models& self, const chat_request& request, chat_sink& sink,
                                       std::string key);
    /** Takes the request, which outlives the task, too. */
    static task<void> ask_one(const turn_models& self, std::size_t tier, chat_request& request, chat_sink& sink,
                              attempt& into);
    /** Waits. @return False if the agent was ended meanwhile. */
    static task<bool> wait(const turn_models& self, std::chrono::nanoseconds span);
    /** What needs no cascade: it was asked to stop, or the run's budget is used up. */
    [[nodiscard]] bool is_ended_by(const std::exception_ptr& cause, recorded_turn& recorded) const;
    /** Counts what an attempt took, and ends the agent if a cap on the cost cannot be enforced: each reply must say
     *  what it cost. */
    void count(const attempt& made, recorded_turn& recorded) const;

    const turn_definition& definition_;
    node_context& node_;
    const turn_record& agent_;
    agent_inbox& inbox_;
};

void turn_models::count(const attempt& made, recorded_turn& recorded) const
{
    recorded.reply.usage += made.reply.usage;
    if (made.reply.cost) recorded.cost += *made.reply.cost;
    if (made.failed || made.reply.cost || !definition_.options.requires_cost) return;
    recorded.end(agent_outcome::failed, turn_trouble::context_error,
                 "its cost is limited, and the model '" + made.reply.model +
                     "' has no price: add it to the table of prices, or leave the limit out");
    recorded.cause = std::string{name_of(errc::invalid_configuration)};
}

task<void> turn_models::ask_one(const turn_models& self, std::size_t tier, chat_request& request, chat_sink& sink,
                                attempt& into)
{
    model_call_options options;
    options.is_recorded = false;  // all attempts together are the effect
    options.retracts_failed = true;
    options.sink = &sink;
    options.stop = self.inbox_.abort_token();
    try {
        const turn_definition& definition = self.definition_;
        chat_model& model = self.node_.budget() ? *definition.paid_models[tier] : *definition.options.models[tier];
        model_call asking{model, std::move(request), self.node_, options};
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

task<bool> turn_models::wait(const turn_models& self, std::chrono::nanoseconds span)
{
    bool is_over = false;
    try {
        co_await with_stop(pause_for(span), self.inbox_.abort_token());
        is_over = true;
    } catch (const error& e) {
        if (e.code() != errc::cancelled || self.node_.stop_requested()) throw;
    }
    co_return is_over;
}

bool turn_models::is_ended_by(const std::exception_ptr& cause, recorded_turn& recorded) const
{
    const errc code = code_of(cause);
    if (code == errc::cancelled && inbox_.is_aborted())
        recorded.end(agent_outcome::aborted, turn_trouble::abort, "it was asked to stop");
    else if (code == errc::budget_exhausted)
        recorded.end(agent_outcome::aborted, turn_trouble::budget_exhausted, text_of(cause));
    return recorded.outcome != agent_outcome::none;
}

task<recorded_turn> turn_models::ask_all(const turn_models& self, const chat_request& request, chat_sink& sink,
                                         std::string key)
{
    recorded_turn recorded;
    error_cascade cascade;
    cascade.tier = self.agent_.tier;
    for (;;) {
        attempt made;
        chat_request asked = request;
        asked.call_id = key;
        co_await ask_one(self, cascade.tier, asked, sink, made);
        self.count(made, recorded);
        if (!made.failed) {
            recorded.reply.message = std::move(made.reply.message);
            recorded.reply.stop = made.reply.stop;
            recorded.reply.model = std::move(made.reply.model);
            break;
        }
        // The run is stopped: that is no failure of a model, and no attempt follows.
        if (code_of(made.failed) == errc::cancelled && self.node_.stop_requested()) std::rethrow_exception(made.failed);
        if (self.is_ended_by(made.failed, recorded)) break;
        const model_trouble what{made.failed};
        error_cascade::step next =
            cascade.failed(what, self.agent_, self.definition_.options.cascade, self.definition_.options.models.size(),
                           self.node_.loop().random().uniform());
        if (next.action == model_error_action::fail) {
            recorded.end(agent_outcome::failed,
                     what.may_pass ? turn_trouble::llm_transport_error : turn_trouble::llm_protocol_error,
                     std::move(next.why));
            recorded.cause = std::string{name_of(what.code)};
        }
        self.node_.emit(agent_event::warning, "the model failed: " + text_of(made.failed));
        if (next.action != model_error_action::retry) break;
        if (next.pause.count() == 0) continue;
        const bool goes_on = co_await wait(self, next.pause);
        if (goes_on) continue;
        recorded.end(agent_outcome::aborted, turn_trouble::abort, "it was asked to stop");
        break;
    }
    recorded.tier = static_cast<std::uint32_t>(cascade.tier);
    co_return recorded;
}

task<chat_reply> turn_models::ask(chat_request request, chat_sink& sink)
{
    const auto call = [&](const effect_context& effect) { return ask_all(*this, request, sink, effect.key()); };
    if (node_.host().keeps_effects()) {
        recorded_turn made = co_await node_.once("reply", call);
        outcome = std::move(made);
    } else {
        task<recorded_turn> asking = ask_all(*this, request, sink, std::string{});
        recorded_turn& made = co_await asking;
        outcome = std::move(made);
    }
    chat_reply reply;
    if (outcome.reply.message) reply.message = std::move(*outcome.reply.message);
    co_return reply;
}

std::string composed_system(const turn_definition& definition, node_context& node)
{
    if (!definition.options.turn_sections) return definition.system;
    std::vector<prompt_section> sections = definition.options.sections;
    std::vector<prompt_section> more = definition.options.turn_sections(node);
    std::move(more.begin(), more.end(), std::back_inserter(sections));
    composed_prompt prompt = compose(sections, definition.options.prompt);
    for (const section_report& section : prompt.sections)
        if (section.fate == section_fate::dropped)
            node.emit(agent_event::warning,
                      "the section '" + section.id + "' of the prompt was left out: " + section.why);
    return std::move(prompt.text);
}

/** With what the graph around the agent is for. */
std::string system_of(const turn_definition& definition, node_context& node)
{
    std::string text = composed_system(definition, node);
    const std::string purpose = node.purpose();
    if (!purpose.empty()) text.append(text.empty() ? "" : "\n\n").append(purpose);
    return text;
}

chat_request request_for(const turn_definition& definition, node_context& node)
{
    view_options options = definition.options.view;
    options.system = system_of(definition, node);
    agent_detail::add_live_text(options.system, definition.options.live.get(), node);
    options.has_tools = true;
    const std::shared_ptr<const conversation_view>* const last = node.find(turn_keys::view);
    const std::shared_ptr<const conversation_view> before = last ? *last : nullptr;
    auto view = std::make_shared<const conversation_view>(view_of(said_to(node), options, before.get()));
    for (const view_note& note : view->notes)
        if (note.what == view_note::kind::over_budget) node.emit(agent_event::warning, note.text);
    chat_request request{view->messages};
    request.tools = definition.specs;
    definition.options.sampling.apply_to(request);
    node.set(turn_keys::view, std::move(view));
    return request;
}

/** What is said to the model anew, for guardrails. */
std::optional<std::string> input_of_turn(const turn_definition& definition, const node_context& node)
{
    const conversation* const history = node.find(turn_keys::conversation);
    return history ? new_input(*history, definition.options.view.lane) : std::nullopt;
}

void tell_message(node_context& node, const turn_reply& reply)
{
    emit_object(node, agent_event::message_end, [&] {
        json::object told{{"stop", json::string_view{name_of(reply.stop)}}, {"usage", json::value_from(reply.usage)}};
        if (!reply.model.empty()) told.emplace("model", reply.model);
        return told;
    });
    warn_of_cut(reply.stop, node);
}

/** Writes the turn into the state. */
void write_turn(recorded_turn recorded, std::chrono::nanoseconds elapsed, turn_record record, node_context& node)
{
    record.used += recorded.reply.usage.total();
    record.cost += recorded.cost;
    record.working_ns += elapsed.count();
    count_elapsed(record, node);
    record.tier = recorded.tier;
    end_turns(record, recorded.outcome, recorded.trouble, std::move(recorded.why));
    record.cause = std::move(recorded.cause);
    if (recorded.reply.message) tell_message(node, recorded.reply);
    node.set(turn_keys::reply, std::move(recorded.reply));
    node.set(turn_keys::record, std::move(record));
}

}  // namespace

task<void> call_turn_model(std::shared_ptr<const turn_definition> definition, node_context& node)
{
    turn_record record = node.get(turn_keys::record);
    ++record.turns;
    emit_object(node, agent_event::turn_start, [&] { return json::object{{"turn", record.turns}}; });
    agent_inbox inbox{definition->options.mailbox, turn_address(*definition, node)};
    const time_point began = node.loop().now();
    model_call_options options;
    options.text_event = agent_event::message_delta;
    options.guards = definition->options.guards.get();
    if (options.guards) options.input = input_of_turn(*definition, node);
    turn_models models{*definition, node, record, inbox};
    model_call asking{models, request_for(*definition, node), node, options};
    chat_reply& reply = co_await asking;
    // Guardrails may have replaced the text since it was recorded.
    if (models.outcome.reply.message) models.outcome.reply.message = std::move(reply.message);
    write_turn(std::move(models.outcome), node.loop().now() - began, std::move(record), node);
}

}  // namespace weft::agent_detail
