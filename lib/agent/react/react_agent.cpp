#include <weft/agent/react_agent.hpp>

#include "agent/text/graph_kind_body.hpp"
#include "react_loop.hpp"

#include <weft/agent/ask_agent.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <utility>

namespace weft {

struct react_agent::impl {
    react_options options;
    weft::graph what;
};

namespace {

tool_set tools_of(const react_options& options)
{
    tool_set tools = options.tools;
    handoff_limits limits;
    limits.messages = options.settings.messages;
    limits.count_max = static_cast<std::size_t>(options.settings.hand_overs_max);
    add_handoffs(tools, options.settings.hands_over, limits);
    return tools;
}

graph make_loop(std::shared_ptr<chat_model> model, const react_options& options)
{
    agent_detail::check_react(options);
    graph_builder builder{options.name};
    for (const any_state_key& key : options.keys) builder.declare(key);
    builder.state(react_turns, react_next);
    agent_detail::add_react_loop(builder, options.hooks.around(std::move(model), options.name), options,
                                 tools_of(options), {});
    return builder.build();
}

/** Where the outer graph goes on: at the agent that was handed over to, or as the edges say. */
command lead_on(const state& left, bool remembers)
{
    const std::string* const next = left.find(react_next);
    if (!next || next->empty()) return command::next();
    command on = command::go_to(*next);
    if (remembers) on.update().set(active_agent, *next);
    return on;
}

}  // namespace

react_agent::react_agent(std::shared_ptr<chat_model> model, react_options options)
{
    options.settings.tools.clear();  // what a file would say
    for (const tool_entry& one : options.tools.entries()) options.settings.tools.push_back(one.spec.name);
    weft::graph what = make_loop(std::move(model), options);
    impl_ = std::make_shared<const impl>(impl{std::move(options), std::move(what)});
}

task<std::string> react_agent::ask(std::string text) const { return ask_agent(graph(), std::move(text)); }

const graph& react_agent::graph() const noexcept { return impl_->what; }

std::shared_ptr<const node_body> react_agent::as_node() const
{
    const react_options& options = impl_->options;
    std::vector<std::string> writes{options.settings.messages};
    writes.insert(writes.end(), options.writes.begin(), options.writes.end());
    const auto goes_on = [remembers = options.remembers_active](const state& left, node_context&) {
        return lead_on(left, remembers);
    };
    subgraph inner = subgraph{.graph = impl_->what,
                              .inputs = agent_detail::same_names(options.keys),
                              .outputs = agent_detail::same_names(writes),
                              .take_outputs = goes_on,
                              .steps_max = agent_detail::steps_of(options, 2)};
    return agent_detail::graph_kind_body(
        std::move(inner), {"react", spec_detail::write_structure(options.settings), std::move(writes)},
        {.may_command = !options.settings.hands_over.empty()});
}

std::vector<std::string> react_agent::goes_to() const
{
    std::vector<std::string> targets;
    for (const handoff_target& target : impl_->options.settings.hands_over) targets.push_back(target.to);
    return targets;
}

}  // namespace weft
