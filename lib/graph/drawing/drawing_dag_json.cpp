#include <weft/graph/drawing.hpp>

#include <weft/graph/node/subgraph.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace weft {

namespace {

namespace json = boost::json;

std::string iso_8601(std::chrono::system_clock::time_point when)
{
    using namespace std::chrono;
    const auto day = floor<days>(when);
    const year_month_day date{day};
    const hh_mm_ss time{floor<milliseconds>(when - day)};
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
    return text;
}

class dag_writer {
public:
    dag_writer(const graph& g, const drawing_options& options)
        : g_{g}, options_{options}, ran_{options.overlay ? &*options.overlay : nullptr}
    {
    }

    json::object run()
    {
        find_start();
        json::object dag;
        dag["schemaVersion"] = "1.3";
        dag["type"] = "dag";
        dag["workflow"] = "SEQUENTIAL";
        dag["generatedAt"] = options_.generated_at ? json::value(iso_8601(*options_.generated_at)) : nullptr;
        dag["agents"] = json::array{};
        dag["tasks"] = tasks();
        dag["parallelGroups"] = json::array{};
        dag["criticalPath"] = json::array{};
        dag["mapReduceMode"] = nullptr;
        dag["mode"] = "graph";
        dag["graphEdges"] = edges();
        dag["graphStartStateId"] = id_of(only_first_ == no_node ? start_node : only_first_);
        dag["graphTerminationReason"] = ran_ && !ran_->termination.empty() ? json::value(reason()) : nullptr;
        dag["graphStepsRun"] = ran_ ? json::value(std::int64_t{ran_->steps}) : nullptr;
        return dag;
    }

private:
    /** A run of the source begins at one state. */
    void find_start()
    {
        const auto first = g_.all_edges(g_.node(start_node));
        if (first.size() == 1 && first.front().kind == edge_kind::plain && first.front().target != end_node)
            only_first_ = first.front().target;
    }

    /** States in the order of declaration, then the end, then the start if it is a task at all. */
    [[nodiscard]] std::string id_of(node_index n) const
    {
        if (n == end_node) return std::to_string(g_.node_count());
        if (n == start_node) return std::to_string(g_.node_count() + 1);
        return std::to_string(n - 1);
    }

    [[nodiscard]] json::object task(node_index n, const char* type, std::string description, std::string role,
                                    std::string output) const
    {
        json::object task;
        task["id"] = id_of(n);
        task["description"] = std::move(description);
        task["expectedOutput"] = std::move(output);
        task["agentRole"] = std::move(role);
        task["dependsOn"] = json::array{};
        task["parallelGroup"] = 0;
        task["onCriticalPath"] = false;
        task["nodeType"] = type;
        const bool is_first = n == start_node || (n == only_first_ && n != no_node);
        task["badge"] = n == end_node ? "END" : is_first ? "START" : "STATE";
        const bool is_node = n != end_node && n != start_node;
        task["visits"] = ran_ && is_node && n < ran_->nodes.size() ? json::value(std::int64_t{ran_->nodes[n].visits})
                                                                    : json::value(nullptr);
        return task;
    }

    /** What the options say of a node, and where they say nothing what the graph does. */
    // What the program says of a task comes first; the graph fills in what is left empty.
    [[nodiscard]] drawn_task shown_task(const graph_node& node) const
    {
        drawn_task shown;
        if (const auto given = options_.tasks.find(node.name); given != options_.tasks.end()) shown = given->second;
        if (shown.description.empty()) shown.description = node.options->description;
        const subgraph* const inner = node.body->inner();
        if (shown.role.empty())
            shown.role = inner ? "(graph " + std::string{inner->graph.name()} + ")" : "(deterministic)";
        if (!shown.expected_output.empty() || !node.options->writes) return shown;
        for (const std::string& key : *node.options->writes)
            shown.expected_output.append(shown.expected_output.empty() ? "" : ", ").append(key);
        return shown;
    }

