#include <weft/agent/pattern/pattern_concurrent.hpp>

#include "agent/guard/guard_checks.hpp"
#include "pattern_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/graph_builder.hpp>

#include <charconv>
#include <utility>

namespace weft::patterns {

namespace {

/** The first whole number in a text; 0 if there is none. */
std::size_t first_number(std::string_view text)
{
    const std::size_t at = text.find_first_of("0123456789");
    std::size_t number = 0;
    if (at != std::string_view::npos) std::from_chars(text.data() + at, text.data() + text.size(), number);
    return number;
}

std::vector<contribution> candidates_of(const node_context& node, std::size_t answers_min)
{
    agent_detail::refuse_trip(node);
    std::vector<contribution> found = of_round(node.value_or(contributions, {}), 1);
    if (found.size() < answers_min)
        throw error{errc::quorum_missed, "node '" + std::string{node.node()} + "'",
                    std::to_string(found.size()) + " participants answered, and " + std::to_string(answers_min) +
                        " have to"};
    return found;
}

subgraph judging(const participant& judge, std::size_t answers_min)
{
    const auto brief = [answers_min](const node_context& outer) {
        return task_of_judge(outer.get(given_task), candidates_of(outer, answers_min));
    };
    const auto take = [answers_min](const std::string& said, node_context& outer) {
        const std::vector<contribution> candidates = candidates_of(outer, answers_min);
        const std::size_t number = first_number(said);
        if (number < 1 || number > candidates.size())
            throw error{errc::invalid_model_reply, "node '" + std::string{outer.node()} + "'",
                        "the judge names no number from 1 to " + std::to_string(candidates.size()) + ": " +
                            std::string{truncated_utf8(said, 200)}};
        outer.set(answer, candidates[number - 1].text);
        return command::next();
    };
    return agent_detail::work_of(judge, brief, take);
}

}  // namespace

std::string task_of_judge(std::string_view task, const std::vector<contribution>& candidates)
{
    std::string text = "Which answer to this task is the best?\n\n" + std::string{task};
    for (std::size_t i = 0; i < candidates.size(); ++i)
        text += "\n\n### Answer " + std::to_string(i + 1) + "\n" + candidates[i].text;
    return text + "\n\nSay the number of the best answer and nothing else.";
}

graph concurrent(std::string name, std::vector<participant> team, concurrent_options options)
{
    agent_detail::require_participants("concurrent", team);
    graph_builder builder{std::move(name)};
    builder.state(given_task, answer, contributions);
    const auto brief = [](const node_context& outer) { return outer.get(given_task); };
    for (std::size_t place = 0; place < team.size(); ++place) {
        const std::string& who = team[place].name();
        builder.node(who, agent_detail::work_of(team[place], brief, agent_detail::adds_contribution(who, place)));
        builder.edge(start, who).edge(who, "meet");
    }
    const std::size_t answers_min = std::max<std::size_t>(options.answers_min, 1);
    if (options.judge) {
        builder.node("meet", judging(*options.judge, answers_min));
    } else {
        builder.node("meet", [choose = options.choose, answers_min](node_context& node) {
            const std::vector<contribution> candidates = candidates_of(node, answers_min);
            node.set(answer, candidates.at(choose(candidates)).text);
        });
    }
    fan_out_options how{.on_failure = branch_policy::continue_others};
    how.concurrency_max = options.concurrency_max;
    how.branch_timeout = options.timeout;
    return builder.fan_out(start, how).build();
}

}  // namespace weft::patterns
