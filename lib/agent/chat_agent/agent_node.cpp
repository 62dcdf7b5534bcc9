#include "agent/conversation/background_summary.hpp"
#include "agent/conversation/new_input.hpp"
#include "agent/core/live_text.hpp"
#include "agent/core/model_call.hpp"
#include "agent/core/tool_step.hpp"
#include "agent/node/watched.hpp"
#include "agent_decision.hpp"
#include "agent_definition.hpp"

#include <weft/agent/conversation/agent_labels.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/model_error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::agent_detail {

// Not unnamed: the frames of coroutines have them as fields.

/** One visit of an agent's node: what it knows and says. The steps are functions, so that the coroutine is short. */
class agent_visit {
public:
    agent_visit(const agent_definition& own, node_context& node)
        : own_{own}, node_{node}, history_{node.value_or(agent_keys::conversation, {})}
    {
        estimator_ = node.value_or(agent_keys::estimator, {});
        status_ = node.value_or(agent_keys::status, {});
        view_ = node.value_or(agent_keys::last_view, nullptr);
        status_.called_tools = false;
        status_.failure.clear();
        status_.cause.reset();
    }

    static task<command> make(std::shared_ptr<const agent_definition> own, node_context& node);

private:
    static task<void> converse_watched(agent_visit& self, background_summary* summaries);
    static task<std::uint32_t> converse_with_model(agent_visit& self, background_summary* summaries);
    static task<chat_reply> ask(agent_visit& self);
    [[nodiscard]] chat_request make_request();
    [[nodiscard]] bool wants_summary() const;
    void add(message said, message_author author, std::string label = {});
    void take_reply(chat_reply& reply);
    void take_summary(background_summary& summaries);
    void note_summary(std::size_t scored, std::size_t summarized);
    void fail(const std::exception_ptr& cause);
    void decide();
    [[nodiscard]] bool has_workflow() const;
    [[nodiscard]] const char* way_on() const;
    [[nodiscard]] bool is_said_already(const std::string& text) const;

    const agent_definition& own_;
    node_context& node_;
    conversation history_;
    token_estimator estimator_;
    agent_status status_;
    std::shared_ptr<const conversation_view> view_;
    std::optional<input_diagnostics> diagnostics_;  // once it has changed
    std::shared_ptr<activity_flag> activity_ = std::make_shared<activity_flag>();
    tokens expected_{};
};

/** The text of a message as people read it; what else is in it stays. */
void show_only(message& said, const std::string& visible)
{
    std::erase_if(said.content, [](const content_part& part) { return std::holds_alternative<text_part>(part); });
    if (!visible.empty()) said.content.push_back(text_part{visible});
}

/** Whether a failed call ends the agent's work, and not the run. */
bool is_agent_error(const std::exception_ptr& cause, const node_context& node)
{
    try {
        std::rethrow_exception(cause);
    } catch (const model_error& failed) {
        return failed.code() != errc::cancelled && failed.code() != errc::budget_exhausted;
    } catch (const error& failed) {
        return failed.code() == errc::timeout && !node.stop_requested();
    } catch (const std::exception&) {
        return false;
    }
}

task<command> agent_visit::make(std::shared_ptr<const agent_definition> own, node_context& node)
{
    agent_visit self{*own, node};
    const task_context& context = co_await this_task::context();
    std::optional<background_summary> summaries;
    if (self.wants_summary()) {
        summaries.emplace(context, own->summary_model, summary_plan{"", own->options.summaries});
        if (summaries->start(self.history_)) self.note_summary(summaries->scored(), 0);
    }
    background_summary* const writer = summaries ? &*summaries : nullptr;
    std::exception_ptr failed;
    try {
        co_await converse_watched(self, writer);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed && !is_agent_error(failed, node)) std::rethrow_exception(failed);
    if (failed) self.fail(failed);
    else self.decide();
    // The summary joins the state of this visit: behind it there is nothing that could write it.
    if (summaries && summaries->is_under_way()) {
        co_await summaries->wait();
        self.take_summary(*summaries);
    }
    node.set(agent_keys::estimator, self.estimator_);
    node.set(agent_keys::last_view, std::move(self.view_));
    const char* const way = self.way_on();
    node.set(agent_keys::status, std::move(self.status_));
    co_return command::label(way);
}

