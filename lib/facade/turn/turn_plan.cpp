#include <weft/facade/turn/turn_plan.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <set>

namespace weft {

namespace {

// The texts of the mistakes are those of the source system, so that programs that compare them go on working.
[[noreturn]] void refuse(const std::string& why) { throw error{errc::invalid_graph, {}, why}; }

}  // namespace

retry_policy turn_node_options::retry() const
{
    // The source system counts what comes behind the first attempt, and its delays are exact.
    return {.attempts_max = static_cast<int>(max_retries) + 1,
            .initial = initial_delay,
            .factor = multiplier,
            .delay_max = std::chrono::hours{24},
            .jitter = jitter::none,
            .retry_on = retry_on};
}

const turn_plan::node* turn_plan::find(std::string_view id) const noexcept
{
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [id](const node& n) { return n.id == id; });
    return found == nodes_.end() ? nullptr : &*found;
}

void turn_plan::add_node(std::string id, turn_node_options options)
{
    if (is_blank(id)) refuse("addNode: Node ID must be a non-empty string.");
    if (find(id)) refuse("addNode: Node '" + id + "' already exists.");
    if (id == turn_end || id.starts_with("__")) refuse("addNode: Node ID '" + id + "' is reserved.");
    node added;
    added.id = std::move(id);
    added.options = std::move(options);
    nodes_.push_back(std::move(added));
}

turn_plan::node& turn_plan::leaving(const char* method, const std::string& from)
{
    const node* const found = find(from);
    if (!found) refuse(std::string{method} + ": Node '" + from + "' does not exist.");
    if (found->leaves_by != edge_type::none)
        refuse("Node '" + from + "' already has an outbound edge. Each node may have at most one.");
    return nodes_[static_cast<std::size_t>(found - nodes_.data())];
}

void turn_plan::require_target(const char* method, const std::string& to) const
{
    if (to != turn_end && !find(to)) refuse(std::string{method} + ": Node '" + to + "' does not exist.");
}

void turn_plan::add_edge(const std::string& from, std::string to)
{
    node& source = leaving("addEdge", from);
    require_target("addEdge", to);
    source.leaves_by = edge_type::plain;
    source.targets = {std::move(to)};
}

void turn_plan::add_conditional_edge(const std::string& from)
{
    leaving("addConditionalEdge", from).leaves_by = edge_type::conditional;
}

void turn_plan::add_parallel_edge(const std::string& from, std::vector<std::string> targets, std::string then)
{
    node& source = leaving("addParallelEdge", from);
    if (targets.size() < 2) refuse("addParallelEdge: At least two targets are required.");
    for (const std::string& target : targets)
        if (!find(target)) refuse("addParallelEdge: Node '" + target + "' does not exist.");
    if (std::set<std::string>(targets.begin(), targets.end()).size() != targets.size())
        refuse("addParallelEdge: A target is named twice.");
    require_target("addParallelEdge", then);
    source.leaves_by = edge_type::parallel;
    source.targets = std::move(targets);
    source.then = std::move(then);
}

void turn_plan::set_entry(std::string id)
{
    if (!find(id)) refuse("setEntryPoint: Node '" + id + "' does not exist.");
    entry_ = std::move(id);
}

std::vector<std::string> turn_plan::validate() const
{
    if (entry_.empty()) return {"Entry point is not set."};
    std::vector<const node*> open{find(entry_)};
    std::set<std::string_view> reached{entry_};
    const auto reach = [&](std::string_view id) {
        if (const node* next = find(id); next && reached.insert(next->id).second) open.push_back(next);
    };
    while (!open.empty()) {
        const node& at = *open.back();
        open.pop_back();
        for (const std::string& target : at.targets) reach(target);
        reach(at.then);
        // A condition gives any name when it runs: what it may lead to is not known before.
        if (at.leaves_by == edge_type::conditional)
            for (const node& any : nodes_) reach(any.id);
    }
    std::vector<std::string> mistakes;
    for (const node& n : nodes_)
        if (!reached.contains(n.id)) mistakes.push_back("Node '" + n.id + "' is unreachable from the entry point.");
    return mistakes;
}

void turn_plan::require_valid() const
{
    const std::vector<std::string> mistakes = validate();
    if (mistakes.empty()) return;
    std::string text = "Graph validation failed:";
    for (const std::string& mistake : mistakes) text.append("\n  - ").append(mistake);
    refuse(text);
}

void turn_plan::require_unbuilt(bool is_built)
{
    if (is_built) refuse("The graph has already been built. Make another builder.");
}

bool turn_plan::has_conditional_edges() const noexcept
{
    const auto is_conditional = [](const node& n) { return n.leaves_by == edge_type::conditional; };
    return std::any_of(nodes_.begin(), nodes_.end(), is_conditional);
}

bool turn_plan::runs_alone(std::string_view id) const noexcept
{
    // A node that is only a target of a parallel edge runs in a branch, and never by itself.
    if (id == entry_ || has_conditional_edges()) return true;
    return std::any_of(nodes_.begin(), nodes_.end(), [id](const node& n) {
        return n.then == id || (n.leaves_by == edge_type::plain && n.targets.front() == id);
    });
}

}  // namespace weft
