#include "a2a_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"
#include "http_kind.hpp"
#include "remote_agent.hpp"
#include "remote_retry.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/environment_references.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft {

namespace {

using agent_detail::a2a_agent;
using agent_detail::a2a_exchange;
using agent_detail::a2a_plan;
using agent_detail::a2a_outgoing;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using a2a_plan_pointer = std::shared_ptr<const a2a_plan>;

// Words.

array first_content(const a2a_plan& plan, const node_context& node)
{
    if (plan.message) return {object{{"text", plan.message->fill(node).text}}};
    array parts;
    parts.push_back(object{{"data", agent_detail::object_of_reads(node, plan.reads, plan.keys)}});
    return parts;
}

std::string context_before(const a2a_plan& plan, const node_context& node)
{
    const std::string& key = plan.agent->settings.context;
    return key.empty() ? std::string{} : agent_detail::read_key(node, key).text;
}

std::string text_in(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

/** A question of an agent as one of ours: what it may say of times and defaults is its own affair. */
std::optional<question> foreign_question(const value& given)
{
    try {
        question asked = question_from_json(given);
        asked.expires_in = std::chrono::nanoseconds{0};
        asked.otherwise.reset();
        asked.keeps_run_awake = false;
        asked.name = question{}.name;
        if (!asked.fault().empty()) return std::nullopt;
        return asked;
    } catch (const error&) {
        return std::nullopt;
    }
}

/** The questions of a task that asks, with their ids; none: it asks in words alone. */
std::vector<std::pair<std::string, question>> questions_of(const object& left)
{
    std::vector<std::pair<std::string, question>> questions;
    const value* const given = left.if_contains("questions");
    if (!given || !given->is_array()) return questions;
    for (const value& one : given->get_array()) {
        const std::string id = one.is_object() ? text_in(one.get_object(), "id") : std::string{};
        std::optional<question> asked = id.empty() ? std::nullopt : foreign_question(one);
        if (!asked) return {};  // then all of them are asked in words
        questions.emplace_back(id, std::move(*asked));
    }
    return questions;
}

question question_as_text(const object& left)
{
    std::string said = text_in(left, "said");
    if (trimmed(said).empty()) said = "The agent waits for input.";
    return question{std::move(said)};
}

/** Asks what the agent asks. @return  The parts of the answer. */
task<array> answers_to(node_context& node, object left)
{
    std::vector<std::pair<std::string, question>> questions = questions_of(left);
    array parts;
    if (questions.empty()) {
        question asked = question_as_text(left);
        const std::string answer = co_await node.ask<std::string>(std::move(asked));
        parts.push_back(object{{"text", answer}});
        co_return parts;
    }
    object answers;
    for (auto& [id, asked] : questions) {
        value answer = co_await node.interrupt(std::move(asked));
        answers[id] = std::move(answer);
    }
    parts.push_back(object{{"data", object{{"answers", std::move(answers)}}}});
    co_return parts;
}

// The work.

task<value> perform_counted(a2a_exchange& exchange, node_context& node, a2a_outgoing words)
{
    const budget_ledger::reservation counted = agent_detail::reserve_service_call(node);
    object left = co_await exchange.perform(std::move(words));
    co_return value(std::move(left));
}

/** One message as an effect of the visit. */
task<object> send_once(a2a_plan_pointer plan, node_context& node, a2a_outgoing words)
{
    const std::string place = "node '" + std::string{node.node()} + "'";
    a2a_exchange exchange{plan->agent, place, node.trace(), [&node](std::string_view kind, std::string_view text) {
                              node.emit(kind, text);
                          }};
    effect_options options;
    options.input = object{{"agent", plan->agent->at.to_string()}, {"task", words.task}};
    const auto perform = [&](const effect_context& effect) {
        a2a_outgoing named = words;
        named.id = effect.key();
        return perform_counted(exchange, node, std::move(named));
    };
    std::exception_ptr failed;
    agent_detail::failed_attempt how;
    try {
        value left = co_await node.once("a2a", std::move(options), perform);
        co_return std::move(left.as_object());
    } catch (const error& e) {
        failed = std::current_exception();
        how.code = e.code();
        how.has_told = exchange.has_told();
        how.retry_after = exchange.retry_after();
    }
    co_await agent_detail::between_attempts(node, plan->retry, how);
    std::rethrow_exception(failed);
}

task<void> work_with_agent(a2a_plan_pointer plan, node_context& node)
{
    a2a_outgoing words;
    words.parts = first_content(*plan, node);
    words.context = context_before(*plan, node);
    words.skill = plan->agent->settings.skill;
    object left;
    for (int round = 0;; ++round) {
        object now = co_await send_once(plan, node, words);
        left = std::move(now);
        if (text_in(left, "state") != "input-required") break;
        agent_detail::require_round(round, node.node());
        words.task = text_in(left, "task");
        words.context = text_in(left, "context");
        array parts = co_await answers_to(node, left);
        words.parts = std::move(parts);
    }
    const value* const output = left.if_contains("output");
    agent_detail::write_answer(node, plan->keys, output ? *output : value{}, "the agent");
    const std::string& key = plan->agent->settings.context;
    if (key.empty()) co_return;
    agent_detail::answer_target kept{key, plan->keys.writes};
    agent_detail::write_answer(node, kept, value(text_in(left, "context")), "the agent");
}

// Reading files.

a2a_plan plan_of(a2a_settings settings, agent_detail::answer_target all,
                 std::shared_ptr<const agent_detail::http_program> program)
{
    a2a_plan plan;
    plan.keys = agent_detail::keys_for_answer(std::move(all), settings.context);
    if (!settings.message.empty()) plan.message.emplace(settings.message);
    plan.agent = std::make_shared<const a2a_agent>(std::move(settings), std::move(program));
    return plan;
}

std::shared_ptr<const node_body> make_a2a(node_request& request,
                                          const std::shared_ptr<const agent_detail::http_program>& program)
{
    std::optional<a2a_settings> settings = request.settings<a2a_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    agent_detail::check_agent_url(request, "agent", settings->agent);
    if (!settings->message.empty()) (void)agent_detail::check_template(request, "message", settings->message);
    agent_detail::check_headers(request, settings->headers);
    agent_detail::check_agent_limits(request, settings->timeout, settings->reply_bytes_max);
    agent_detail::answer_target all = agent_detail::answer_target_of(request, settings->into);
    agent_detail::check_conversation_key(request, "context", settings->context);
    if (request.mistakes().count() != before) return nullptr;
    a2a_plan plan = plan_of(std::move(*settings), std::move(all), program);
    plan.reads = request.spec().reads;
    plan.retry = request.options().retry;
    return make_node_body(a2a_node{std::make_shared<const a2a_plan>(std::move(plan))});
}

}  // namespace

a2a_node::a2a_node(a2a_settings settings, std::vector<std::string> writes, http_node_options program)
{
    agent_detail::answer_target all{settings.into, std::move(writes)};
    auto shared = std::make_shared<const agent_detail::http_program>(std::move(program));
    plan_ = std::make_shared<const a2a_plan>(plan_of(std::move(settings), std::move(all), std::move(shared)));
}

task<void> a2a_node::operator()(node_context& node) const { return work_with_agent(plan_, node); }

bool a2a_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "a2a";
    into.settings = spec_detail::write_structure(plan_->agent->settings);
    return true;
}

std::vector<std::string> a2a_node::written_keys(const state_layout&) const
{
    std::vector<std::string> keys = plan_->keys.writes;
    if (const std::string& context = plan_->agent->settings.context; !context.empty()) keys.push_back(context);
    return keys;
}

node_kind a2a_kind(http_node_options program)
{
    auto shared = std::make_shared<const agent_detail::http_program>(std::move(program));
    return {[shared = std::move(shared)](node_request& request) { return make_a2a(request, shared); }};
}

}  // namespace weft
