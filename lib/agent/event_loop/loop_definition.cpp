#include "loop_definition.hpp"

#include "agent/guard/guard_checks.hpp"

#include <weft/agent/prompt/prompt_layers.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat/token_estimate.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

[[noreturn]] void refuse_loop(std::string detail)
{
    throw error{errc::invalid_configuration, "event_loop", std::move(detail)};
}

bool is_agent_id(std::string_view id)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), fits);
}

}  // namespace

loop_definition::loop_definition(std::shared_ptr<chat_model> model, event_loop_options options, loop_place where)
    : options_{std::move(options)}, where_{where}, source_{std::move(model)}
{
    if (!source_ && !options_.dry_run) refuse_loop("it has no model: give one");
    check();
    require_sound(options_.guards, "event_loop");
    rules_ = make_rules();
    system_ = prompt_template{settings().system};
    prompt_ = prompt_template{settings().prompt};
    if (where_.is_sub_agent && (!system_.places().empty() || !prompt_.places().empty()))
        refuse_loop("the prompt of a sub-agent names keys: it is told what the loop reads");
    if (source_) {
        retrying_model_options retries;
        retries.policy = limits().retry_policy();
        model_ = std::make_shared<retrying_model>(std::make_shared<budgeted_model>(source_), retries);
    }
    judge_model_ = options_.judge_model ? std::make_shared<budgeted_model>(options_.judge_model) : model_;
    own_ = make_own_tools();
    offered_ = offer_after({});
    // Whichever tools of other nodes are offered later: a name that the loop needs itself is refused now.
    std::vector<std::string> others;
    for (const node_tools& other : options_.tools_of_others) others.push_back(other.node);
    if (!others.empty()) (void)offer_after(others);
}

void loop_definition::check() const
{
    if (const std::string fault = limits().fault(); !fault.empty()) refuse_loop("limits." + fault);
    for (std::size_t i = 0; i < options_.outputs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (options_.outputs[i].name == options_.outputs[j].name)
                refuse_loop("the output '" + options_.outputs[i].name + "' is there twice");
    if (where_.is_sub_agent && !options_.sub_agents.empty())
        refuse_loop("a sub-agent has sub-agents: they do not nest");
    if (where_.is_sub_agent && !options_.carries.empty())
        refuse_loop("a sub-agent carries keys of the graph: it may read, and change nothing");
    for (std::size_t i = 0; i < options_.sub_agents.size(); ++i) {
        const std::string& id = options_.sub_agents[i].id;
        if (!is_agent_id(id)) refuse_loop("'" + id + "' is no id of a sub-agent: 1 to 64 of A-Z, a-z, 0-9, _ and -");
        for (std::size_t j = 0; j < i; ++j)
            if (options_.sub_agents[j].id == id) refuse_loop("the sub-agent '" + id + "' is there twice");
    }
}

loop_rules loop_definition::make_rules() const
{
    loop_rules rules;
    rules.limits = limits();
    rules.outputs = options_.outputs;
    rules.faces_client = settings().faces_client && !where_.is_sub_agent;
    rules.is_sub_agent = where_.is_sub_agent;
    rules.skips_judge = settings().skips_judge;
    rules.has_judge = static_cast<bool>(options_.judge);
    rules.has_criteria = !settings().criteria.empty();
    return rules;
}

loop_tools loop_definition::make_own_tools() const
{
    loop_tool_options own;
    own.outputs = options_.outputs;
    own.faces_client = rules_.faces_client;
    own.is_sub_agent = rules_.is_sub_agent;
    own.output_chars_max = limits().output_chars_max;
    own.spill = options_.spill;
    for (const sub_agent& agent : options_.sub_agents) own.agents.push_back({agent.id, agent.when});
    return loop_tools{std::move(own)};
}

tool_set loop_definition::tools_after(const std::vector<std::string>& phases) const
{
    // Tools of earlier parts come first: the beginning of a request stays what the provider has cached of it.
    tool_set tools;
    for (const std::string& phase : phases)
        for (const node_tools& other : options_.tools_of_others) {
            if (other.node != phase || !other.tools) continue;
            for (const tool_entry& entry : other.tools->entries()) {
                const bool is_own = options_.tools && options_.tools->find(entry.spec.name);
                if (!is_own && !tools.find(entry.spec.name)) tools.add(entry.work);
            }
        }
    if (options_.tools) tools.add(*options_.tools);
    if (options_.spill && !tools.find("read_result")) add_spill_reader(tools, options_.spill);
    return tools;
}

tool_runner_options loop_definition::runner_options() const
{
    tool_runner_options how = options_.tool_options;
    how.calls.soft = how.calls.hard = limits().calls_max;  // the step warns, of all calls together
    how.timeout = duration_of_seconds(limits().tool_timeout_seconds);
    how.result_chars_max = limits().result_chars_max;
    if (!how.spill) how.spill = options_.spill;
    return how;
}

std::shared_ptr<const offered_tools> loop_definition::offer_after(const std::vector<std::string>& phases) const
{
    if (offered_ && phases.empty()) return offered_;
    auto made = std::make_shared<offered_tools>();
    tool_set tools = tools_after(phases);
    for (const tool_entry& entry : tools.entries()) {
        const std::string& name = entry.spec.name;
        if (own_.has(name)) refuse_loop("the loop has a tool '" + name + "' of its own: give yours another name");
        made->specs.push_back(entry.spec);
    }
    if (!tools.empty()) made->runner.emplace(std::make_shared<const tool_set>(std::move(tools)), runner_options());
    for (const tool_spec& spec : own_.specs()) made->specs.push_back(spec);
    chat_request bare;
    bare.tools = made->specs;
    made->estimate = estimate_input(bare);
    return made;
}

provenance loop_definition::provenance_of(const loop_brief& brief, message_author author) const
{
    provenance from;
    from.lane = lane_of(settings().mode, brief.node);
    from.phase = brief.node;
    from.node = brief.node;
    from.visit = brief.visit;
    from.author = author;
    return from;
}

std::string loop_definition::preamble() const
{
    std::string text = "You work in turns until the task is done.";
    if (!rules_.outputs.empty()) text += " Give each output its value with set_output.";
    if (rules_.faces_client)
        text += " Somebody reads what you say. If you need an answer, ask with ask_user: nothing else waits for one.";
    if (rules_.is_sub_agent)
        text += " You work for another agent, which reads your outputs and your last reply. You cannot ask a person.";
    return text;
}

std::string loop_definition::system_text(const loop_brief& brief, const std::string& focus,
                                         const std::string& purpose) const
{
    prompt_layers layers;
    layers.mode = settings().mode;
    layers.identity = settings().identity;
    layers.goal = options_.goal.empty() ? purpose : options_.goal;
    layers.surroundings = options_.surroundings;
    layers.preamble = preamble();
    layers.focus = focus;
    layers.phases_done = brief.phases;
    if (!layers.phases_done.empty()) layers.values = brief.inputs;
    if (settings().tells_time) layers.now = std::chrono::sys_seconds{std::chrono::seconds{brief.time}};
    composed_prompt composed = compose(layers);
    if (options_.on_prompt) options_.on_prompt(composed);
    return std::move(composed.text);
}

std::string lines_of(const std::vector<named_text>& values)
{
    std::string text;
    for (const named_text& value : values)
        text.append(text.empty() ? "- " : "\n- ").append(value.name).append(": ").append(value.text);
    return text;
}

}  // namespace weft::agent_detail
