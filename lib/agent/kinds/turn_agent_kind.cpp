#include "turn_agent_kind.hpp"

#include "agent/core/dry_run_model.hpp"
#include "agent/core/node_warnings.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/recorded_cause.hpp"
#include "agent/text/graph_kind_body.hpp"
#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft {

namespace {

using agent_detail::answer_shape;

/** What the agent is told by the system, made when a run of it begins. */
inline constexpr state_key<std::string> system_key{"system"};
constexpr std::chrono::nanoseconds last_turn_max = std::chrono::hours{1};

/** Another model of the same endpoint. */
class model_by_name final : public chat_model {
public:
    model_by_name(std::shared_ptr<chat_model> model, std::string name)
        : model_{std::move(model)}, name_{std::move(name)}, label_{name_ + " of " + std::string{model_->label()}}
    {
    }
    [[nodiscard]] std::string_view label() const noexcept override { return label_; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override
    {
        request.model = name_;
        return model_->reply(std::move(request), sink);
    }

    std::shared_ptr<chat_model> model_;
    std::string name_;
    std::string label_;
};

/** What an agent without a model says: a line of its script for each reply, or `plain`, or what it was asked. */
message dry_line(const std::vector<std::string>& script, const std::string& plain, const chat_request& request)
{
    if (!script.empty()) {
        const auto said = std::count_if(request.messages.begin(), request.messages.end(),
                                        [](const message& one) { return one.role == role::assistant; });
        return message::assistant(agent_detail::scripted_line(script, static_cast<std::size_t>(said)));
    }
    if (!plain.empty()) return message::assistant(plain);
    std::string asked;
    for (const message& one : request.messages) asked.append(asked.empty() ? "" : "\n\n").append(one.text());
    return message::assistant("(A rehearsal: no model is configured. It would have been asked: " +
                              agent_detail::shortened(asked, 200) + ")");
}

/** What a node of a file knows of itself. */
struct filed_agent {
    turn_agent_settings settings;
    llm_node_options asking;  ///< As far as prompt and answer go.
    agent_detail::llm_templates templates;
    std::vector<agent_detail::answer_key> keys;

