#include <weft/facade/state_graph.hpp>

#include <weft/engine/run/execution_meta.hpp>

#include "state_checks.hpp"
#include "state_run.hpp"

#include <weft/base/random.hpp>
#include <weft/base/system/id_generator.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_builder.hpp>

#include <algorithm>
#include <set>

namespace weft {

namespace {

using engine_detail::parent_target_key;

command to_command(node_context& context, state_command given)
{
    if (!given.messages().empty()) context.set(context_key, given.messages());
    for (state_update::item& item : given.values().items())
        context.write({context.layout().require(item.key, context.node()), item.is_overwrite, false,
                       std::move(item.value)});
    if (given.target().empty()) return command::next();
    if (!given.leaves_graph()) return command::go_to(given.target());
    // The graph around it reads the key when this one has ended: a command cannot leave its graph by itself.
    context.overwrite(parent_target_key, given.target());
    return command::end();
}

/** What stands for the result of a node that has failed, if the graph names one. */
std::optional<state_command> recovery_of(const node_context& context, const std::exception_ptr& cause,
                                         const state_recovery& recover, const retry_policy& retry)
{
    const errc code = code_of(cause);
    const bool is_over = !retry.retries_after(static_cast<int>(context.attempt()), code);
    if (!recover || !is_over || code == errc::cancelled) return std::nullopt;
    return recover(context, cause);
}

struct node_plan {
    state_work work;
    state_recovery recover;
    retry_policy retry;
};

task<command> run_node(node_context& context, const node_plan& plan)
{
    std::exception_ptr cause;
    state_command given;
    context.set(execution_meta_key, execution_meta{std::string{context.node()}});
    try {
        given = co_await plan.work(context);
    } catch (...) {
        cause = std::current_exception();
    }
    if (cause) {
        // What a failed attempt has written does not count, and the recovery begins with nothing.
        context.writes().clear();
        context.set(execution_meta_key, execution_meta{std::string{context.node()}});
        auto recovered = recovery_of(context, cause, plan.recover, plan.retry);
        if (!recovered) std::rethrow_exception(cause);
        given = std::move(*recovered);
    }
    co_return to_command(context, std::move(given));
}

/** Where the node goes on whose inner graph has finished. */
command leave(const state& inner, node_context& outer)
{
    outer.overwrite(execution_meta_key, execution_meta{std::string{outer.node()}});
    const std::string* const target = inner.find(parent_target_key);
    if (!target || target->empty()) return command::next();
    std::string name = *target;
    // Cleared, or the next graph in a node would leave by it too.
    outer.overwrite(parent_target_key, std::string{});
    return command::go_to(std::move(name));
}

pause_point pauses_of(const std::string& node, const state_compile_options& options)
{
    const auto has = [&node](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), node) != names.end();
    };
    const bool before = has(options.interrupt_before);
    const bool after = has(options.interrupt_after);
    if (before && after) return pause_point::both;
    return before ? pause_point::before : after ? pause_point::after : pause_point::never;
}

/** The name of a way: labels of two decisions of a node may be the same. */
std::string way_of(std::size_t decision, const std::string& label) { return std::to_string(decision) + ":" + label; }
constexpr const char* static_way = "static";

/** Asks a node's decisions in their order. */
class decisions_of_node {
public:
    decisions_of_node(std::string node, std::vector<state_graph::decision> decisions)
        : node_{std::move(node)}, decisions_{std::move(decisions)}
    {
    }

    std::string operator()(const state_view& state) const
    {
        for (std::size_t i = 0; i < decisions_.size(); ++i)
            if (const std::optional<std::string> label = decisions_[i].route(state)) {
                require_known(decisions_[i], *label);
                return way_of(i, *label);
            }
        return static_way;
    }

private:
    void require_known(const state_graph::decision& decision, const std::string& label) const
    {
        std::string allowed;
        for (const labelled_target& way : decision.map) {
            if (way.label == label) return;
            allowed.append(allowed.empty() ? "'" : ", '").append(way.label + "'");
        }
        throw state_graph_error{"GRAPH_000", errc::unknown_label,
                                "The condition of node '" + node_ + "' gave '" + label + "'. Allowed: " + allowed};
    }

    std::string node_;
    std::vector<state_graph::decision> decisions_;
};

void add_nodes(graph_builder& to, const state_graph& from, const state_compile_options& options)
{
    for (const state_graph::node& node : from.nodes()) {
        node_options how = node.options.options;
        how.pauses = pauses_of(node.name, options);
        if (how.writes) how.writes->emplace_back(execution_meta_key.name());
        // Nodes may be reached by commands alone; the engine refuses what it finds unreachable, so the entry says that
        // it may go anywhere.
        if (node.name == from.entry())
            for (const state_graph::node& other : from.nodes()) how.goes_to.push_back(other.name);
        if (node.inner) {
            to.node(node.name, subgraph{.graph = *node.inner, .take_outputs = &leave}, std::move(how));
            continue;
        }
        const auto plan = std::make_shared<const node_plan>(
            node_plan{node.work, options.on_error, how.retry});
        to.node(node.name, [plan](node_context& context) { return run_node(context, *plan); }, std::move(how));
    }
}

