#include "agent_graph_kinds.hpp"

#include "agent/chat_agent/agent_dry_run.hpp"
#include "agent/core/number_range.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/graph_kind_body.hpp"
#include "agent/text/recorded_cause.hpp"

#include <weft/agent/host/workflow_agent.hpp>
#include <weft/agent/playbook/playbook_run.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/joined_text.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft {

namespace {

/** Where a node puts what comes of it. Empty names: nowhere. */
struct agent_kind_keys {
    std::string said, outcome;

    void write(node_context& node, const std::string& text, const std::string& end) const
    {
        put(node, said, text);
        put(node, outcome, end);
    }

private:
    static void put(node_context& node, const std::string& key, const std::string& text)
    {
        if (!key.empty()) node.write({node.layout().find(key), false, false, make_box<std::string>(text)});
    }
};

void require_text_key(node_request& request, std::string_view member, const std::string& key)
{
    const std::uint32_t slot = request.layout().find(key);
    if (slot == state_layout::none) return;  // told where it is named
    if (request.layout()[slot].type->update != &value_type_of<std::string>)
        request.mistake(member, "the key '" + key + "' takes no texts: give it the type string");
}

/** The keys of a node that writes a text, its outcome and perhaps a third one. */
agent_kind_keys keys_of_agent_kind(node_request& request, const std::string& outcome, const std::string& third = {})
{
    agent_kind_keys keys;
    keys.outcome = outcome;
    const std::vector<std::string> writes = request.spec().writes.value_or(std::vector<std::string>{});
    std::vector<std::string> rest;
    for (const std::string& key : writes)
        if (key != outcome && (third.empty() || key != third)) rest.push_back(key);
    if (rest.size() == 1) keys.said = rest.front();
    else request.mistake("", "what it says goes to one key: name it, and no other beside those of the settings, in "
                             "\"writes\"");
    if (!outcome.empty() && !agent_detail::contains(writes, outcome))
        request.mistake("outcome", "the node's writes do not name '" + outcome + "': add it there");
    if (!keys.said.empty()) require_text_key(request, "", keys.said);
    if (!outcome.empty()) require_text_key(request, "outcome", outcome);
    return keys;
}

/** A template of a setting, or nothing and a mistake. */
std::optional<prompt_template> template_of(node_request& request, std::string_view member, const std::string& text)
{
    if (!text.empty()) return agent_detail::check_template(request, member, text);
    request.mistake(member, "is empty: write what it is to do");
    return std::nullopt;
}

void require_positive(node_request& request, std::string_view member, std::optional<std::int64_t> number)
{
    std::vector<std::string> faults;
    agent_detail::check_range(faults, member, number, {1, 1'000'000'000});
    agent_detail::tell_faults(request, faults);
}

agent_options agent_options_of(node_request& request, const agent_file_settings& settings,
                               const agent_program& around)
{
    require_positive(request, "budget", settings.budget);
    require_positive(request, "calls_max", settings.calls_max);
    agent_detail::tell_faults(request, settings.faults());
    agent_options options;
    options.model = around.model;
    if (!options.model) options.model = agent_detail::make_agent_dry_run(settings.scripted);
    options.tools = agent_detail::shared_tools_named(request, settings.tools, around.tools.get());
    options.guards = agent_detail::model_guards(settings.guards, nullptr, around.model);
    options.tool_options = agent_detail::guarded_options(settings.guards, around.tool_options, around.model);
    options.live = around.live;
    options.name = "agent " + request.spec().name;
    options.prompt.base = settings.base;
    options.prompt.channel = settings.channel;
    options.prompt.surroundings = settings.surroundings;
    options.prompt.tells_time = settings.tells_time;
    const std::optional<double> usual = options.sampling.temperature;
    options.sampling = settings;
    if (!settings.temperature) options.sampling.temperature = usual;
    if (settings.budget) options.budget = tokens{*settings.budget};
    if (settings.calls_max) options.calls_max = static_cast<std::uint32_t>(*settings.calls_max);
    if (settings.timeout) options.timeout = settings.timeout->span();
    return options;
}

template <class Settings>
std::shared_ptr<const node_body> body_of_agent_kind(node_request& request, subgraph inside, std::string kind,
                                                    const Settings& settings)
{
    agent_detail::wait_for_graph(request);
    return agent_detail::graph_kind_body(std::move(inside),
                                         {std::move(kind), spec_detail::write_structure(settings), std::nullopt});
}

/** The playbooks of a node by name, or mistakes. */
playbook_library library_of(node_request& request, const std::vector<playbook_definition>& playbooks)
{
    playbook_library library;
    for (const playbook_definition& one : playbooks) {
        for (const playbook_mistake& mistake : mistakes_of(one))
            request.mistake("playbooks", "'" + one.name + "' at " + mistake.path + ": " + mistake.text);
        if (!library.emplace(one.name, one).second)
            request.mistake("playbooks", "'" + one.name + "' is there twice");
    }
    return library;
}

// The kind agent.

void check_talk(node_request& request, const std::string& key)
{
    if (key.empty()) return;
    const std::uint32_t slot = request.layout().find(key);
    if (slot == state_layout::none) return request.require_readable("talk", key);
    if (request.layout()[slot].type->update != &value_type_of<conversation>)
        request.mistake("talk", "the key '" + key + "' cannot hold a talk: give it the type conversation");
    const auto& writes = request.spec().writes;
    if (!writes || !agent_detail::contains(*writes, key))
        request.mistake("talk", "the node's writes do not name '" + key + "': add it there");
}

command take_agent_kind(const state& left, node_context& outer, const agent_kind_keys& keys, const std::string& talk)
{
    const agent_status* const found = left.find(agent_keys::status);
    agent_status status = found ? *found : agent_status{};
    // The graph inside ended at its limit of visits, before the agent could say how it stands.
    if (status.stop == agent_stop::none) status.stop = agent_stop::max_loops;
    if (!talk.empty()) outer.set(state_key<conversation>{talk}, left.get(agent_keys::conversation));
    const std::string end = to_json(status.stop).as_string().c_str();
    if (keys.outcome.empty() && status.stop != agent_stop::done)
        throw error{agent_detail::recorded_cause(status.cause, errc::node_failed),
                    "node '" + std::string{outer.node()} + "'",
                    "the agent ended as '" + end + "': " + (status.failure.empty() ? status.reply : status.failure)};
    keys.write(outer, status.reply, end);
    return command::next();
}

/** The agent's graph; with workflows if it has some. Nothing and a mistake if something is wrong with these. */
std::optional<subgraph> agent_of_kind(node_request& request, const agent_node_settings& settings, agent_options options)
{
    if (settings.playbooks.empty()) return agent_inside(agent_graph(std::move(options)));
    const std::size_t before = request.mistakes().count();
    workflow_agent_options with_workflows;
    with_workflows.workflows.agent = options;
    with_workflows.workflows.library =
        std::make_shared<const playbook_library>(library_of(request, settings.playbooks));
    with_workflows.agent = std::move(options);
    if (request.mistakes().count() != before) return std::nullopt;
    try {
        return workflow_agent_inside(workflow_agent_graph(std::move(with_workflows)));
    } catch (const error& e) {
        request.mistake("playbooks", e.where() + ": " + e.detail());
        return std::nullopt;
    }
}

std::shared_ptr<const node_body> make_agent_kind(node_request& request, const agent_program& around)
{
    const std::optional<agent_node_settings> settings = request.settings<agent_node_settings>();
    if (!settings) return nullptr;
    const agent_kind_keys keys = keys_of_agent_kind(request, settings->outcome, settings->talk);
    const std::optional<prompt_template> prompt = template_of(request, "prompt", settings->prompt);
    check_talk(request, settings->talk);
    agent_options options = agent_options_of(request, *settings, around);
    options.prompt.directive = settings->directive;
    if (!prompt) return nullptr;
    const auto first = [prompt = *prompt, talk = settings->talk](const node_context& outer) {
        state_update values;
        values.set(agent_keys::input, prompt.fill(outer).text);
        if (!talk.empty())
            if (const conversation* const before = outer.find(state_key<conversation>{talk}))
                values.overwrite(agent_keys::conversation, *before);
        return values;
    };
    const auto last = [keys, talk = settings->talk](const state& left, node_context& outer) {
        return take_agent_kind(left, outer, keys, talk);
    };
    std::optional<subgraph> inside = agent_of_kind(request, *settings, std::move(options));
    if (!inside) return nullptr;
    inside->make_inputs = first;
    inside->take_outputs = last;
    return body_of_agent_kind(request, std::move(*inside), "agent", *settings);
}

// The kind heartbeat.

heartbeat_options heartbeat_options_of(node_request& request, const heartbeat_node_settings& settings,
                                       const agent_program& around)
{
    heartbeat_options options;
    options.agent = agent_options_of(request, settings, around);
    options.name = "heartbeat " + request.spec().name;
    options.rules = settings.rules;
    options.projects = [them = settings.projects] { return them; };
    options.skills = [them = settings.skills] { return them; };
    options.agents = [them = settings.agents] { return them; };
    options.on_blocked = settings.on_blocked;
    require_positive(request, "cycles_max", settings.cycles_max);
    if (settings.cycles_max && *settings.cycles_max > 0)
        options.cycles_max = static_cast<std::uint32_t>(*settings.cycles_max);
    return options;
}

std::shared_ptr<const node_body> make_heartbeat_kind(node_request& request, const agent_program& around)
{
    const std::optional<heartbeat_node_settings> settings = request.settings<heartbeat_node_settings>();
    if (!settings) return nullptr;
    const agent_kind_keys keys = keys_of_agent_kind(request, settings->outcome);
    const std::optional<prompt_template> directive = template_of(request, "directive", settings->directive);
    heartbeat_options options = heartbeat_options_of(request, *settings, around);
    if (!directive) return nullptr;
    const std::uint32_t steps = 3 * options.cycles_max;  // prepare, cycle and judge
    const auto first = [directive = *directive](const node_context& outer) {
        state_update values;
        values.set(heartbeat_keys::directive, directive.fill(outer).text);
        return values;
    };
    const auto last = [keys](const state& left, node_context& outer) {
        const heartbeat_status& status = left.get(heartbeat_keys::status);
        keys.write(outer, status.summary, to_json(status.stop).as_string().c_str());
        return command::next();
    };
    subgraph inside{.graph = heartbeat_graph(std::move(options)),
                    .shares_keys = false,
                    .make_inputs = first,
                    .take_outputs = last,
                    .steps_max = steps};
    return body_of_agent_kind(request, std::move(inside), "heartbeat", *settings);
}

// The kind playbook.

subgraph playbook_in_node(graph inside, const prompt_template& prompt, const agent_kind_keys& keys)
{
    const auto first = [prompt](const node_context& outer) {
        const std::string text = prompt.fill(outer).text;
        state_update values;
        values.set(playbook_keys::trigger, boost::json::value(boost::json::string_view{text}));
        return values;
    };
    const auto last = [keys](const state& left, node_context& outer) {
        const std::string* const said = left.find(playbook_keys::response);
        const std::vector<std::string>* const names = left.find(playbook_keys::workflows);
        keys.write(outer, said ? *said : "", names ? joined_text(*names, "\n") : "");
        return command::next();
    };
    return subgraph{.graph = std::move(inside), .shares_keys = false, .make_inputs = first, .take_outputs = last};
}

std::shared_ptr<const node_body> make_playbook_kind(node_request& request, const agent_program& around)
{
    const std::optional<playbook_node_settings> settings = request.settings<playbook_node_settings>();
    if (!settings) return nullptr;
    const agent_kind_keys keys = keys_of_agent_kind(request, settings->outcome);
    const std::optional<prompt_template> prompt = template_of(request, "prompt", settings->prompt);
    const std::size_t before = request.mistakes().count();
    if (settings->playbooks.empty()) request.mistake("playbooks", "is empty: write at least one");
    playbook_options options;
    options.agent = agent_options_of(request, *settings, around);
    options.library = std::make_shared<const playbook_library>(library_of(request, settings->playbooks));
    if (!prompt || request.mistakes().count() != before) return nullptr;
    try {
        graph inside = playbook_run_graph(settings->playbooks.front().name, options);
        return body_of_agent_kind(request, playbook_in_node(std::move(inside), *prompt, keys), "playbook", *settings);
    } catch (const error& e) {
        request.mistake("playbooks", e.where() + ": " + e.detail());
        return nullptr;
    }
}

using kind_maker = std::shared_ptr<const node_body> (*)(node_request&, const agent_program&);

node_kind kind_by(kind_maker make, agent_program around)
{
    return {[make, around = std::move(around)](node_request& request) { return make(request, around); }, true};
}

}  // namespace

node_kind agent_graph_kind(agent_program around) { return kind_by(make_agent_kind, std::move(around)); }
node_kind heartbeat_kind(agent_program around) { return kind_by(make_heartbeat_kind, std::move(around)); }
node_kind playbook_kind(agent_program around) { return kind_by(make_playbook_kind, std::move(around)); }

node_registry& add_agent_graph_kinds(node_registry& registry, const agent_program& around)
{
    return registry.add_type<conversation>("conversation")
        .add_kind("agent", agent_graph_kind(around))
        .add_kind("heartbeat", heartbeat_kind(around))
        .add_kind("playbook", playbook_kind(around));
}

}  // namespace weft
