#include <weft/agent/turn_agent.hpp>

#include "agent/guard/guard_checks.hpp"
#include "turn_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/decorator/budgeted_model.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace weft {

namespace agent_detail {

std::shared_ptr<const turn_definition> make_turn_definition(turn_agent_options options)
{
    const std::string where = "turn_agent '" + options.name + "'";
    if (options.models.empty()) throw error{errc::invalid_configuration, where, "it has no model: give it one"};
    require_sound(options.guards, where);
    turn_definition definition;
    for (const std::shared_ptr<chat_model>& model : options.models) {
        if (!model) throw error{errc::invalid_configuration, where, "one of its models is null"};
        definition.paid_models.push_back(std::make_shared<budgeted_model>(model));
    }
    definition.tools = std::make_shared<const tool_set>(std::move(options.tools));
    for (const tool_entry& tool : definition.tools->entries()) definition.specs.push_back(tool.spec);
    if (!options.sections.empty() && !options.turn_sections)
        definition.system = compose(options.sections, options.prompt).text;
    definition.options = std::move(options);
    definition.runner.emplace(definition.tools, definition.options.calls);
    return std::make_shared<const turn_definition>(std::move(definition));
}

}  // namespace agent_detail

namespace {

using agent_detail::turn_definition;

/** Where the graph goes on: to its end as soon as there is an outcome. */
edge_router unless_over(std::string otherwise)
{
    return [otherwise = std::move(otherwise)](const state_view& state) {
        return state.get(turn_keys::record).outcome == agent_outcome::none ? otherwise : std::string{"finish"};
    };
}

weft::graph make_turn_graph(const std::shared_ptr<const turn_definition>& definition)
{
    graph_builder builder{definition->options.name};
    builder.state(turn_keys::conversation, turn_keys::record, turn_keys::reply, turn_keys::task, turn_keys::answer,
                  turn_keys::view, turn_keys::counted_until);
    for (const any_state_key& key : definition->options.keys) builder.declare(key);
    builder.node("prepare", [definition](node_context& node) { agent_detail::prepare_turn(*definition, node); })
        .node("llmCall", [definition](node_context& node) { return agent_detail::call_turn_model(definition, node); })
        .node("parse", [definition](node_context& node) { agent_detail::parse_turn(*definition, node); })
        .node("execute", [definition](node_context& node) { return agent_detail::execute_turn(definition, node); })
        .node("reconcile", [definition](node_context& node) { agent_detail::reconcile_turn(*definition, node); })
        .node("finish", [definition](node_context& node) { agent_detail::finish_turns(*definition, node); });
    builder.edge(start, "prepare")
        .edge_route("prepare", unless_over("llmCall"), {{"llmCall", "llmCall"}, {"finish", "finish"}})
        .edge("llmCall", "parse")
        .edge("parse", "execute")
        .edge("execute", "reconcile")
        .edge_route("reconcile", unless_over("prepare"), {{"prepare", "prepare"}, {"finish", "finish"}});
    for (const std::string_view node : {"prepare", "llmCall", "parse", "execute", "reconcile"})
        builder.edge_on_failure(node, "finish");
    return builder.edge("finish", end).build();
}

}  // namespace

tool_runner_options turn_tool_options()
{
    tool_runner_options options;
    options.concurrency_max = 1;
    options.result_chars_max = 4'000;
    return options;
}

turn_agent::turn_agent(turn_agent_options options)
    : budget_{options.budget}, graph_{make_turn_graph(agent_detail::make_turn_definition(std::move(options)))}
{
}

std::uint32_t turn_agent::steps_max() const noexcept
{
    // prepare, llmCall, parse, execute and reconcile for each turn; a last prepare, and finish.
    const std::uint64_t steps = std::uint64_t{budget_.turns_max} * 5 + 2;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(steps, std::numeric_limits<std::uint32_t>::max()));
}

run_options turn_agent::limits() const
{
    run_options options;
    options.steps_max(steps_max());
    return options;
}

subgraph turn_agent::as_node() const { return subgraph{.graph = graph_, .steps_max = steps_max()}; }

run_request turn_agent::request(std::string task, std::string thread) const
{
    run_request request{std::move(thread)};
    request.input(turn_keys::task, std::move(task)).options(limits());
    return request;
}

namespace {

void read_state(const state& of, turn_agent_result& into)
{
    if (const turn_record* const record = of.find(turn_keys::record)) {
        into.outcome = record->outcome;
        into.trouble = record->trouble;
        into.why = record->why;
        into.hand_over = record->hand_over;
        into.spent = record->counters();
    }
    if (const std::string* const answer = of.find(turn_keys::answer)) into.answer = *answer;
    if (const conversation* const history = of.find(turn_keys::conversation)) into.conversation = *history;
}

task<turn_agent_result> run_agent(weft::graph what, run_request request)
{
    const engine runs{std::move(what)};
    run_result result = co_await runs.run(std::move(request));
    co_return turn_agent::result_of(std::move(result));
}

task<std::string> answer_when_done(task<turn_agent_result> running)
{
    turn_agent_result result = co_await std::move(running);
    result.run.throw_if_failed();
    if (result.outcome == agent_outcome::answered) co_return std::move(result.answer);
    throw error{errc::node_failed, "agent", "it ended without an answer: " + result.why};
}

}  // namespace

weft::task<std::string> turn_agent::ask(std::string task) const
{
    return answer_when_done(run(request(std::move(task))));
}

weft::task<turn_agent_result> turn_agent::run(run_request request) const
{
    if (!request.has_options()) request.options(limits());
    return run_agent(graph_, std::move(request));
}

turn_agent_result turn_agent::result_of(run_result run)
{
    turn_agent_result result;
    // A run that was refused before it began has no state.
    if (run.state.shared_layout()) read_state(run.state, result);
    if (!run.ok()) {  // whatever the record says is of an earlier run or not the end
        const bool is_over = run.status != run_status::paused;
        const bool is_stopped = run.status == run_status::cancelled;
        result.outcome = !is_over ? agent_outcome::none : is_stopped ? agent_outcome::aborted : agent_outcome::failed;
        result.trouble = !is_over ? turn_trouble::none : is_stopped ? turn_trouble::abort : turn_trouble::unknown_error;
        result.why = is_over ? run.message() : std::string{};
        result.answer.clear();
    }
    result.run = std::move(run);
    return result;
}

}  // namespace weft