/** Under a watchdog, if the options have one. */
task<void> agent_visit::converse_watched(agent_visit& self, background_summary* summaries)
{
    task<std::uint32_t> work = converse_with_model(self, summaries);
    if (self.own_.options.watch) {
        node_context& node = self.node_;
        std::function<void(std::uint32_t)> on_bump = [&node](std::uint32_t bump) {
            node.emit(agent_event::warning, "the agent is silent (" + std::to_string(bump) + ")");
        };
        std::string what = "node '" + std::string{node.node()} + "'";
        work = watched(std::move(work), self.activity_, *self.own_.options.watch, std::move(what), std::move(on_bump));
    }
    (void)co_await std::move(work);
}

/** Asks and uses tools until no more are called, or so often as a visit may. @return How often it asked. */
task<std::uint32_t> agent_visit::converse_with_model(agent_visit& self, background_summary* summaries)
{
    const std::uint32_t calls_max = std::max(self.own_.options.calls_max, std::uint32_t{1});
    std::uint32_t calls = 0;
    while (calls < calls_max) {
        ++calls;
        if (summaries) self.take_summary(*summaries);
        chat_reply reply = co_await ask(self);
        self.estimator_.learn(self.expected_, reply.usage);
        std::vector<tool_call> wanted = reply.message.tool_calls;
        self.take_reply(reply);
        if (wanted.empty()) break;
        self.status_.called_tools = true;
        std::vector<message> answers =
            co_await tool_step_messages(*self.own_.runner, std::move(wanted), self.node_, self.activity_);
        // The last tool may have been silent: its end is a sign of life for the watchdog.
        self.activity_->show();
        for (message& answer : answers) self.add(std::move(answer), message_author::tool);
    }
    co_return calls;
}

task<chat_reply> agent_visit::ask(agent_visit& self)
{
    chat_request request = self.make_request();
    if (self.history_.size() == 0)
        throw error{errc::missing_state_value, "node '" + std::string{self.node_.node()} + "'",
                    "nobody has said anything: give the run a value for the key 'input'"};
    model_call_options how;
    how.text_event = agent_event::delta;
    how.limit = self.own_.options.timeout;
    how.activity = self.activity_.get();
    how.guards = self.own_.options.guards.get();
    if (how.guards) how.input = new_input(self.history_, "");
    model_call asking{*self.own_.model, std::move(request), self.node_, how};
    chat_reply& reply = co_await asking;
    // Some models make calls up. A call without a result would be refused by the provider in the next request.
    const bool calls_tools = !reply.message.tool_calls.empty();
    if (calls_tools && !self.own_.runner) {
        self.node_.emit(agent_event::warning, "the model calls tools and has none: its calls are left out");
        reply.message.tool_calls.clear();
    }
    co_return std::move(reply);
}

chat_request agent_visit::make_request()
{
    view_options options = own_.view_for(estimator_);
    if (own_.options.prompt.tells_time) {
        const auto now = std::chrono::floor<std::chrono::minutes>(node_.loop().clock().system_now());
        options.system = agent_prompt_text(own_.options.prompt, now);
    }
    if (const std::string purpose = node_.purpose(); !purpose.empty())
        options.system.append(options.system.empty() ? "" : "\n\n").append(purpose);
    agent_detail::add_live_text(options.system, own_.options.live.get(), node_);
    view_ = std::make_shared<const conversation_view>(view_of(history_, options, view_.get()));
    expected_ = estimator_.estimate_for(view_->estimated) + own_.tools_estimate;
    chat_request request{view_->messages};
    request.tools = own_.tools;
    own_.options.sampling.apply_to(request);
    return request;
}

bool agent_visit::wants_summary() const
{
    const input_diagnostics* const found = node_.find(agent_keys::diagnostics);
    return found && found->summary_triggered && status_.loops == 0 && !status_.was_nudged;
}

void agent_visit::add(message said, message_author author, std::string label)
{
    conversation::options how;
    how.label = std::move(label);
    node_.set(agent_keys::conversation, history_.add(std::move(said), provenance_at(node_, author), std::move(how)));
}