void add_decisions(graph_builder& to, const state_graph& from, const std::string& node, const std::string& otherwise)
{
    std::vector<state_graph::decision> decisions;
    std::vector<labelled_target> ways{{static_way, otherwise}};
    for (state_graph::decision decision : from.decisions()) {
        if (decision.from != node) continue;
        // Without a map a decision names the node itself.
        if (decision.map.empty()) {
            for (const state_graph::node& other : from.nodes()) decision.map.push_back({other.name, other.name});
            decision.map.push_back({std::string{weft::end}, std::string{weft::end}});
        }
        for (const labelled_target& way : decision.map)
            ways.push_back({way_of(decisions.size(), way.label), way.target});
        decisions.push_back(std::move(decision));
    }
    to.edge_route(node, decisions_of_node{node, std::move(decisions)}, std::move(ways));
}

void add_edges(graph_builder& to, const state_graph& from)
{
    to.edge(weft::start, from.entry());
    for (const state_graph::node& node : from.nodes()) {
        const auto is_from = [&node](const auto& way) { return way.from == node.name; };
        // Of several static edges the first counts, and a node without one leads to the end, as in the source system.
        const auto first = std::find_if(from.edges().begin(), from.edges().end(), is_from);
        const std::string next{first == from.edges().end() ? std::string{weft::end} : first->to};
        if (std::any_of(from.decisions().begin(), from.decisions().end(), is_from))
            add_decisions(to, from, node.name, next);
        else
            to.edge(node.name, next);
    }
}

}  // namespace

state_graph& state_graph::add(node added)
{
    const auto has_its_name = [&](const node& n) { return n.name == added.name; };
    const bool is_known = std::any_of(nodes_.begin(), nodes_.end(), has_its_name);
    const bool is_nothing = is_blank(added.name);
    if (is_known || is_nothing || added.name == weft::start || added.name == weft::end)
        throw state_graph_error{"GRAPH_000", errc::invalid_graph,
                                "Invalid arguments for add_node: the name '" + added.name + "' is " +
                                    (is_known ? "taken" : is_nothing ? "blank" : "reserved")};
    nodes_.push_back(std::move(added));
    return *this;
}

state_graph& state_graph::add_node(std::string name, const compiled_state_graph& inner, state_node_options options)
{
    return add({std::move(name), {}, inner.graph(), std::move(options)});
}

state_graph& state_graph::override_with(std::string_view name, state_work work)
{
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [name](const node& n) { return n.name == name; });
    if (found == nodes_.end())
        throw error{errc::unknown_node, "override_node", "'" + std::string{name} + "'; add it with add_node first"};
    found->work = std::move(work);
    found->inner.reset();
    return *this;
}

state_graph& state_graph::add_edge(std::string from, std::string to)
{
    if (from == weft::start) return set_entry_point(std::move(to));
    edges_.push_back({std::move(from), std::move(to)});
    return *this;
}

state_graph& state_graph::add_conditional_edges(std::string from, state_router route, std::vector<labelled_target> map)
{
    decisions_.push_back({std::move(from), std::move(route), std::move(map)});
    return *this;
}

state_graph& state_graph::set_entry_point(std::string node)
{
    entry_ = std::move(node);
    return *this;
}

compiled_state_graph state_graph::compile(state_compile_options options) const
{
    engine_detail::check(*this, options);
    graph_builder made{name_};
    for (const any_state_key& key : keys_) made.declare(key);
    made.state(context_key, execution_meta_key, parent_target_key);
    add_nodes(made, *this, options);
    add_edges(made, *this);
    return compiled_state_graph{made.build(), std::move(options)};
}

task<state_result> compiled_state_graph::invoke(state_request request) const
{
    return engine_detail::run_thread(*this, std::move(request));
}

std::string compiled_state_graph::new_thread_id(random_source& random) const
{
    if (ids_) return ids_->next();
    std::string id = "thread-";
    for (int i = 0; i < 16; ++i) id.push_back("0123456789abcdef"[random.below(16)]);
    return id;
}

stop_answer compiled_state_graph::stop(const std::string& thread) const
{
    if (!threads_) return {.ok = false, .running = false, .reason = "no-checkpointer"};
    if (threads_->pause(thread)) return {.ok = true, .running = true, .reason = {}};
    const bool is_known = threads_->load(thread).has_value();
    return {.ok = is_known, .running = false, .reason = is_known ? "not-running" : "no-state"};
}

}  // namespace weft
