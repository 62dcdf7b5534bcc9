#include <weft/agent/pattern/pattern_plan.hpp>

#include "pattern_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_in_text.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/graph_builder.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::patterns {

namespace {

std::vector<done_step> steps_of(const node_context& node)
{
    const list<done_step> all = node.value_or(steps_done, {});
    return {all.begin(), all.end()};
}

std::string told_steps(const std::vector<done_step>& done)
{
    std::string text;
    for (std::size_t i = 0; i < done.size(); ++i)
        text += "\n\n" + std::to_string(i + 1) + ". " + done[i].step + "\n" +
                (done[i].has_failed ? "It failed: " : "Result: ") + done[i].result;
    return text;
}

bool is_plan(const boost::json::object& one)
{
    if (const boost::json::value* const said = one.if_contains("answer"); said && said->is_string()) return true;
    const boost::json::value* const steps = one.if_contains("steps");
    const boost::json::array* const all = steps ? steps->if_array() : nullptr;
    return all && !all->empty() &&
           std::all_of(all->begin(), all->end(), [](const boost::json::value& step) { return step.is_string(); });
}

/** Takes an answer, or a plan. */
command take_plan(const std::string& said, node_context& outer, std::int64_t plan_steps_max)
{
    const std::optional<boost::json::object> found = find_json_object(said, &is_plan);
    if (!found)
        throw error{errc::invalid_model_reply, "node '" + std::string{outer.node()} + "'",
                    "the planner gives neither steps nor an answer: " + std::string{truncated_utf8(said, 200)}};
    plan_state now = outer.value_or(plan_stands, {});
    ++now.plans;
    now.open.clear();
    const boost::json::value* const final_answer = found->if_contains("answer");
    if (final_answer && final_answer->is_string()) {
        outer.set(answer, std::string{final_answer->as_string()});
    } else {
        for (const boost::json::value& step : found->at("steps").as_array()) {
            if (static_cast<std::int64_t>(now.open.size()) == plan_steps_max) break;
            now.open.emplace_back(step.as_string());
        }
    }
    outer.set(plan_stands, std::move(now));
    return command::next();
}

/** Notes what came of the first open step. */
void note_step(node_context& outer, std::string result, bool has_failed)
{
    plan_state now = outer.get(plan_stands);
    outer.set(steps_done, done_step{now.open.front(), std::move(result), has_failed});
    if (has_failed) now.open.clear();
    else now.open.erase(now.open.begin());
    outer.set(plan_stands, std::move(now));
}

void note_failure(node_context& node)
{
    const failure* const why = node.previous_failure();
    // What stops the work is no mishap that another plan could mend.
    if (why && (why->code == errc::guardrail_tripped || why->code == errc::budget_exhausted))
        throw error{why->code, "node '" + why->node + "'", why->message};
    note_step(node, why ? why->message : "no reason given", true);
}

void give_up(node_context& node)
{
    throw error{errc::limit_reached, "node '" + std::string{node.node()} + "'",
                "the plan did not come to an answer after " + std::to_string(node.get(plan_stands).plans) +
                    " plans and " + std::to_string(steps_of(node).size()) +
                    " steps: raise `steps_max`, or let the planner answer earlier"};
}

subgraph planning(const participant& planner, std::int64_t plan_steps_max)
{
    const auto brief = [](const node_context& outer) {
        return task_of_planner(outer.get(given_task), steps_of(outer));
    };
    const auto take = [plan_steps_max](const std::string& said, node_context& outer) {
        return take_plan(said, outer, plan_steps_max);
    };
    return agent_detail::work_of(planner, brief, take);
}

subgraph doing(const participant& executor)
{
    const auto brief = [](const node_context& outer) {
        return task_of_executor(outer.get(given_task), outer.get(plan_stands).open.front(), steps_of(outer));
    };
    const auto take = [](const std::string& said, node_context& outer) {
        note_step(outer, said, false);
        return command::next();
    };
    return agent_detail::work_of(executor, brief, take);
}

}  // namespace

std::string task_of_planner(const std::string& task, const std::vector<done_step>& done)
{
    std::string text = "Plan how to do this task:\n\n" + task;
    if (!done.empty()) text += "\n\nThis was done so far:" + told_steps(done);
    return text +
           "\n\nAnswer with one JSON object: {\"steps\": [\"what to do next\", …]} with the steps that are still "
           "needed, or {\"answer\": \"…\"} if the task is done.";
}

std::string task_of_executor(const std::string& task, const std::string& step, const std::vector<done_step>& done)
{
    std::string text = "Do this step and nothing else:\n\n" + step + "\n\nIt is a part of this task:\n\n" + task;
    if (!done.empty()) text += "\n\nThis was done so far:" + told_steps(done);
    return text;
}

graph plan_and_execute(std::string name, participant planner, participant executor, plan_options options)
{
    if (options.plans_max < 1 || options.steps_max < 1 || options.plan_steps_max < 1)
        throw error{errc::invalid_configuration, "pattern plan_and_execute", "a limit is less than 1"};
    const auto has_answer = [](const state_view& state) { return state.find(answer) != nullptr; };
    const auto is_used_up = [options](const state_view& state) {
        const plan_state& now = state.get(plan_stands);
        const auto* const done = state.find(steps_done);
        const bool has_steps = !now.open.empty();
        const bool has_plans = now.plans < options.plans_max;
        return done && static_cast<std::int64_t>(done->size()) >= options.steps_max ? has_steps || !has_plans
                                                                                   : !has_steps && !has_plans;
    };
    const auto has_more = [](const state_view& state) { return !state.get(plan_stands).open.empty(); };
    node_options of_planner;
    of_planner.retry = {.attempts_max = 2, .retry_on = {errc::invalid_model_reply}};
    node_options of_executor;
    of_executor.timeout = options.timeout;
    return graph_builder{std::move(name)}
        .state(given_task, answer, plan_stands, steps_done)
        .node("plan", planning(planner, options.plan_steps_max), std::move(of_planner))
        .node("step", doing(executor), std::move(of_executor))
        .node("note failure", &note_failure)
        .node("give up", &give_up)
        .edge(start, "plan")
        .edge_when("plan", end, has_answer)
        .edge_when("plan", "give up", is_used_up)
        .edge("plan", "step")
        .edge_when("step", "give up", is_used_up)
        .edge_when("step", "step", has_more)
        .edge("step", "plan")
        .edge_on_failure("step", "note failure")
        .edge_when("note failure", "give up", is_used_up)
        .edge("note failure", "plan")
        .build();
}

}  // namespace weft::patterns

namespace weft {

template struct compiled_value<patterns::plan_state>;
template struct compiled_value<patterns::done_step>;
template struct compiled_value<list<patterns::done_step>>;
template struct compiled_key<patterns::plan_state>;
template struct compiled_key<list<patterns::done_step>, append>;

}  // namespace weft