void agent_visit::take_reply(chat_reply& reply)
{
    const std::string text = reply.message.text();
    const bool is_final = reply.message.tool_calls.empty();
    status_.outcome = read_completion(text);
    std::string visible = visible_reply(text, status_.outcome);
    if (is_final && visible.empty()) visible = reply.message.refusal();
    if (reply.stop == stop_reason::length)
        node_.emit(agent_event::warning, "the reply was cut at the model's limit of tokens");
    if (!visible.empty()) status_.reply = visible;
    // Models that are asked to go on often repeat their last words: people see them once.
    const bool is_new = !is_final || (!visible.empty() && !is_said_already(visible));
    if (!is_new) return;
    if (!visible.empty()) node_.emit(visible);
    show_only(reply.message, visible);
    add(std::move(reply.message), message_author::model);
}

/** Among the replies since the user spoke. */
bool agent_visit::is_said_already(const std::string& text) const
{
    for (lane_cursor at{history_, ""}; !at.is_done(); at.next()) {
        const message& said = at.entry().message;
        if (said.role == role::user) return false;
        if (said.role == role::assistant && said.tool_calls.empty()) return said.text() == text;
    }
    return false;
}

void agent_visit::take_summary(background_summary& summaries)
{
    if (!summaries.is_written()) return;
    applied_summary applied = summaries.take(history_, provenance_at(node_, message_author::model));
    if (applied.change) {
        node_.set(agent_keys::conversation, std::move(*applied.change));
        note_summary(0, applied.messages);
    } else if (!applied.why.empty()) {
        node_.emit(agent_event::warning, "older messages were not summarised: " + applied.why);
    }
}

/** What a summary adds to what the input handler found. */
void agent_visit::note_summary(std::size_t scored, std::size_t summarized)
{
    if (!diagnostics_) diagnostics_ = node_.value_or(agent_keys::diagnostics, {});
    diagnostics_->relevance_scored += static_cast<std::int64_t>(scored);
    diagnostics_->eviction_summarized += static_cast<std::int64_t>(summarized);
    node_.set(agent_keys::diagnostics, *diagnostics_);
}

void agent_visit::fail(const std::exception_ptr& cause)
{
    status_.failure = text_of(cause);
    status_.cause = std::string{name_of(code_of(cause))};
    status_.outcome = completion{};
    status_.outcome.what = completion_kind::blocked;
    status_.outcome.blocker = status_.failure;
    const agent_decision decision = decide_agent_failure(own_.options.is_sub_agent);
    apply_decision(status_, decision);
    status_.reply = "The model failed: " + status_.failure;
    node_.emit(status_.reply);
    add(message::assistant(status_.reply), message_author::program, agent_labels::error);
}

void agent_visit::decide()
{
    agent_facts facts;
    facts.said = status_.outcome.what;
    facts.called_tools = status_.called_tools;
    facts.was_nudged = status_.was_nudged;
    facts.workflow_running = has_workflow() || node_.value_or(agent_keys::workflow_running, false);
    facts.is_sub_agent = own_.options.is_sub_agent;
    const agent_decision decision = decide_agent_step(facts);
    apply_decision(status_, decision);
    if (decision.reminds)
        add(message::system(std::string{reminder_text()}), message_author::program, agent_labels::reminder);
    if (decision.tells_error) {
        status_.failure = no_block_text();
        node_.emit(no_block_text());
        add(message::assistant(std::string{no_block_text()}), message_author::program, agent_labels::error);
    }
}

/** Whether one waits to be run behind this visit. */
bool agent_visit::has_workflow() const
{
    if (!own_.runs_workflows) return false;
    const std::vector<agent_workflow>* const waiting = node_.find(agent_keys::workflows);
    return waiting && !waiting->empty();
}

/** The label of the way out. A failure of the model ends the turn, and workflows that it has started do not run. */
const char* agent_visit::way_on() const
{
    if (status_.next == agent_step::again) return "again";
    return status_.stop == agent_stop::workflow_running && has_workflow() ? "workflow" : "end";
}

task<command> work_as_agent(std::shared_ptr<const agent_definition> agent, node_context& node)
{
    return agent_visit::make(std::move(agent), node);
}

}  // namespace weft::agent_detail
