#include <weft/agent/pattern/pattern_sequence.hpp>

#include "pattern_nodes.hpp"

#include <weft/graph/graph_builder.hpp>

#include <utility>

namespace weft::patterns {

std::string task_with_last_answer(std::string_view task, const std::vector<contribution>& before)
{
    return std::string{task} + "\n\nWhat " + before.back().by + " made of it:\n" + before.back().text;
}

graph sequence(std::string name, std::vector<participant> team, handover next)
{
    agent_detail::require_participants("sequence", team);
    graph_builder builder{std::move(name)};
    builder.state(given_task, answer, contributions);
    std::string last{start};
    for (std::size_t place = 0; place < team.size(); ++place) {
        const participant& one = team[place];
        auto brief = [next](const node_context& outer) {
            const std::string& task = outer.get(given_task);
            const list<contribution> before = outer.value_or(contributions, {});
            return before.empty() ? task : next(task, of_round(before, 1));
        };
        auto take = [add = agent_detail::adds_contribution(one.name(), place), is_last = place + 1 == team.size()](
                        const std::string& said, node_context& outer) {
            if (is_last) outer.set(answer, said);
            return add(said, outer);
        };
        builder.node(one.name(), agent_detail::work_of(one, std::move(brief), std::move(take)));
        builder.edge(last, one.name());
        last = one.name();
    }
    return builder.build();
}

}  // namespace weft::patterns
