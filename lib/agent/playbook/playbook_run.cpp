#include <weft/agent/playbook/playbook_run.hpp>

#include "agent/text/names.hpp"
#include "playbook_steps.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** The first playbook of a run, and all that may be transferred to, by sub-workflows too. */
std::vector<std::string> playbooks_of_run(std::string_view name, const playbook_library& library)
{
    std::vector<std::string> seen{std::string{name}};
    std::vector<std::string> targets = seen;
    for (std::size_t at = 0; at < seen.size(); ++at) {
        const auto found = library.find(seen[at]);
        if (found == library.end())
            throw error{errc::unknown_node, "playbook '" + seen[at] + "'", "there is none of that name in the library"};
        for (const playbook_node& node : found->second.nodes) {
            const bool transfers = node.is(playbook_subtype::transfer);
            if (transfers) agent_detail::add_once(targets, node.workflow);
            if (transfers || node.is(playbook_subtype::sub_workflow)) agent_detail::add_once(seen, node.workflow);
        }
    }
    return targets;
}

state_update first_values_of_playbook(const node_context& outer)
{
    const playbook_transfer* const to = outer.find(playbook_keys::transfer);
    state_update first;
    if (const conversation* const history = outer.find(playbook_keys::conversation))
        first.set(playbook_keys::conversation, *history);
    if (to && !to->workflow.empty())
        first.set(playbook_keys::trigger, boost::json::value(boost::json::string_view{to->payload}));
    else if (const boost::json::value* const trigger = outer.find(playbook_keys::trigger))
        first.set(playbook_keys::trigger, *trigger);
    return first;
}

command take_playbook(const state& left, node_context& outer, std::uint32_t transfers_max)
{
    outer.set(playbook_keys::workflows, std::string{outer.node()});
    if (const boost::json::object* const outputs = left.find(playbook_keys::outputs))
        outer.overwrite(playbook_keys::outputs, *outputs);
    if (const std::string* const said = left.find(playbook_keys::response)) outer.set(playbook_keys::response, *said);
    const playbook_transfer* const found = left.find(playbook_keys::transfer);
    playbook_transfer to = found ? *found : playbook_transfer{};
    const std::vector<std::string> before = outer.value_or(playbook_keys::workflows, {});
    // Playbooks that transfer to each other would go round for ever.
    if (!to.workflow.empty() && before.size() > transfers_max)
        throw error{errc::limit_reached, "playbook '" + std::string{outer.node()} + "'",
                    "more than " + std::to_string(transfers_max) + " transfers: do they go round?"};
    command answer = to.workflow.empty() ? command::end() : command::go_to(to.workflow);
    outer.set(playbook_keys::transfer, std::move(to));
    return answer;
}

/** Where an event happened: in which playbook, and in a node of it or not. */
const playbook_definition* playbook_at(std::string_view address, const playbook_library& library,
                                       const playbook_definition* of)
{
    while (!address.empty()) {
        const std::size_t end = std::min(address.find('/'), address.size());
        std::string_view name = address.substr(0, end);
        address.remove_prefix(std::min(end + 1, address.size()));
        if (of) {
            const playbook_node* const node = of->find(name);
            if (!node || !node->is(playbook_subtype::sub_workflow)) return nullptr;  // inside of an agent
            name = node->workflow;
        }
        const auto found = library.find(name);
        if (found == library.end() && !of) continue;  // a graph around the playbooks, as that of an agent
        if (found == library.end()) return nullptr;
        of = &found->second;
    }
    return of;
}

std::string_view playbook_word_for(const run_event& event)
{
    using kind = run_event::kind;
    switch (event.what) {
    case kind::run_started: return "workflow_started";
    case kind::run_finished: return event.text == "finished" ? "workflow_completed" : "workflow_failed";
    case kind::node_started: return "node_started";
    case kind::node_succeeded: return "node_completed";
    case kind::node_failed: return "node_failed";
    case kind::question_asked: return "node_waiting";
    case kind::edge_taken: return "edge_activated";
    default: return {};
    }
}

/** Adds a node for each of these playbooks of the library; the start leads to none of them yet. */
void add_playbooks(graph_builder& builder, const std::vector<std::string>& names, const playbook_options& options)
{
    builder.state(playbook_keys::trigger, playbook_keys::outputs, playbook_keys::response, playbook_keys::transfer,
                  playbook_keys::workflows, playbook_keys::conversation);
    for (const std::string& each : names) {
        node_options how;
        how.goes_to = names;
        how.timeout = std::chrono::hours{24 * 365};  // its nodes have limits of their own
        const auto take = [most = options.transfers_max](const state& left, node_context& outer) {
            return take_playbook(left, outer, most);
        };
        builder.node(each,
                     subgraph{.graph = playbook_graph(options.library->find(each)->second, options),
                              .shares_keys = false,
                              .make_inputs = first_values_of_playbook,
                              .take_outputs = take,
                              .steps_max = agent_detail::playbook_steps_max},
                     std::move(how));
    }
}

}  // namespace

graph playbook_run_graph(std::string_view name, const playbook_options& options)
{
    const playbook_library nothing;
    const std::vector<std::string> names = playbooks_of_run(name, options.library ? *options.library : nothing);
    graph_builder builder{std::string{name}};
    add_playbooks(builder, names, options);
    builder.edge(start, names.front());
    return builder.build();
}

graph agent_detail::playbook_library_graph(const playbook_options& options)
{
    std::vector<std::string> names;
    std::vector<labelled_target> ways;
    for (const auto& [name, playbook] : *options.library) {
        names.push_back(name);
        ways.push_back({name, name});
    }
    graph_builder builder{"workflows"};
    add_playbooks(builder, names, options);
    const auto chosen = [](const state_view& state) { return state.get(playbook_keys::transfer).workflow; };
    builder.edge_route(start, chosen, std::move(ways));
    return builder.build();
}

run_options playbook_run_options()
{
    run_options limits;
    limits.steps_max(agent_detail::playbook_steps_max);
    return limits;
}

task<run_result> run_playbook(std::string name, boost::json::value payload, playbook_options options,
                              std::string thread)
{
    const engine runs{playbook_run_graph(name, options)};
    run_request request{std::move(thread)};
    request.input(playbook_keys::trigger, std::move(payload)).options(playbook_run_options());
    run_result result = co_await runs.run(std::move(request));
    co_return result;
}

std::optional<playbook_event> playbook_event_of(const run_event& event, const playbook_library& library,
                                                const playbook_definition* of)
{
    const std::string_view name = playbook_word_for(event);
    const playbook_definition* const where = playbook_at(event.address, library, of);
    if (name.empty() || !where) return std::nullopt;
    playbook_event told;
    told.name = name;
    told.workflow = where->name;
    told.node = event.node;
    told.text = event.text;
    return told;
}

}  // namespace weft
