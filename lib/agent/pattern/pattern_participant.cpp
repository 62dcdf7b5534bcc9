#include <weft/agent/pattern/pattern_participant.hpp>

#include "agent/text/words_in_text.hpp"
#include "pattern_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/memory/sort_stably.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace weft::patterns {

namespace {

graph graph_of_node(const std::string& name, std::shared_ptr<const node_body> work, node_options options)
{
    return graph_builder{name}
        .state(given_task, answer)
        .node(name, std::move(work), std::move(options))
        .edge(start, name)
        .build();
}

void require_text(const graph& what, const state_key<std::string>& key, const std::string& name)
{
    const state_layout& keys = *what.layout();
    const std::uint32_t slot = keys.find(key.name());
    if (slot != state_layout::none && keys[slot].type->value == key.type().value) return;
    throw error{errc::invalid_configuration, "participant '" + name + "'",
                "its graph has no key '" + std::string{key.name()} + "' that takes texts: declare it"};
}

}  // namespace

participant::participant(std::string name, weft::graph of) : name_{std::move(name)}, graph_{std::move(of)}
{
    if (name_.empty()) throw error{errc::invalid_configuration, "participant", "it has no name: give it one"};
    require_text(graph_, given_task, name_);
    require_text(graph_, answer, name_);
}

participant::participant(std::string name, std::shared_ptr<const node_body> work, node_options options)
    : participant{name, graph_of_node(name, std::move(work), std::move(options))}
{
}

std::vector<contribution> of_round(const list<contribution>& all, std::int64_t round)
{
    std::vector<contribution> found;
    for (const contribution& one : all)
        if (one.round == round) found.push_back(one);
    sort_stably(found, [](const contribution& a, const contribution& b) { return a.place < b.place; });
    return found;
}

std::string told(const std::vector<contribution>& what)
{
    std::string text;
    for (const contribution& one : what)
        text.append(text.empty() ? "" : "\n\n").append("### ").append(one.by).append("\n").append(one.text);
    return text;
}

std::string as_vote(std::string_view text)
{
    std::string vote;
    for (const std::string& word : agent_detail::split_at_blanks(ascii_lower_case(text)))
        vote.append(vote.empty() ? "" : " ").append(word);
    const auto is_word = [](char c) { return agent_detail::is_word_character(c); };
    const auto last = std::find_if(vote.rbegin(), vote.rend(), is_word).base();
    vote.erase(last, vote.end());
    vote.erase(vote.begin(), std::find_if(vote.begin(), vote.end(), is_word));
    return vote;
}

std::size_t majority(const std::vector<contribution>& candidates)
{
    std::map<std::string, std::pair<std::size_t, std::size_t>> votes;  // how many, and the first of them
    for (std::size_t i = 0; i < candidates.size(); ++i)
        ++votes.try_emplace(as_vote(candidates[i].text), std::size_t{0}, i).first->second.first;
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (const auto& [vote, counted] : votes)
        if (counted.first > best.first || (counted.first == best.first && counted.second < best.second))
            best = counted;
    return best.second;
}

chooser best_by(std::function<double(const contribution&)> score)
{
    return [score = std::move(score)](const std::vector<contribution>& candidates) {
        std::size_t best = 0;
        double highest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const double reached = score(candidates[i]);
            if (std::isnan(reached) || reached <= highest) continue;
            highest = reached;
            best = i;
        }
        return best;
    };
}

}  // namespace weft::patterns

namespace weft::agent_detail {

using patterns::participant;

subgraph work_of(const participant& who, brief_function brief, take_function take)
{
    auto first = [brief = std::move(brief)](const node_context& outer) {
        return state_update{}.set(patterns::given_task, brief(outer));
    };
    auto last = [take = std::move(take), name = who.name()](const state& inner, node_context& outer) {
        const std::string* const said = inner.find(patterns::answer);
        if (!said)
            throw error{errc::missing_state_value, "participant '" + name + "'",
                        "it ended without a value of the key 'answer'"};
        return take(*said, outer);
    };
    return subgraph{.graph = who.graph(),
                    .shares_keys = false,
                    .make_inputs = std::move(first),
                    .take_outputs = std::move(last)};
}

void require_participants(std::string_view pattern, const std::vector<participant>& team)
{
    const std::string where = "patterns::" + std::string{pattern};
    if (team.empty()) throw error{errc::invalid_configuration, where, "nobody takes part: name at least one"};
    std::set<std::string_view> names;
    for (const participant& one : team) {
        if (own_nodes.contains(one.name()))
            throw error{errc::invalid_configuration, where,
                        "the name '" + one.name() + "' is one of the pattern itself: choose another"};
        if (!names.insert(one.name()).second)
            throw error{errc::invalid_configuration, where,
                        "the name '" + one.name() + "' is used twice: choose another"};
    }
}

take_function adds_contribution(std::string by, std::size_t place)
{
    return [by = std::move(by), place](const std::string& said, node_context& outer) {
        patterns::contribution added{by, static_cast<std::int64_t>(place), 1, said};
        outer.set(patterns::contributions, std::move(added));
        return command::next();
    };
}

}  // namespace weft::agent_detail

namespace weft {

template struct compiled_value<patterns::contribution>;
template struct compiled_value<list<patterns::contribution>>;
template struct compiled_key<list<patterns::contribution>, append>;

}  // namespace weft
