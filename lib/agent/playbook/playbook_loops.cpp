#include "agent/guard/guard_checks.hpp"
#include "agent/text/names.hpp"
#include "playbook_choice.hpp"
#include "playbook_steps.hpp"

#include <weft/base/json.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft::agent_detail {

namespace {

/** Whether a node is on a way from the body of a loop back to it. */
bool lies_in_body(const playbook_definition& of, const std::string& loop, const std::string& id)
{
    std::vector<std::string> line;
    std::set<std::string> seen{loop};
    for (const playbook_edge& edge : of.edges)
        if (edge.source == loop && edge.handle == "loop-body" && seen.insert(edge.target).second)
            line.push_back(edge.target);
    for (std::size_t at = 0; at < line.size(); ++at)
        for (const playbook_edge& edge : of.edges)
            if (edge.source == line[at] && seen.insert(edge.target).second) line.push_back(edge.target);
    return contains(line, id);
}

/** What the nodes that lead back to the loop left last. */
boost::json::array body_results(const compiled_playbook& own, const std::string& loop, const node_context& node)
{
    boost::json::object by_label = playbook_results_before(
        own, loop, node, [&](const std::string& source) { return lies_in_body(own.of, loop, source); });
    boost::json::array results;
    for (auto& result : by_label) results.push_back(std::move(result.value()));
    return results;
}

bool leads_into_body(const playbook_definition& of, const std::string& loop)
{
    return std::any_of(of.edges.begin(), of.edges.end(), [&](const playbook_edge& edge) {
        return edge.source == loop && edge.handle == "loop-body";
    });
}

/** What was handed back in each iteration, for the nodes behind the loop. */
std::string conversation_of(const boost::json::array& iterations)
{
    std::string text;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        text.append(text.empty() ? "" : "\n\n").append("Iteration ").append(std::to_string(i + 1)).append(":");
        for (const boost::json::value& result : iterations[i].as_array())
            text.append("\n").append(result.is_string() ? std::string{result.get_string()}
                                                        : boost::json::serialize(result));
    }
    return text;
}

command end_or_go_on(const compiled_playbook& own, const playbook_node& what, playbook_loop& loop, bool holds,
                     node_context& node)
{
    const bool has_body = leads_into_body(own.of, what.id);
    const std::string_view reason = playbook_loop_end(loop, what.max_iterations, has_body, holds);
    if (!reason.empty()) {
        boost::json::object result;
        result["totalIterations"] = loop.iterations;
        result["exitReason"] = boost::json::string_view{reason.data(), reason.size()};
        result["conversation"] = conversation_of(loop.results);
        result["iterationResults"] = std::move(loop.results);
        keep_playbook_output(node, what, std::move(result));
        loop = playbook_loop{};
    }
    boost::json::object update;
    update[what.id] = to_json(loop);
    node.set(playbook_keys::loops, std::move(update));
    return command::label(reason.empty() ? "loop-body" : "loop-exit");
}

task<bool> condition_holds(const compiled_playbook& own, const playbook_node& what, const playbook_loop& loop,
                           node_context& node)
{
    std::string condition = fill_in_node(node, what.condition);
    if (what.condition_mode != "llm") co_return playbook_condition_holds(condition);
    // The template has the values of all nodes, and not the result of the iteration as a whole.
    condition += "\n\nThe last result: " + boost::json::serialize(loop.results.back());
    const bool holds = co_await holds_in_playbook(own, std::move(condition), node);
    co_return holds;
}

}  // namespace

task<command> do_playbook_loop(std::shared_ptr<const compiled_playbook> own, std::size_t index, node_context& node)
{
    refuse_trip(node);
    const playbook_node& what = own->of.nodes[index];
    playbook_loop loop;
    const boost::json::object* const loops = node.find(playbook_keys::loops);
    const boost::json::value* const kept = loops ? loops->if_contains(what.id) : nullptr;
    if (kept) loop = from_json<playbook_loop>(*kept);
    bool holds = false;
    if (loop.is_active) {
        ++loop.iterations;
        loop.results.push_back(body_results(*own, what.id, node));
        holds = co_await condition_holds(*own, what, loop, node);
    } else {
        loop = playbook_loop{};
        loop.is_active = true;
    }
    co_return end_or_go_on(*own, what, loop, holds, node);
}

}  // namespace weft::agent_detail