    [[nodiscard]] answer_shape shape_for(const node_context& outer) const
    {
        return answer_shape{keys, outer.layout(), outer.node()};
    }
};

state_update first_state(const filed_agent& of, const node_context& outer)
{
    agent_detail::llm_prompt asked = make_prompt(of.templates, of.asking, of.shape_for(outer), outer);
    state_update first;
    first.set(turn_keys::task, std::move(asked.user)).set(system_key, std::move(asked.system));
    return first;
}

std::vector<prompt_section> told_by_the_system(const node_context& node)
{
    const std::string* const text = node.find(system_key);
    std::vector<prompt_section> sections;
    if (text && !text->empty()) sections.push_back({.id = "system", .text = *text, .is_sticky = true});
    return sections;
}

/** What a node fails with: what its model failed with, if that is why. */
errc code_for(const turn_record& record)
{
    switch (record.trouble) {
    case turn_trouble::max_turns_exceeded:
    case turn_trouble::budget_exhausted: return errc::budget_exhausted;
    case turn_trouble::llm_transport_error: return agent_detail::recorded_cause(record.cause, errc::model_overloaded);
    case turn_trouble::llm_protocol_error: return agent_detail::recorded_cause(record.cause, errc::model_rejected);
    case turn_trouble::guardrail_tripped: return errc::guardrail_tripped;
    default: return errc::invalid_output;
    }
}

/** Writes what the agent answered. */
command take_answer(const filed_agent& of, const state& inner, node_context& outer)
{
    const turn_record* const record = inner.find(turn_keys::record);
    const std::string* const answer = inner.find(turn_keys::answer);
    const std::string where = "node '" + std::string{outer.node()} + "'";
    if (!record || !answer) throw error{errc::invalid_output, where, "the agent left nothing"};
    if (record->outcome != agent_outcome::answered)
        throw error{code_for(*record), where, "the agent has no answer: " + record->why};
    const answer_shape shape = of.shape_for(outer);
    // An agent that hands over has perhaps said nothing: then the keys keep their values.
    const bool hands_over = !record->hand_over.empty();
    if (!hands_over || (shape.is_text() && !answer->empty()))
        for (state_write& write : shape.read(*answer, outer)) outer.write(std::move(write));
    return hands_over ? command::go_to(record->hand_over) : command::next();
}

/** Warns of keys of the templates that have no value, before the agent begins. */
task<void> warn_of_templates(std::shared_ptr<const filed_agent> of, node_context& node)
{
    std::vector<std::string> missing;
    for (const prompt_template* text : {&of->templates.system, &of->templates.prompt})
        for (const prompt_template::place& place : text->places())
            if (!agent_detail::read_key(node, place.key).has_value) missing.push_back(place.key);
    agent_detail::warn_of_missing(missing, node);
    co_return;
}

void check_amounts(node_request& request, const turn_agent_settings& settings)
{
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    const json_path& at = request.settings_at();
    const json_path at_budget{at, "budget"};
    const auto check = [&](const json_path& path, std::optional<std::int64_t> number, std::int64_t least,
                           std::int64_t highest) {
        if (number && (*number < least || *number > highest))
            request.mistakes().add(path, "is " + std::to_string(*number) + ": it is from " + std::to_string(least) +
                                             " to " + std::to_string(highest));
    };
    check(json_path{at, "nudges_max"}, settings.nudges_max, 0, 1'000'000);
    check(json_path{at, "retries_max"}, settings.retries_max, 0, 1'000'000);
    check(json_path{at, "result_chars_max"}, settings.result_chars_max, 1, 1'000'000);
    const turn_budget_settings& budget = settings.budget;
    check(json_path{at_budget, "turns"}, budget.turns, 0, most);
    check(json_path{at_budget, "tokens"}, budget.tokens, 0, std::numeric_limits<std::int64_t>::max());
    check(json_path{at_budget, "tool_calls"}, budget.tool_calls, 0, most);
    if (budget.usd && !(*budget.usd >= 0 && *budget.usd <= 1e9))
        request.mistakes().add(json_path{at_budget, "usd"}, "is from 0 to 1000000000");
}

void refuse_cost(node_request& request)
{
    const json_path at{request.settings_at(), "budget"};
    request.mistakes().add(json_path{at, "usd"},
                           "limits the cost, and no model has a price: give the program a table of prices (--prices "
                           "FILE), or leave it out and limit tokens");
}

turn_budget budget_over(turn_budget budget, const turn_budget_settings& from)
{
    if (from.turns) budget.turns_max = static_cast<std::uint32_t>(*from.turns);
    if (from.tokens) budget.tokens_max = tokens{*from.tokens};
    if (from.usd) budget.cost_max = usd_micros{std::llround(*from.usd * 1e6)};
    if (from.time) budget.elapsed_max = std::chrono::ceil<std::chrono::milliseconds>(from.time->span());
    if (from.working_time)
        budget.working_max = std::chrono::ceil<std::chrono::milliseconds>(from.working_time->span());
    if (from.tool_calls) budget.tool_calls_max = static_cast<std::uint32_t>(*from.tool_calls);
    return budget;
}

/** The tools that the file names, and those that hand over. */
tool_set tools_of(node_request& request, const turn_agent_settings& settings, const tool_set& all)
{
    tool_set tools =
        agent_detail::tools_named(request, request.settings_at(), settings.tools, &all).value_or(tool_set{});
    for (const auto& [node, when] : settings.hands_over) {
        try {
            tools.add_hand_over(node, when);
        } catch (const error& e) {
            request.mistake("hands_over", e.detail());
        }
        agent_detail::add_once(request.options().goes_to, node);
    }
    return tools;
}

std::shared_ptr<chat_model> dry_run_of(const node_request& request, const filed_agent& of)
{
    const answer_shape shape{of.keys, request.layout(), request.spec().name};
    std::string plain;
    if (!shape.is_text())
        plain = agent_detail::readable_json(shape.plain_object(of.asking.owes_text ? "rehearsed" : ""));
    return std::make_shared<agent_detail::dry_run_model>(
        [script = of.settings.scripted, plain = std::move(plain)](const chat_request& asked) {
            return dry_line(script, plain, asked);
        });
}

turn_agent_options options_of(node_request& request, const std::shared_ptr<chat_model>& model,
                              turn_agent_options options, const filed_agent& of)
{
    const turn_agent_settings& settings = of.settings;
    options.name = request.spec().name;
    options.address = request.spec().name;
    options.models.clear();
    if (!model) options.models.push_back(dry_run_of(request, of));
    else if (settings.models.empty()) options.models.push_back(model);  // asked for `model` by each request
    else
        for (const std::string& name : settings.models)
            options.models.push_back(std::make_shared<model_by_name>(model, name));
    options.sections.clear();
    options.turn_sections = told_by_the_system;
    options.budget = budget_over(options.budget, settings.budget);
    options.requires_cost = options.requires_cost || (model && settings.budget.usd);
    if (settings.nudges_max) options.reminders_max = static_cast<std::uint32_t>(*settings.nudges_max);
    if (settings.retries_max) options.cascade.retries_max = static_cast<std::uint32_t>(*settings.retries_max);
    if (settings.result_chars_max)
        options.calls.result_chars_max = static_cast<std::size_t>(*settings.result_chars_max);
    options.sampling = settings;
    options.keys.emplace_back(system_key);
    return options;
}

std::shared_ptr<const node_body> make_agent_body(node_request& request, const std::shared_ptr<chat_model>& model,
                                                 turn_agent_options program, turn_agent_settings settings)
{
    filed_agent made;
    llm_settings asking;
    asking.system = settings.system;
    asking.prompt = settings.prompt;
    asking.scripted = settings.scripted;
    made.asking = agent_detail::llm_options_of(request, std::move(asking));
    if (!model) agent_detail::check_dry_run(request, made.asking);
    made.templates = {prompt_template{settings.system}, prompt_template{settings.prompt}};
    for (const std::string& key : made.asking.writes) {
        const bool may_be_missing = agent_detail::contains(made.asking.nullable, key);
        made.keys.push_back({key, made.asking.descriptions.at(key), may_be_missing});
    }
    made.settings = std::move(settings);
    turn_agent_options options = options_of(request, model, std::move(program), made);
    // The budget is compared between turns: the last one may go beyond it.
    if (request.options().timeout.count() == 0) request.options().timeout = options.budget.elapsed_max + last_turn_max;
    const turn_agent agent{std::move(options)};
    const auto what = std::make_shared<const filed_agent>(std::move(made));
    subgraph inner = agent.as_node();
    inner.shares_keys = false;
    inner.make_inputs = [what](const node_context& outer) { return first_state(*what, outer); };
    inner.take_outputs = [what](const state& left, node_context& outer) { return take_answer(*what, left, outer); };
    agent_detail::graph_kind_description about{"turn_agent", spec_detail::write_structure(what->settings)};
    about.reads = what->asking.reads;
    about.writes = what->asking.writes;
    return agent_detail::graph_kind_body(
        std::move(inner), std::move(about),
        {.may_command = !what->settings.hands_over.empty(),
         .before = [what](node_context& node) { return warn_of_templates(what, node); }});
}

std::shared_ptr<const node_body> make_turn_agent(node_request& request, const std::shared_ptr<chat_model>& model,
                                                 const turn_agent_options& program, bool knows_prices)
{
    std::optional<turn_agent_settings> settings = request.settings<turn_agent_settings>();
    agent_detail::check_has_writes(request);
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    agent_detail::check_template(request, "system", settings->system);
    agent_detail::check_template(request, "prompt", settings->prompt);
    agent_detail::tell_faults(request, settings->faults());
    check_amounts(request, *settings);
    if (!settings->model.empty() && !settings->models.empty())
        request.mistake("model", "there are models already: leave it out, or name it there");
    if (settings->budget.usd && !knows_prices) refuse_cost(request);
    turn_agent_options own = program;
    own.guards = agent_detail::model_guards(settings->guards, program.guards, model);
    own.calls = agent_detail::guarded_options(settings->guards, std::move(own.calls), model);
    own.tools = tools_of(request, *settings, program.tools);
    const bool is_whole = request.mistakes().count() == before && !agent_detail::written_keys(request).empty();
    if (!is_whole) return request.registry().nothing();  // the mistakes are told
    return agent_detail::made_or_mistake(
        request, "", [&] { return make_agent_body(request, model, std::move(own), std::move(*settings)); });
}

}  // namespace

node_kind turn_agent_kind(std::shared_ptr<chat_model> model, turn_agent_options program, bool knows_prices)
{
    return {[model = std::move(model), program = std::move(program), knows_prices](node_request& request) {
                return make_turn_agent(request, model, program, knows_prices);
            },
            true};
}

}  // namespace weft
