#include <weft/agent/playbook.hpp>

#include <weft/base/text/joined_text.hpp>

#include "agent/text/names.hpp"
#include "playbook_text.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace weft {

namespace {

constexpr std::chrono::milliseconds wait_max = std::chrono::hours{30 * 24};
constexpr std::size_t playbook_nodes_max = 1'000;

/** Looks a playbook over. */
class playbook_checker {
public:
    explicit playbook_checker(const playbook_definition& of) : of_{of} {}

    std::vector<playbook_mistake> check()
    {
        if (of_.name.empty()) add("$.name", "is empty: give it one");
        if (of_.nodes.size() > playbook_nodes_max) add("$.nodes", "are too many: at most 1000");
        for (std::size_t i = 0; i < of_.nodes.size(); ++i) check_node(i);
        const auto is_trigger = [](const playbook_node& node) { return node.is(playbook_subtype::trigger); };
        const auto triggers = std::count_if(of_.nodes.begin(), of_.nodes.end(), is_trigger);
        if (triggers == 0) add("$.nodes", "has no trigger nodes: add one");
        if (triggers > 1) add("$.nodes", "has several trigger nodes: keep one");
        for (std::size_t i = 0; i < of_.edges.size(); ++i) check_edge(i);
        for (std::size_t i = 0; i < of_.nodes.size(); ++i) check_transfer(i);
        return std::move(found_);
    }

private:
    void add(std::string path, std::string text) { found_.push_back({std::move(path), std::move(text)}); }
    [[nodiscard]] static std::string path_of(std::string_view list, std::size_t index, std::string_view member)
    {
        std::string path = "$." + std::string{list} + "[" + std::to_string(index) + "]";
        return member.empty() ? path : path.append(".").append(member);
    }
    void in_node(std::size_t i, std::string_view member, std::string text)
    {
        add(path_of("nodes", i, member), std::move(text));
    }

    void check_node(std::size_t i)
    {
        const playbook_node& node = of_.nodes[i];
        if (node.id.empty()) in_node(i, "id", "is empty: give it one");
        else if (!ids_.insert(node.id).second) in_node(i, "id", "'" + node.id + "' is there twice");
        // `__start__` and `__end__` are names of the graph that is made of it.
        if (node.id.starts_with("__")) in_node(i, "id", "begins with '__', which is reserved");
        // Templates name nodes by their labels, so that two of one label could not be told apart.
        if (!labels_.insert(node.name()).second) in_node(i, "label", "'" + node.name() + "' is there twice");
        const std::optional<playbook_subtype> subtype = playbook_subtype_named(node.subtype);
        if (!subtype) return in_node(i, "subtype", "'" + node.subtype + "' is none; there are: " + subtypes());
        check_members(i, node, *subtype);
        check_condition_mode(i, node);
        check_templates(i, node);
    }

    static std::string subtypes()
    {
        std::vector<std::string> names;
        for (int i = 0; i <= static_cast<int>(playbook_subtype::desktop_notification); ++i)
            names.push_back(name_of(static_cast<playbook_subtype>(i)));
        return joined_text(names);
    }

    void need(std::size_t i, std::string_view member, const std::string& value)
    {
        if (value.empty()) in_node(i, member, "is missing: the subtype " + of_.nodes[i].subtype + " needs it");
    }

    void check_members(std::size_t i, const playbook_node& node, playbook_subtype subtype)
    {
        using enum playbook_subtype;
        switch (subtype) {
        case agent:
        case response:
        case orchestrator_prompt:
        case desktop_notification:
        case user_input: need(i, "prompt", node.prompt); break;
        case tool_call:
        case function:
        case integration_call: need(i, "tool", node.tool); break;
        case condition: need(i, "condition", node.condition); break;
        case sub_workflow:
        case transfer: need(i, "workflow", node.workflow); break;
        case router:
            if (node.routes.empty()) in_node(i, "routes", "is missing: name at least one route");
            break;
        case wait: check_wait(i, node); break;
        case parallel:
            if (node.strategy != "wait-all" && node.strategy != "first")
                in_node(i, "strategy", "'" + node.strategy + "' is none; there are: wait-all, first");
            break;
        case loop: check_loop(i, node); break;
        case trigger:
        case merge: break;
        }
    }

    void check_wait(std::size_t i, const playbook_node& node)
    {
        const std::optional<std::chrono::milliseconds> span = node.span();
        if (!span) in_node(i, "unit", "'" + node.unit + "' is none; there are: seconds, minutes, hours");
        if (!(node.amount > 0) || (span && *span > wait_max))
            in_node(i, "amount", "is out of range: more than 0, and at most 30 days");
    }

