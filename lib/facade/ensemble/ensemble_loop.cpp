#include <weft/facade/ensemble_loop.hpp>

#include "ensemble_checks.hpp"

#include <algorithm>

namespace weft {

namespace {

task<loop_result> run_loop(ensemble_loop of, ensemble_request request)
{
    const ensemble_result ended = co_await of.graph().run(std::move(request));
    loop_result result;
    result.iterations_run = static_cast<std::uint32_t>(ended.history.size() / of.graph().states().size());
    result.termination_reason = ended.termination_reason == "terminal"   ? "predicate"
                                : ended.termination_reason == "maxSteps" ? "maxIterations"
                                                                         : ended.termination_reason;
    result.was_terminated_by_max_iterations = ended.was_terminated_by_max_steps;
    for (const ensemble_step& step : ended.history) result.history.push_back({step.state_name, step.output});
    result.outputs = of.settled_visits(ensemble_history(result.history.begin(), result.history.end()));
    co_return result;
}

/** How many of the last outputs a task sees that runs after `size` others. */
std::size_t seen_of(std::size_t size, std::size_t body, std::uint32_t iterations)
{
    return size % body + (iterations - 1) * body;
}

}  // namespace

ensemble_loop::builder& ensemble_loop::builder::task(std::string name, ensemble_task task)
{
    body_.emplace_back(std::move(name), std::make_shared<const ensemble_task>(std::move(task)));
    return *this;
}

ensemble_loop ensemble_loop::builder::build() const
{
    std::vector<std::string> mistakes;
    if (engine_detail::is_blank(name_)) mistakes.emplace_back("Loop name must be non-blank");
    if (body_.empty()) mistakes.push_back("Loop '" + name_ + "' must have at least one task");
    if (max_iterations_ < 1)
        mistakes.push_back("Loop '" + name_ + "' maxIterations must be >= 1, got: " + std::to_string(max_iterations_));
    if (!mistakes.empty()) throw graph_error{name_, std::move(mistakes)};

    ensemble_graph::builder graph;
    graph.name(name_).start(body_.front().first).on_max_steps(action_).inject_feedback_on_revisit(injects_feedback_);
    graph.max_steps(max_iterations_ * static_cast<std::int64_t>(body_.size()));
    for (const auto& [name, task] : body_) graph.state(name, task);
    for (std::size_t i = 0; i + 1 < body_.size(); ++i) graph.edge(body_[i].first, body_[i + 1].first);
    if (until_) graph.edge(body_.back().first, std::string{ensemble_graph::end}, until_, "until");
    graph.edge(body_.back().first, body_.front().first);
    if (memory_.iterations() != 0)
        graph.window([body = body_.size(), iterations = memory_.iterations()](std::size_t size) {
            return seen_of(size, body, iterations);
        });
    return ensemble_loop{graph.build(), outputs_};
}

std::vector<ensemble_visit> ensemble_loop::settled_visits(const ensemble_history& history) const
{
    std::size_t kept = history.size();
    if (outputs_ == loop_output::final_task_only) kept = std::min<std::size_t>(kept, 1);
    if (outputs_ == loop_output::last_iteration) kept = std::min(kept, graph_.states().size());
    return {history.end() - static_cast<std::ptrdiff_t>(kept), history.end()};
}

ensemble_output ensemble_loop::as_one(const ensemble_history& history) const
{
    const std::vector<ensemble_visit> kept = settled_visits(history);
    if (kept.size() == 1) return kept.front().output;
    ensemble_output all;
    for (const ensemble_visit& visit : kept)
        all.text.append(all.text.empty() ? "" : "\n\n").append(visit.output.text);
    return all;
}

task<loop_result> ensemble_loop::run(ensemble_request request) const { return run_loop(*this, std::move(request)); }

}  // namespace weft
