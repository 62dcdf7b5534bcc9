#pragma once

/** How a turn graph becomes a `weft::graph`. A part of turn_engine.hpp. */

#include <weft/facade/turn_engine.hpp>

#include <algorithm>

namespace weft::engine_detail {

/** A node of a turn graph with what its work needs in each visit. */
template <class S>
struct turn_node {
    std::string id;
    std::function<task<void>(S&, turn_context&)> work;
    std::shared_ptr<const turn_options<S>> options;
    std::optional<std::uint32_t> branch;   ///< Which, if it is one of a parallel edge.
    bool has_router = false;               ///< Then the state before it is kept, for a letter about the router.
};

/** One attempt of a node: the limits first, then the hooks around the work on a copy of the state. The copy becomes the
 *  state when the node has succeeded, so that a further attempt begins where this one did. */
template <class S>
task<command> run_turn_node(node_context& node, const turn_node<S>& of)
{
    turn_run<S>& run = *node.get(turn_run_key<S>);
    // A retry is part of a visit that was let in: limits are looked at before the visit, not before each attempt.
    if (const auto dimension = node.attempt() == 1 ? run.meter.used_up() : std::nullopt) {
        run.used_up = dimension;
        co_return command::fail("the run has used up its " + std::string{name_of(*dimension)});
    }
    S state = node.get(turn_state_key<S>());
    turn_context context{node, of.id, run.meter, run.correlation_id};
    if (of.options->on_before_node) of.options->on_before_node(of.id, state);
    co_await of.work(state, context);
    if (of.options->on_after_node) of.options->on_after_node(of.id, state);
    // A router runs after the node has written: its failure has to be told with the state before.
    if (of.has_router) run.before_router = node.get(turn_state_key<S>());
    // Branches of a parallel edge write side by side: a list that appends has no conflict, and the merge reads it.
    if (of.branch)
        node.set(turn_branches_key<S>, turn_branch<S>{*of.branch, std::move(state)});
    else
        node.set(turn_state_key<S>(), std::move(state));
    co_return command::next();
}

/** Makes the states of the branches one: the work of the node that a parallel edge joins in. */
template <class S>
void merge_turn_branches(node_context& node, const std::function<S(std::vector<S>)>& merge)
{
    std::vector<turn_branch<S>> branches = node.get(turn_branches_key<S>);
    // Branches end in any order; the merge gets them in the order of the targets.
    std::sort(branches.begin(), branches.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    std::vector<S> states;
    for (turn_branch<S>& branch : branches) states.push_back(std::move(branch.state));
    node.set(turn_state_key<S>(), merge(std::move(states)));
    // The next parallel edge begins with an empty list.
    node.overwrite(turn_branches_key<S>, std::vector<turn_branch<S>>{});
}

/** The end of a turn graph is the engine's end; all other ids are names of nodes. */
[[nodiscard]] inline std::string turn_target(const std::string& id)
{
    return id == turn_end ? std::string{weft::end} : id;
}
/** The name of the node that merges the branches of a parallel edge; it is shown in drawings and paths. */
[[nodiscard]] inline std::string merge_of(const std::string& from) { return from + " (merge)"; }

/** A router of the engine: an id that is no node throws here, where the id is still known. */
template <class S>
[[nodiscard]] edge_router turn_router(std::function<std::string(const S&)> router, std::vector<labelled_target> ways)
{
    return [router = std::move(router), ways = std::move(ways)](const state_view& state) {
        std::string id = router(state.get(turn_state_key<S>()));
        const bool is_known = std::any_of(ways.begin(), ways.end(), [&](const auto& way) { return way.label == id; });
        if (!is_known) throw invalid_turn_target{std::move(id)};
        return id;
    };
}

}  // namespace weft::engine_detail

namespace weft {

// Each node of the turn graph becomes one of the engine, and each parallel edge a fan-out with a merging node:
//
//     a -> [b, c] -> d     becomes     a -> a/b, a/c -> "a (merge)" -> d
//
// All faults of the plan are reported at once, before the engine's own check sees any of it.
template <std::copyable S>
turn_engine<S> turn_graph<S>::build(turn_options<S> options)
{
    namespace detail = engine_detail;
    turn_plan::require_unbuilt(is_built_);
    plan_.require_valid();
    if (options.limits.max_steps < 1)
        throw error{errc::invalid_configuration, "maxSteps", "it must be at least 1, got: 0"};
    is_built_ = true;
    // One copy of the hooks for all nodes, of all runs.
    const auto shared = std::make_shared<const turn_options<S>>(options);
    graph_builder made{"turn graph"};
    made.state(detail::turn_state_key<S>(), detail::turn_run_key<S>, detail::turn_branches_key<S>);
    made.edge(weft::start, plan_.entry());

    // A target of a parallel edge that also runs alone is two nodes of the engine: one writes the state, one a branch.
    const auto add = [&](const std::string& name, const turn_plan::node& node, std::optional<std::uint32_t> branch) {
        const auto place = static_cast<std::size_t>(plan_.find(node.id) - plan_.nodes().data());
        const bool has_router = node.leaves_by == turn_plan::edge_type::conditional && !branch;
        const auto of = std::make_shared<const detail::turn_node<S>>(
            detail::turn_node<S>{node.id, works_[place], shared, branch, has_router});
        // Retries and time limits are the engine's: a node of a turn graph adds none of its own.
        node_options how;
        how.retry = node.options.retry();
        how.timeout = node.options.timeout;
        made.node(name, [of](node_context& context) { return detail::run_turn_node(context, *of); }, std::move(how));
    };

    // A conditional edge may lead to every node and to the end; the graph has to know that when it is checked.
    std::vector<labelled_target> ways{{std::string{turn_end}, std::string{weft::end}}};
    for (const turn_plan::node& node : plan_.nodes()) ways.push_back({node.id, node.id});
    for (const turn_plan::node& node : plan_.nodes()) {
        // What only branches of parallel edges lead to is added there.
        if (!plan_.runs_alone(node.id)) continue;
        add(node.id, node, std::nullopt);
        const auto is_its = [&node](const auto& function) { return function.first == node.id; };
        switch (node.leaves_by) {
        case turn_plan::edge_type::none: made.edge(node.id, weft::end); break;
        case turn_plan::edge_type::plain: made.edge(node.id, detail::turn_target(node.targets.front())); break;
        case turn_plan::edge_type::conditional: {
            const auto router = std::find_if(routers_.begin(), routers_.end(), is_its);
            made.edge_route(node.id, detail::turn_router<S>(router->second, ways), ways);
            break;
        }
        case turn_plan::edge_type::parallel: {
            const std::string join = detail::merge_of(node.id);
            const auto merge = std::find_if(merges_.begin(), merges_.end(), is_its)->second;
            made.node(join, [merge](node_context& context) { detail::merge_turn_branches<S>(context, merge); });
            for (std::uint32_t i = 0; i < node.targets.size(); ++i) {
                const std::string branch = node.id + "/" + node.targets[i];
                add(branch, *plan_.find(node.targets[i]), i);
                made.edge(node.id, branch).edge(branch, join);
            }
            made.fan_in(node.id, join).edge(join, detail::turn_target(node.then));
            break;
        }
        }
    }
    return turn_engine<S>{made.build(), std::move(options)};
}

}  // namespace weft
