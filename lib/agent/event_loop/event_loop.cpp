#include "loop_parts.hpp"

#include "agent/conversation/shared_talk.hpp"
#include "agent/guard/guard_checks.hpp"
#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

namespace agent_detail {

namespace {

/** A step of a loop that does not wait. */
struct plain_step {
    std::shared_ptr<const loop_parts> parts;
    command (*work)(const loop_parts&, node_context&);
    command operator()(node_context& node) const { return work(*parts, node); }
};

/** A step of a loop that waits. */
struct waiting_step {
    std::shared_ptr<const loop_parts> parts;
    task<command> (*work)(std::shared_ptr<const loop_parts>, node_context&);
    task<command> operator()(node_context& node) const { return work(parts, node); }
};

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

void check_loop(const event_loop_options& options, bool is_sub_agent)
{
    if (const std::string fault = options.settings.limits.fault(); !fault.empty()) refuse_loop("limits." + fault);
    for (std::size_t i = 0; i < options.outputs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (options.outputs[i].name == options.outputs[j].name)
                refuse_loop("the output '" + options.outputs[i].name + "' is there twice");
    if (is_sub_agent && !options.sub_agents.empty())
        refuse_loop("a sub-agent has sub-agents: they do not nest");
    if (is_sub_agent && !options.carries.empty())
        refuse_loop("a sub-agent carries keys of the graph: it may read, and change nothing");
    for (std::size_t i = 0; i < options.sub_agents.size(); ++i) {
        const std::string& id = options.sub_agents[i].id;
        if (!is_agent_id(id)) refuse_loop("'" + id + "' is no id of a sub-agent: 1 to 64 of A-Z, a-z, 0-9, _ and -");
        for (std::size_t j = 0; j < i; ++j)
            if (options.sub_agents[j].id == id) refuse_loop("the sub-agent '" + id + "' is there twice");
    }
}

loop_rules rules_of(const event_loop_options& options, bool is_sub_agent)
{
    loop_rules rules;
    rules.limits = options.settings.limits;
    rules.outputs = options.outputs;
    rules.faces_client = options.settings.faces_client && !is_sub_agent;
    rules.is_sub_agent = is_sub_agent;
    rules.skips_judge = options.settings.skips_judge;
    rules.has_judge = static_cast<bool>(options.judge);
    rules.has_criteria = !options.settings.criteria.empty();
    return rules;
}

loop_tools own_tools_of(const event_loop_options& options, const loop_rules& rules)
{
    loop_tool_options own;
    own.outputs = options.outputs;
    own.faces_client = rules.faces_client;
    own.is_sub_agent = rules.is_sub_agent;
    own.output_chars_max = options.settings.limits.output_chars_max;
    own.spill = options.spill;
    for (const sub_agent& agent : options.sub_agents) own.agents.push_back({agent.id, agent.when});
    return loop_tools{std::move(own)};
}

/** Whichever of them are offered later, their names must not be the loop's. */
void check_tools_of_others(const event_loop_options& options, const loop_tools& own)
{
    std::vector<std::string> all;
    for (const node_tools& other : options.tools_of_others) all.push_back(other.node);
    if (!all.empty()) (void)offer_after(all, options, own);
}

}  // namespace

std::shared_ptr<loop_parts> make_loop_parts(std::shared_ptr<chat_model> model, event_loop_options options,
                                            bool is_sub_agent)
{
    if (!model && !options.rehearsal) refuse_loop("it has no model: give one");
    check_loop(options, is_sub_agent);
    require_sound(options.guards, "event_loop");
    auto parts = std::make_shared<loop_parts>();
    parts->rules = rules_of(options, is_sub_agent);
    parts->system = prompt_template{options.settings.system};
    parts->prompt = prompt_template{options.settings.prompt};
    if (is_sub_agent && (!parts->system.places().empty() || !parts->prompt.places().empty()))
        refuse_loop("the prompt of a sub-agent names keys: it is told what the loop reads");
    parts->source = model;
    if (model) {
        retrying_model_options retries;
        retries.policy = options.settings.limits.retry_policy();
        parts->model = std::make_shared<retrying_model>(std::make_shared<budgeted_model>(model), retries);
    }
    parts->judge_model = options.judge_model ? std::make_shared<budgeted_model>(options.judge_model) : parts->model;
    parts->own = own_tools_of(options, parts->rules);
    parts->offered = offer_after({}, options, parts->own);
    check_tools_of_others(options, parts->own);
    parts->options = std::move(options);
    return parts;
}

graph make_loop_graph(const std::shared_ptr<const loop_parts>& parts)
{
    node_options acting;
    for (const sub_agent& agent : parts->options.sub_agents) acting.goes_to.push_back(agent_node_name(agent.id));
    graph_builder builder{"event loop"};
    builder.state(loop_talk, loop_state, loop_start, loop_prompt, loop_assignment, loop_view, loop_offer);
    for (const any_state_key& key : parts->options.carries) builder.declare(key);
    builder.initial(loop_talk, conversation{});
    builder.node("begin", plain_step{parts, &begin_loop})
        .node("listen", plain_step{parts, &listen_loop})
        .node("summarise", waiting_step{parts, &summarise_loop})
        .node("turn", waiting_step{parts, &turn_loop})
        .node("act", waiting_step{parts, &act_loop}, std::move(acting))
        .node("settle", waiting_step{parts, &settle_loop})
        .node("ask", waiting_step{parts, &ask_loop});
    builder.edge(weft::start, "begin").edge("begin", "listen").edge("summarise", "turn").edge("act", "settle");
    builder.edge_label("listen", {{"turn", "turn"}, {"summarise", "summarise"}, {"end", std::string{weft::end}}});
    builder.edge_label("turn", {{"act", "act"}, {"settle", "settle"}});
    builder.edge_label("settle", {{"again", "listen"}, {"ask", "ask"}, {"end", std::string{weft::end}}});
    builder.edge("ask", "listen");
    if (parts->options.sub_agents.empty()) return builder.build();
    node_options limited;
    limited.timeout = duration_of_seconds(parts->limits().agent_timeout_seconds);
    builder.node("failed_agent", plain_step{parts, &note_failed_agent}).edge("failed_agent", "settle");
    for (const sub_agent& agent : parts->options.sub_agents) {
        const std::string name = agent_node_name(agent.id);
        builder.node(name, make_agent_node(parts, agent), limited);
        builder.edge(name, "settle").edge_on_failure(name, "failed_agent");
    }
    fan_out_options together;
    together.conflict = conflict_strategy::branch_order;
    builder.fan_out("act", together).fan_in("act", "settle");
    return builder.build();
}

namespace {

std::uint32_t slot_named(const node_context& node, const std::string& key)
{
    const std::uint32_t slot = node.layout().find(key);
    if (slot == state_layout::none)
        throw error{errc::unknown_state_key, place_of(node, key), "declare it in the graph, or correct the name"};
    return slot;
}

std::vector<named_text> values_of(const std::vector<std::string>& keys, const node_context& node)
{
    std::vector<named_text> values;
    for (const std::string& key : keys)
        if (key_value read = read_key(node, key); read.has_value) values.push_back({key, std::move(read.text)});
    return values;
}

std::vector<hand_off> hand_offs_of(const std::string& key, const node_context& node)
{
    if (key.empty()) return {};
    const value_ptr& value = node.value_at(slot_named(node, key));
    if (!value) return {};
    if (&value->type() != &value_type_of<list<hand_off>>)
        throw error{errc::state_type_mismatch, place_of(node, key), "hand-offs need a list<hand_off>"};
    const auto& all = unboxed<list<hand_off>>(*value);
    return {all.begin(), all.end()};
}

/** Whether the loop carries on the conversation of the graph around it. */
bool joins_graph(const loop_parts& parts, const node_context& outer)
{
    const event_loop_settings& settings = parts.options.settings;
    return settings.conversation.empty() && settings.mode == conversation_mode::continuous && has_shared_talk(outer);
}

/** What a visit begins with, out of what the node sees. */
state_update begin_values(const loop_parts& parts, const node_context& outer)
{
    loop_brief brief;
    brief.node = outer.node();
    brief.visit = outer.visit();
    prompt_template::filled focus = parts.system.fill(outer);
    prompt_template::filled opening = parts.prompt.fill(outer);
    brief.focus = std::move(focus.text);
    brief.opening = std::move(opening.text);
    brief.missing = std::move(focus.missing);
    brief.missing.insert(brief.missing.end(), opening.missing.begin(), opening.missing.end());
    brief.inputs = values_of(parts.options.reads, outer);
    if (parts.options.settings.mode == conversation_mode::isolated)
        brief.hand_offs = hand_offs_of(parts.options.settings.hand_offs, outer);
    note_time(brief, outer);
    state_update first;
    first.set(loop_start, std::move(brief));
    if (joins_graph(parts, outer)) first.overwrite(loop_talk, shared_talk_of(outer));
    return first;
}

void write_outputs(const event_loop_memory& memory, node_context& outer)
{
    for (const auto& [key, value] : memory.outputs) {
        if (value.is_null()) continue;
        const std::string name{key};
        const std::uint32_t slot = slot_named(outer, name);
        const value_type& type = *outer.layout()[slot].type->update;
        if (!type.from_json)
            throw error{errc::state_conversion, place_of(outer, name), "a transient key takes no outputs"};
        try {
            outer.write({slot, false, false, type.from_json(value)});
        } catch (const error& e) {
            if (e.code() != errc::unexpected_json) throw;
            throw error{errc::state_conversion, place_of(outer, name), e.where() + ": " + e.detail()};
        }
    }
}

/** Of a loop that is stopped half-way: the outputs that it has set. Those that a reducer joins are left out, since the
 *  loop writes them when it goes on and ends. */
void publish_outputs(const state& inner, node_context& outer)
{
    const event_loop_memory* const memory = inner.find(loop_state);
    if (!memory) return;
    for (const auto& [key, value] : memory->outputs) {
        const std::uint32_t slot = outer.layout().find(key);
        if (value.is_null() || slot == state_layout::none || !outer.may_write(slot)) continue;
        const key_type& type = *outer.layout()[slot].type;
        if (type.has_reducer || !type.update->from_json) continue;
        try {
            outer.write({slot, false, true, type.update->from_json(value)});
        } catch (const error&) {
            continue;  // it does not fit, and the end of the loop would have said so
        }
    }
}

/** Ends the node as its loop has ended. */
command end_values(const loop_parts& parts, const state& inner, node_context& outer)
{
    const event_loop_memory& memory = inner.get(loop_state);
    if (memory.outcome != loop_outcome::accepted) return command::fail(memory.why);
    write_outputs(memory, outer);
    if (joins_graph(parts, outer)) add_to_shared_talk(outer, inner.get(loop_talk));
    const std::string& key = parts.options.settings.hand_offs;
    if (key.empty()) return command::next();
    std::vector<named_text> outputs;
    for (const auto& [name, value] : memory.outputs) outputs.push_back({std::string{name}, readable_text(value)});
    const std::string lane = lane_of(parts.options.settings.mode, outer.node());
    hand_off made = make_hand_off(inner.get(loop_talk), lane, std::string{outer.node()}, std::move(outputs));
    const std::uint32_t slot = slot_named(outer, key);
    if (outer.layout()[slot].type->update != &value_type_of<hand_off>)
        throw error{errc::state_type_mismatch, place_of(outer, key), "hand-offs need a list<hand_off> with append"};
    outer.write({slot, false, false, make_box<hand_off>(std::move(made))});
    return command::next();
}

subgraph node_of(const std::shared_ptr<const loop_parts>& parts)
{
    std::vector<key_mapping> moves;
    if (const std::string& key = parts->options.settings.conversation; !key.empty())
        moves.push_back({std::string{loop_talk.name()}, key});
    for (const any_state_key& key : parts->options.carries)
        moves.push_back({std::string{key.name}, std::string{key.name}});
    std::vector<key_mapping> back;
    for (const key_mapping& move : moves) back.push_back({move.source, move.target});
    subgraph::input_function first = [parts](const node_context& outer) { return begin_values(*parts, outer); };
    subgraph::output_function last = [parts](const state& inner, node_context& outer) {
        return end_values(*parts, inner, outer);
    };
    return subgraph{make_loop_graph(parts)}
        .inputs(std::move(moves))
        .outputs(std::move(back))
        .inputs(std::move(first))
        .outputs(std::move(last))
        .partial_outputs(&publish_outputs)
        .steps_max(0);
}

}  // namespace

}  // namespace agent_detail

subgraph event_loop(std::shared_ptr<chat_model> model, event_loop_options options)
{
    return agent_detail::node_of(agent_detail::make_loop_parts(std::move(model), std::move(options), false));
}

graph_builder& add_event_loop(graph_builder& to, std::string name, std::shared_ptr<chat_model> model,
                              event_loop_options what, node_options options)
{
    const std::shared_ptr<agent_detail::loop_parts> parts =
        agent_detail::make_loop_parts(std::move(model), std::move(what), false);
    parts->wanted_retries = options.retry.attempts_max > 1;
    options.retry = {.attempts_max = 1};
    options.faces_client = options.faces_client || parts->rules.faces_client;
    if (options.timeout.count() == 0) options.timeout = std::chrono::hours{24 * 30};
    return to.node(std::move(name), agent_detail::node_of(parts), std::move(options));
}

}  // namespace weft
