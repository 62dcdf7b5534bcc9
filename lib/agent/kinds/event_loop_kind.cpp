#include "event_loop_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/prompt/answer_shape.hpp"
#include "agent/text/graph_kind_body.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_spec.hpp>

#include <utility>

namespace weft {

namespace {

/** A key of a file as an output: what its type reads fits. */
event_loop_output output_of_key(const node_request& request, const std::string& key)
{
    event_loop_output made;
    made.name = key;
    made.description = request.description_of(key);
    made.is_nullable = agent_detail::contains(request.spec().outputs.nullable, key);
    const value_type* const type = &agent_detail::update_type(request, key);
    if (type->schema) made.schema = type->schema();
    made.fault_of = [type](const boost::json::value& value) -> std::string {
        if (!type->from_json) return "the key is transient";
        try {
            (void)type->from_json(value);
        } catch (const error& e) {
            return e.detail();
        }
        return {};
    };
    return made;
}

std::vector<event_loop_output> outputs_of_node(const node_request& request, const event_loop_file_settings& settings)
{
    std::vector<event_loop_output> outputs;
    if (!request.spec().writes) return outputs;
    for (const std::string& key : *request.spec().writes)
        if (key != settings.conversation && key != settings.hand_offs &&
            request.layout().find(key) != state_layout::none)
            outputs.push_back(output_of_key(request, key));
    return outputs;
}

/** Says what is wrong with the keys of the conversation and of the hand-offs. */
void check_loop_key(node_request& request, std::string_view member, const std::string& key, const value_type& wanted,
                    std::string_view words)
{
    if (key.empty()) return;
    const std::uint32_t slot = request.layout().find(key);
    if (slot == state_layout::none) return request.require_readable(member, key);
    if (request.layout()[slot].type->value != &wanted) request.mistake(member, std::string{words});
    agent_detail::require_written(request, member, key);
}

/** What a node without a model says: values of outputs are made up. */
loop_dry_run dry_run_of(node_request& request, const std::vector<event_loop_output>& outputs,
                            const event_loop_file_settings& settings)
{
    loop_dry_run made;
    made.turns = settings.scripted;
    for (const event_loop_output& output : outputs) {
        const bool can_be_made_up = agent_detail::has_plain_value(agent_detail::update_type(request, output.name));
        if (!can_be_made_up && !output.is_nullable && settings.scripted.empty())
            request.mistake("scripted", "no model is configured, and no value of the key '" + output.name +
                                            "' can be made up: write turns here");
        if (!can_be_made_up) continue;
        const std::vector<agent_detail::answer_key> only{{.name = output.name}};  // the shape looks at it
        const agent_detail::answer_shape shape{only, request.layout(), request.spec().name};
        made.outputs.push_back({output.name, shape.plain_object("rehearsed").at(output.name)});
    }
    return made;
}

sub_agent agent_of(node_request& request, const sub_agent_file_settings& from, const event_loop_options& program,
                   bool is_dry_run)
{
    for (const std::string& fault : from.faults()) {
        const std::size_t end = fault.find(": ");
        request.mistake("sub_agents", "the " + fault.substr(0, end) + " of '" + from.id + "' " + fault.substr(end + 2));
    }
    sub_agent made;
    made.id = from.id;
    made.when = from.when;
    event_loop_options& how = made.how;
    how.settings.system = from.system;
    how.settings.criteria = from.criteria;
    static_cast<sampling_settings&>(how.settings) = from;
    how.settings.limits = from.limits;
    how.tools = agent_detail::shared_tools_named(request, from.tools, program.tools.get());
    how.tool_options = program.tool_options;
    how.guards = program.guards;
    how.spill = program.spill;
    how.live = program.live;
    how.judge_model = program.judge_model;
    for (const std::string& name : from.outputs) {
        event_loop_output output;
        output.name = name;
        how.outputs.push_back(std::move(output));
    }
    if (!is_dry_run) return made;
    how.dry_run.emplace();
    how.dry_run->turns = from.scripted;
    for (const std::string& name : from.outputs) how.dry_run->outputs.push_back({name, "rehearsed"});
    return made;
}

/** The tools of the nodes that carry the same conversation on. */
std::vector<node_tools> tools_of_others(node_request& request, const event_loop_file_settings& settings,
                                        const tool_set* all)
{
    std::vector<node_tools> others;
    const bool has_conversation = !settings.conversation.empty() || request.has_conversation();
    if (!has_conversation || request.spec().isolated || settings.mode != conversation_mode::continuous || !all)
        return others;
    for (const node_spec& node : request.nodes()) {
        if (node.kind != request.spec().kind || node.name == request.spec().name || node.isolated) continue;
        const auto other = request.settings_of<event_loop_file_settings>(node);
        if (!other || other->conversation != settings.conversation || other->tools.empty() ||
            other->mode != conversation_mode::continuous)
            continue;
        tool_set tools;
        for (const std::string& name : other->tools)  // that one is not there is a mistake of the other node
            if (const tool_entry* const found = all->find(name); found && !tools.find(name)) tools.add(found->work);
        others.push_back({node.name, std::make_shared<const tool_set>(std::move(tools))});
    }
    return others;
}

event_loop_options options_of_file(node_request& request, const event_loop_file_settings& settings,
                                   const event_loop_options& program, bool is_dry_run)
{
    event_loop_options options = program;
    options.settings = settings;
    options.tools = agent_detail::shared_tools_named(request, settings.tools, program.tools.get());
    options.tools_of_others = tools_of_others(request, settings, program.tools.get());
    options.outputs = outputs_of_node(request, settings);
    options.reads = request.spec().reads.value_or(std::vector<std::string>{});
    options.sub_agents.clear();
    for (const sub_agent_file_settings& one : settings.sub_agents)
        options.sub_agents.push_back(agent_of(request, one, program, is_dry_run));
    if (is_dry_run) options.dry_run = dry_run_of(request, options.outputs, settings);
    return options;
}

void check_loop_file(node_request& request, const event_loop_file_settings& settings)
{
    agent_detail::check_template(request, "system", settings.system);
    agent_detail::check_template(request, "prompt", settings.prompt);
    check_loop_key(request, "conversation", settings.conversation, value_type_of<conversation>,
                   "needs a key of the type conversation");
    check_loop_key(request, "hand_offs", settings.hand_offs, value_type_of<list<handoff_summary>>,
                   "needs a key of the type hand_offs with the reducer append");
    agent_detail::tell_faults(request, settings.faults());
    agent_detail::tell_faults(request, json_path{request.settings_at(), "guards"}, settings.guards.faults());
    if (request.spec().reads)
        for (const std::string& key : *request.spec().reads) request.require_readable("", key);
}

std::shared_ptr<const node_body> make_event_loop(node_request& request, const std::shared_ptr<chat_model>& model,
                                                 const event_loop_options& program)
{
    const std::optional<event_loop_file_settings> settings = request.settings<event_loop_file_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    check_loop_file(request, *settings);
    event_loop_options guarded = program;
    // Sub-agents are made of the same options, so that the guardrails look at their work too.
    guarded.guards = agent_detail::model_guards(settings->guards, program.guards, model);
    guarded.tool_options = agent_detail::guarded_options(settings->guards, std::move(guarded.tool_options), model);
    event_loop_options options = options_of_file(request, *settings, guarded, !model);
    if (settings->faces_client) request.options().faces_client = true;
    if (request.options().timeout.count() == 0) request.options().timeout = std::chrono::hours{24 * 30};
    if (request.mistakes().count() != before) return request.registry().nothing();
    return agent_detail::made_or_mistake(request, "", [&] {
        return agent_detail::graph_kind_body(
            event_loop(model, std::move(options)),
            {request.spec().kind, spec_detail::write_structure(*settings), request.spec().writes});
    });
}

}  // namespace

node_kind event_loop_kind(std::shared_ptr<chat_model> model, event_loop_options program)
{
    return {[model = std::move(model), program = std::move(program)](node_request& request) {
                return make_event_loop(request, model, program);
            },
            true, true};
}

}  // namespace weft