    void check_loop(std::size_t i, const playbook_node& node)
    {
        if (node.max_iterations < 1 || node.max_iterations > 1'000)
            in_node(i, "max_iterations", "is out of range: it is 1 to 1000");
        if (node.condition_mode == "llm") need(i, "condition", node.condition);
    }

    void check_condition_mode(std::size_t i, const playbook_node& node)
    {
        const std::string& mode = node.condition_mode;
        if (!mode.empty() && mode != "template" && mode != "llm")
            in_node(i, "condition_mode", "'" + mode + "' is none; there are: template, llm");
    }

    void check_templates(std::size_t i, const playbook_node& node)
    {
        const auto check = [&](std::string_view member, std::string_view text) {
            for (const playbook_place& place : playbook_places(text))
                if (!place.member.empty() && !is_label(place.label))
                    in_node(i, member, "there is no node '" + place.label + "' for {{" + place.label + "." +
                                           place.member + "}}");
        };
        check("prompt", node.prompt);
        check("before", node.before);
        check("after", node.after);
        check("condition", node.condition);
        check_arguments(check, node.arguments);
    }

    template <class Check>
    static void check_arguments(const Check& check, const boost::json::value& value)
    {
        if (const auto* const text = value.if_string()) check("arguments", {text->data(), text->size()});
        if (const auto* const items = value.if_array())
            for (const boost::json::value& item : *items) check_arguments(check, item);
        if (const auto* const members = value.if_object())
            for (const auto& member : *members) check_arguments(check, member.value());
    }

    [[nodiscard]] bool is_label(std::string_view label) const
    {
        return std::any_of(of_.nodes.begin(), of_.nodes.end(),
                           [&](const playbook_node& node) { return node.name() == label; });
    }

    /** The ways out that a node has; empty: it has none by name. */
    void check_edge(std::size_t i)
    {
        const playbook_edge& edge = of_.edges[i];
        const playbook_node* const source = of_.find(edge.source);
        const playbook_node* const target = of_.find(edge.target);
        if (!source) add(path_of("edges", i, "source"), "there is no node '" + edge.source + "'");
        if (!target) add(path_of("edges", i, "target"), "there is no node '" + edge.target + "'");
        else if (target->is(playbook_subtype::trigger)) add(path_of("edges", i, "target"), "leads to a trigger");
        if (!source) return;
        const std::vector<std::string> handles = source->handles();
        if (handles.empty() && !edge.handle.empty())
            return add(path_of("edges", i, "handle"), "'" + edge.source + "' has no handles: leave it out");
        // Ways out without names fan out; one with a name is the answer of a decision, and leads to one place.
        if (handles.empty()) return;
        if (!agent_detail::contains(handles, edge.handle))
            return add(path_of("edges", i, "handle"), "'" + edge.handle + "' is none of '" + edge.source +
                                                          "'; there are: " + joined_text(handles));
        if (!taken_.insert({edge.source, edge.handle}).second)
            add(path_of("edges", i, "handle"), "'" + edge.handle + "' of '" + edge.source +
                                                   "' leads somewhere already: put a parallel node there");
    }

    /** A transfer ends everything, so it stands neither in the body of a loop nor beside other branches. */
    void check_transfer(std::size_t i)
    {
        const playbook_node& node = of_.nodes[i];
        if (!node.is(playbook_subtype::transfer)) return;
        for (const playbook_edge& edge : of_.edges)
            if (edge.handle == "loop-body" && reaches(edge.target, node.id, edge.source))
                in_node(i, "", "stands in the body of the loop '" + edge.source + "', where nothing may transfer");
        for (const playbook_node& fork : of_.nodes)
            if (is_fork(fork) && reaches(fork.id, node.id, merge_behind(fork)))
                in_node(i, "", "stands in a branch of '" + fork.id + "', where nothing may transfer");
    }

    [[nodiscard]] bool is_fork(const playbook_node& node) const
    {
        const auto starts_here = [&](const playbook_edge& edge) { return edge.source == node.id; };
        return node.handles().empty() && std::count_if(of_.edges.begin(), of_.edges.end(), starts_here) > 1;
    }

    /** The first merge that a fork leads to; empty if there is none. */
    [[nodiscard]] std::string merge_behind(const playbook_node& fork) const
    {
        std::vector<std::string> line{fork.id};
        std::set<std::string> seen{fork.id};
        // Breadth first, so that it is the nearest one.
        for (std::size_t at = 0; at < line.size(); ++at)
            for (const playbook_edge& edge : of_.edges) {
                if (edge.source != line[at] || !seen.insert(edge.target).second) continue;
                const playbook_node* const target = of_.find(edge.target);
                if (target && target->is(playbook_subtype::merge)) return edge.target;
                line.push_back(edge.target);
            }
        return {};
    }

    /** Whether a way leads from one node to another that does not go through a third. */
    [[nodiscard]] bool reaches(const std::string& from, const std::string& to, const std::string& without) const
    {
        std::vector<std::string> line{from};
        std::set<std::string> seen{from, without};
        for (std::size_t at = 0; at < line.size(); ++at) {
            if (line[at] == to) return true;
            for (const playbook_edge& edge : of_.edges)
                if (edge.source == line[at] && seen.insert(edge.target).second) line.push_back(edge.target);
        }
        return false;
    }

    const playbook_definition& of_;
    std::vector<playbook_mistake> found_;
    std::set<std::string> ids_, labels_;
    std::set<std::pair<std::string, std::string>> taken_;
};

}  // namespace

std::vector<playbook_mistake> mistakes_of(const playbook_definition& of) { return playbook_checker{of}.check(); }

}  // namespace weft
