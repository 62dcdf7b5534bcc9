#include <weft/agent/pattern/pattern_debate.hpp>

#include "agent/guard/guard_checks.hpp"
#include "pattern_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>

#include <algorithm>
#include <utility>

namespace weft::patterns {

namespace {

agent_detail::brief_function brief_of(const participant& one, const debate_options& options)
{
    return [make = options.brief, name = one.name()](const node_context& outer) {
        const std::int64_t round = outer.get(debate_stands).rounds;
        return make(outer.get(given_task), name, of_round(outer.value_or(contributions, {}), round - 1));
    };
}

agent_detail::take_function take_of(const participant& one, std::size_t place)
{
    return [name = one.name(), place](const std::string& said, node_context& outer) {
        contribution added{name, static_cast<std::int64_t>(place), outer.get(debate_stands).rounds, said};
        outer.set(contributions, std::move(added));
        return command::next();
    };
}

void open_round(node_context& node)
{
    debate_state now = node.value_or(debate_stands, {});
    ++now.rounds;
    node.set(debate_stands, now);
}

/** Looks at the answers of the round, and answers with a label: edges with conditions are taken after failures too, and
 *  a trip ends the debate. */
auto meets(const debate_options& options)
{
    return [agrees = options.agrees, choose = options.choose, rounds_max = options.rounds_max](node_context& node) {
        agent_detail::refuse_trip(node);
        debate_state now = node.get(debate_stands);
        const std::vector<contribution> answers = of_round(node.value_or(contributions, {}), now.rounds);
        if (answers.empty())
            throw error{errc::branches_failed, "node '" + std::string{node.node()} + "'",
                        "nobody answered in round " + std::to_string(now.rounds)};
        now.has_agreed = agrees(answers);
        node.set(debate_stands, now);
        node.set(answer, answers.at(choose(answers)).text);
        return command::label(!now.has_agreed && now.rounds < rounds_max ? "again" : "end");
    };
}

}  // namespace

bool all_the_same(const std::vector<contribution>& answers)
{
    const std::string first = as_vote(answers.front().text);
    return std::all_of(answers.begin(), answers.end(),
                       [&](const contribution& one) { return as_vote(one.text) == first; });
}

std::string task_with_positions(std::string_view task, std::string_view participant,
                                const std::vector<contribution>& last_round)
{
    std::string text{task};
    if (last_round.empty()) return text;
    text += "\n\nYou are " + std::string{participant};
    text += ". These are the answers of the last round, yours among them:\n\n";
    return text + told(last_round) + "\n\nWeigh them and give your answer again; change it if another is better.";
}

graph debate(std::string name, std::vector<participant> team, debate_options options)
{
    agent_detail::require_participants("debate", team);
    if (options.rounds_max < 1)
        throw error{errc::invalid_configuration, "pattern debate", "rounds_max is less than 1: a debate has a round"};
    graph_builder builder{std::move(name)};
    builder.state(given_task, answer, contributions, debate_stands).node("open", &open_round).edge(start, "open");
    for (std::size_t place = 0; place < team.size(); ++place) {
        const participant& one = team[place];
        builder.node(one.name(), agent_detail::work_of(one, brief_of(one, options), take_of(one, place)));
        builder.edge("open", one.name()).edge(one.name(), "meet");
    }
    builder.node("meet", meets(options)).edge_label("meet", {{"again", "open"}, {"end", std::string{end}}});
    fan_out_options how{.on_failure = branch_policy::continue_others};
    how.branch_timeout = options.timeout;
    return builder.fan_out("open", how).build();
}

}  // namespace weft::patterns

namespace weft {

template struct compiled_value<patterns::debate_state>;
template struct compiled_key<patterns::debate_state>;

}  // namespace weft
