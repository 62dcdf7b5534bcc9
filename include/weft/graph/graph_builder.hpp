#pragma once

#include <weft/base/memory/hidden_ptr.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/goal.hpp>
#include <weft/graph/node/graph_conversation.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace weft {

class expression;

namespace graph_detail {

template <class Function>
concept wrong_node_work =
    !node_function<std::decay_t<Function>> && !std::is_convertible_v<Function, std::shared_ptr<const node_body>> &&
    !std::is_convertible_v<Function, subgraph>;

template <class Condition>
concept wrong_condition =
    !std::is_convertible_v<Condition, edge_predicate> && !std::is_convertible_v<Condition, std::string_view> &&
    !std::is_same_v<std::remove_cvref_t<Condition>, expression>;

/** False: for overloads that are chosen for what is wrong. */
template <class>
inline constexpr bool is_right = false;

}  // namespace graph_detail

/** All mistakes of a graph, each naming its node, edge index or key and what to do. */
class graph_error : public error {
public:
    graph_error(std::string graph, std::vector<std::string> mistakes);
    [[nodiscard]] const std::vector<std::string>& mistakes() const noexcept { return mistakes_; }

private:
    std::vector<std::string> mistakes_;
};

/** Describes a graph step by step. Nothing is checked before `build`, which reports every mistake at once.
 *
 *      weft::graph g = weft::graph_builder{"hello"}.state(name).node("greet", greet)
 *                          .edge(weft::start, "greet").build();
 *
 *  A copy is a description of its own; it shares the work of the nodes.
 *
 *  @par Thread safety   None.
 */
class graph_builder {
public:
    explicit graph_builder(std::string name);

    /** Declares keys. */
    template <class... Keys>
    graph_builder& state(const Keys&... keys)
    {
        (add_key(keys), ...);
        return *this;
    }

    /** Declares a key whose type is known elsewhere. */
    graph_builder& declare(const any_state_key& key)
    {
        add_key(key);
        return *this;
    }
    /** What a key has when a run begins. JSON input replaces it; what else a run begins with joins it as a write. */
    template <class T, class R>
    graph_builder& initial(const state_key<T, R>& key, std::type_identity_t<T> value)
    {
        const any_state_key any = key;
        return initial(any, value_ptr{make_box<T>(std::move(value))});
    }
    graph_builder& initial(const any_state_key& key, value_ptr value);

    /** Adds a node. `work` serves all runs of the graph, on all their OS threads. */
    template <class Function>
        requires node_function<std::decay_t<Function>>
    graph_builder& node(std::string_view name, Function&& work)
    {
        return add_node(name, make_node_body(std::forward<Function>(work)), node_options_by_default());
    }
    template <class Function>
        requires node_function<std::decay_t<Function>>
    graph_builder& node(std::string_view name, Function&& work, node_options options)
    {
        return add_node(name, make_node_body(std::forward<Function>(work)), share_options(std::move(options)));
    }

    /** What is no node says so in one line of the compiler. */
    template <class Function>
        requires graph_detail::wrong_node_work<Function>
    graph_builder& node(std::string_view, Function&&, node_options = {})
    {
        static_assert(graph_detail::is_right<Function>,
                      "a node is a callable on weft::node_context& or on nothing that returns void, weft::command, "
                      "weft::state_update, or a weft::task or boost::asio::awaitable of one of these");
        return *this;
    }

    /** Adds a node whose work is there already, e.g. one that `node_registry::function` gave. */
    graph_builder& node(std::string_view name, std::shared_ptr<const node_body> work, node_options options = {})
    {
        return add_node(name, std::move(work), share_options(std::move(options)));
    }

    /** Adds a node whose work is a graph. */
    graph_builder& node(std::string_view name, subgraph inner, node_options options = {});