    [[nodiscard]] json::array tasks() const
    {
        json::array all;
        for (node_index n = 1; n < g_.size(); ++n) {
            const drawn_task shown = shown_task(g_.node(n));
            std::string description{g_.node(n).name};
            if (!shown.description.empty()) description += ": " + shown.description;
            all.push_back(task(n, "graph-state", std::move(description), shown.role, shown.expected_output));
        }
        all.push_back(task(end_node, "graph-end", "END", "(terminal)", "(terminal)"));
        if (only_first_ == no_node) all.push_back(task(start_node, "graph-start", "START", "(initial)", "(initial)"));
        return all;
    }

    [[nodiscard]] json::object edge(node_index from, node_index to, json::value condition, bool is_unconditional,
                                    std::uint32_t times) const
    {
        json::object edge;
        edge["fromStateId"] = id_of(from);
        edge["toStateId"] = id_of(to);
        edge["conditionDescription"] = std::move(condition);
        edge["unconditional"] = is_unconditional;
        edge["fired"] = times > 0;
        return edge;
    }

    [[nodiscard]] json::object declared_edge(node_index from, const graph_edge& e) const
    {
        const bool is_unconditional = e.kind == edge_kind::plain || e.kind == edge_kind::on_success ||
                                      e.kind == edge_kind::always;
        json::value condition = nullptr;
        if (!e.label.empty())
            condition = e.label;
        else if (!is_unconditional)
            condition = e.kind == edge_kind::when ? "predicate" : name_of(e.kind);
        return edge(from, e.target, std::move(condition), is_unconditional, ran_ ? ran_->times_taken(e.declared) : 0);
    }

    void add_jumps(node_index n, json::array& all) const
    {
        const graph_node& node = g_.node(n);
        std::vector<node_index> shown_targets;
        const auto add = [&](node_index target, json::value condition, bool is_unconditional) {
            if (std::find(shown_targets.begin(), shown_targets.end(), target) != shown_targets.end()) return;
            shown_targets.push_back(target);
            const std::uint32_t times = ran_ ? ran_->times_jumped(n, target) : 0;
            all.push_back(edge(n, target, std::move(condition), is_unconditional, times));
        };
        const auto by_llm = g_.by_llm(node);
        const auto is_fallback = [&](const graph_edge& e) { return e.target == node.fallback; };
        if (node.fallback != no_node && std::none_of(by_llm.begin(), by_llm.end(), is_fallback))
            add(node.fallback, "fallback", false);
        for (const std::string& name : node.options->goes_to) add(g_.find(name), "command", false);
        if (g_.ways_on(node).empty() && node.options->goes_to.empty()) add(end_node, nullptr, true);
        if (!ran_) return;
        for (const run_overlay::jump& j : ran_->jumps)
            if (j.source == n) add(j.target, "command", false);
    }

    [[nodiscard]] json::array edges() const
    {
        std::vector<std::pair<const graph_edge*, node_index>> declared;
        for (node_index n = only_first_ == no_node ? start_node : 1; n < g_.size(); ++n)
            for (const graph_edge& e : g_.all_edges(g_.node(n))) declared.emplace_back(&e, n);
        std::sort(declared.begin(), declared.end(),
                  [](const auto& a, const auto& b) { return a.first->declared < b.first->declared; });
        json::array all;
        all.reserve(declared.size());
        for (const auto& [e, from] : declared) all.push_back(declared_edge(from, *e));
        for (node_index n = 1; n < g_.size(); ++n) add_jumps(n, all);
        return all;
    }

    [[nodiscard]] std::string reason() const
    {
        if (ran_->was_cut_short) return "maxSteps";
        return ran_->termination == "finished" ? "terminal" : ran_->termination;
    }

    const graph& g_;
    const drawing_options& options_;
    const run_overlay* ran_;
    node_index only_first_ = no_node;
};

}  // namespace

json::object to_dag_json(const graph& what, const drawing_options& options) { return dag_writer{what, options}.run(); }

}  // namespace weft