    /** Plain: taken after success when none of the node's conditional edges was. Several fan out. */
    graph_builder& edge(std::string_view from, std::string_view to, edge_options options = {});
    /** Plain edges from each node to the next: `.chain({weft::start, "plan", "write", weft::end})`. */
    graph_builder& chain(std::initializer_list<std::string_view> nodes);
    /** Plain, and the target begins with the source: it reads the stream that the source still writes.
     *
     *      builder.node("write", weft::streaming(write, draft)).node("send", weft::streaming(draft, send))
     *             .edge_stream("write", "send");
     *
     *  Both are nodes of `weft::streaming` that name the same key. The items are pulled: a reader that is slow slows
     *  the writer, nothing waits between them. Several readers get every item each. A node may read one and give
     *  another one. What the source's visit bounds, its timeout, its retries and a stop, bounds all of
     *  them; they see the state as it was when it began. The visit of a reader, with its writes, its failure and its
     *  edges, comes after the source's as over any other edge. */
    graph_builder& edge_stream(std::string_view from, std::string_view to, edge_options options = {});
    /** Taken after every success, beside whatever else fires. */
    graph_builder& edge_on_success(std::string_view from, std::string_view to, edge_options options = {});
    /** Taken when the node has failed for good. */
    graph_builder& edge_on_failure(std::string_view from, std::string_view to, edge_options options = {});
    /** Taken when the node has failed because a budget has not enough left: a way to end well. */
    graph_builder& edge_on_budget(std::string_view from, std::string_view to, edge_options options = {});
    /** Like plain, and after failure too. */
    graph_builder& edge_always(std::string_view from, std::string_view to, edge_options options = {});
    /** Taken when `holds` does; of a node's conditional edges only the first that holds. */
    graph_builder& edge_when(std::string_view from, std::string_view to, edge_predicate holds,
                             edge_options options = {});
    /** The same with a condition in a subset of Python, `"confidence >= 0.8 and topic in ['rain', 'snow']"`: see
     *  `expression`. Its names are keys, `output` (what `from` wrote), `result` (its member of that name) and `memory`
     *  (all keys). An empty text always holds. An evaluation that fails counts as false, and an event says why. */
    graph_builder& edge_when(std::string_view from, std::string_view to, std::string_view expression,
                             edge_options options = {});
    /** The same with a condition that is compiled already. */
    graph_builder& edge_when(std::string_view from, std::string_view to, const expression& condition,
                             edge_options options = {});

    template <class Condition>
        requires graph_detail::wrong_condition<Condition>
    graph_builder& edge_when(std::string_view, std::string_view, Condition&&, edge_options = {})
    {
        static_assert(graph_detail::is_right<Condition>,
                      "a condition is a text, a weft::expression or a callable bool(const weft::state_view&)");
        return *this;
    }

    /** A decision with labels, asked in its turn among the conditional edges: `route` gives the label to follow. */
    graph_builder& edge_route(std::string_view from, edge_router route, std::vector<labelled_target> targets,
                              edge_options options = {});
    /** Where the node's answers `command::label` lead. Of the options the values that move along count. */
    graph_builder& edge_label(std::string_view from, std::vector<labelled_target> targets,
                              edge_options options = {});
    /** A model chooses one of `targets`, in one call, when no conditional edge was taken. Without a usable answer the
     *  fallback is taken; it need not be among the targets. */
    graph_builder& edge_llm(std::string_view from, std::vector<std::string> targets, llm_options options);

    /** What its runs are for, and by what they are judged at the end. */
    graph_builder& goal(weft::goal what);

    /** What the graph does, for people and for the prompts of its agents. */
    graph_builder& describe(std::string text);
    /** One conversation threads through all nodes but those with `node_options::is_isolated`: nodes that talk carry it
     *  on, and the others leave in it what they gave. Declares its key. */
    graph_builder& conversation(const graph_conversation& how);

    /** How often in a row a branch may visit one node, in all runs of the graph; `run_options::in_a_row_max` can only
     *  make it stricter. */
    graph_builder& in_a_row_max(std::uint32_t visits, step_limit_action action = step_limit_action::fail);

    /** Which memory the nodes use, and how much goes in; see `node_context::memory`. */
    graph_builder& memory(graph_memory what);

    /** How nodes choose their edges that do not say it themselves. */
    graph_builder& routing(weft::routing how);

    /** How the fan-out of `source` behaves. */
    graph_builder& fan_out(std::string_view source, fan_out_options options);
    /** Where the branches of `source` meet, instead of the place the graph finds. */
    graph_builder& fan_in(std::string_view source, std::string_view join);
    /** How the fan-out of `source` behaves; the place where its branches meet is found. */
    graph_builder& fan_in(std::string_view source, fan_out_options options) { return fan_out(source, options); }

    /** What happens when branches write the same key without a reducer, in the whole graph. */
    graph_builder& conflict(conflict_strategy strategy);
    /** The same for one key; comes before the fan-out's and the graph's. */
    graph_builder& conflict(const any_state_key& key, conflict_strategy strategy);

    /** The graph. The builder keeps its description and may be used again.
     *  @par Errors  `graph_error` (`errc::invalid_graph`) with every mistake. */
    [[nodiscard]] graph build() const;
    /** The graph, or every mistake. */
    [[nodiscard]] std::variant<graph, std::vector<std::string>> try_build() const;

    struct description;

private:
    void add_key(const any_state_key& key);
    graph_builder& add_node(std::string_view name, std::shared_ptr<const node_body> body,
                            std::shared_ptr<const node_options> options);
    graph_builder& add_edge(std::string_view from, std::string_view to, edge_kind kind, edge_options options);

    hidden_ptr<description> description_;
};

}  // namespace weft
