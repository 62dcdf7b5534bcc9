#include <weft/agent/event_loop.hpp>

#include "agent/conversation/shared_conversation.hpp"
#include "agent/text/key_text.hpp"
#include "loop_steps.hpp"

#include <weft/base/error.hpp>

#include <chrono>
#include <utility>

namespace weft {

namespace agent_detail {

namespace {

/** A step of a loop that does not wait. */
struct plain_step {
    loop_ptr loop;
    command (*work)(loop_visit&);
    command operator()(node_context& node) const
    {
        loop_visit visit{*loop, node};
        return work(visit);
    }
};

/** A step of a loop that waits. */
struct waiting_step {
    loop_ptr loop;
    task<command> (*work)(loop_ptr, node_context&);
    task<command> operator()(node_context& node) const { return work(loop, node); }
};

}  // namespace

graph make_loop_graph(const loop_ptr& loop)
{
    node_options acting;
    for (const sub_agent& agent : loop->options().sub_agents) acting.goes_to.push_back(agent_node_name(agent.id));
    graph_builder builder{"event loop"};
    builder.state(loop_conversation, loop_state, loop_start, loop_prompt, loop_assignment, loop_view, loop_offer);
    for (const any_state_key& key : loop->options().carries) builder.declare(key);
    builder.initial(loop_conversation, conversation{});
    builder.node("begin", plain_step{loop, &begin_loop})
        .node("listen", plain_step{loop, &listen_loop})
        .node("summarise", waiting_step{loop, &summarise_loop})
        .node("turn", waiting_step{loop, &turn_loop})
        .node("act", waiting_step{loop, &act_loop}, std::move(acting))
        .node("settle", waiting_step{loop, &settle_loop})
        .node("ask", waiting_step{loop, &ask_loop});
    builder.edge(weft::start, "begin").edge("begin", "listen").edge("summarise", "turn").edge("act", "settle");
    builder.edge_label("listen", {{"turn", "turn"}, {"summarise", "summarise"}, {"end", std::string{weft::end}}});
    builder.edge_label("turn", {{"act", "act"}, {"settle", "settle"}});
    builder.edge_label("settle", {{"again", "listen"}, {"ask", "ask"}, {"end", std::string{weft::end}}});
    builder.edge("ask", "listen");
    if (loop->options().sub_agents.empty()) return builder.build();
    node_options limited;
    limited.timeout = duration_of_seconds(loop->limits().agent_timeout_seconds);
    builder.node("failed_agent", plain_step{loop, &note_failed_agent}).edge("failed_agent", "settle");
    for (const sub_agent& agent : loop->options().sub_agents) {
        const std::string name = agent_node_name(agent.id);
        builder.node(name, make_agent_node(loop, agent), limited);
        builder.edge(name, "settle").edge_on_failure(name, "failed_agent");
    }
    // Results of sub-agents join the conversation in the order of the calls, which is that of the branches.
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

std::vector<handoff_summary> handoff_summaries_of(const std::string& key, const node_context& node)
{
    if (key.empty()) return {};
    const value_ptr& value = node.value_at(slot_named(node, key));
    if (!value) return {};
    if (&value->type() != &value_type_of<list<handoff_summary>>)
        throw error{errc::state_type_mismatch, place_of(node, key), "hand-offs need a list<hand_off>"};
    const auto& all = unboxed<list<handoff_summary>>(*value);
    return {all.begin(), all.end()};
}

/** Whether the loop carries on the conversation of the graph around it. */
bool joins_graph(const loop_definition& loop, const node_context& outer)
{
    const event_loop_settings& settings = loop.settings();
    return settings.conversation.empty() && settings.mode == conversation_mode::continuous &&
           has_shared_conversation(outer);
}

/** What a visit begins with, out of what the node sees. */
state_update begin_values(const loop_definition& loop, const node_context& outer)
{
    loop_brief brief;
    brief.node = outer.node();
    brief.visit = outer.visit();
    prompt_template::filled focus = loop.system().fill(outer);
    prompt_template::filled opening = loop.prompt().fill(outer);
    brief.focus = std::move(focus.text);
    brief.opening = std::move(opening.text);
    brief.missing = std::move(focus.missing);
    brief.missing.insert(brief.missing.end(), opening.missing.begin(), opening.missing.end());
    brief.inputs = values_of(loop.options().reads, outer);
    if (loop.settings().mode == conversation_mode::isolated)
        brief.hand_offs = handoff_summaries_of(loop.settings().hand_offs, outer);
    note_time(brief, outer);
    state_update first;
    first.set(loop_start, std::move(brief));
    if (joins_graph(loop, outer)) first.overwrite(loop_conversation, shared_conversation_of(outer));
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
        // A reducer would join the value twice: now, and when the loop is taken up again and ends.
        if (type.has_reducer || !type.update->from_json) continue;
        try {
            outer.write({slot, false, true, type.update->from_json(value)});
        } catch (const error&) {
            continue;  // it does not fit, and the end of the loop would have said so
        }
    }
}

/** Ends the node as its loop has ended. */
command end_values(const loop_definition& loop, const state& inner, node_context& outer)
{
    const event_loop_memory& memory = inner.get(loop_state);
    // For good, whatever the retries of the node: the same loop with the same inputs would come to the same end.
    if (memory.outcome != loop_outcome::accepted) return command::fail(memory.why);
    write_outputs(memory, outer);
    if (joins_graph(loop, outer)) add_to_shared_conversation(outer, inner.get(loop_conversation));
    const std::string& key = loop.settings().hand_offs;
    if (key.empty()) return command::next();
    std::vector<named_text> outputs;
    for (const auto& [name, value] : memory.outputs) outputs.push_back({std::string{name}, readable_text(value)});
    const std::string lane = lane_of(loop.settings().mode, outer.node());
    handoff_summary made =
        make_handoff_summary(inner.get(loop_conversation), lane, std::string{outer.node()}, std::move(outputs));
    const std::uint32_t slot = slot_named(outer, key);
    if (outer.layout()[slot].type->update != &value_type_of<handoff_summary>)
        throw error{errc::state_type_mismatch, place_of(outer, key), "hand-offs need a list<hand_off> with append"};
    outer.write({slot, false, false, make_box<handoff_summary>(std::move(made))});
    return command::next();
}

subgraph node_of(const loop_ptr& loop)
{
    std::vector<key_mapping> moves;
    if (const std::string& key = loop->settings().conversation; !key.empty())
        moves.push_back({std::string{loop_conversation.name()}, key});
    for (const any_state_key& key : loop->options().carries)
        moves.push_back({std::string{key.name}, std::string{key.name}});
    std::vector<key_mapping> back;
    for (const key_mapping& move : moves) back.push_back({move.source, move.target});
    subgraph::input_function first = [loop](const node_context& outer) { return begin_values(*loop, outer); };
    subgraph::output_function last = [loop](const state& inner, node_context& outer) {
        return end_values(*loop, inner, outer);
    };
    return subgraph{.graph = make_loop_graph(loop),
                    .shares_keys = false,
                    .inputs = std::move(moves),
                    .outputs = std::move(back),
                    .make_inputs = std::move(first),
                    .take_outputs = std::move(last),
                    .take_partial = &publish_outputs,
                    .steps_max = 0};
}

}  // namespace

}  // namespace agent_detail

subgraph event_loop(std::shared_ptr<chat_model> model, event_loop_options options)
{
    return agent_detail::node_of(
        std::make_shared<const agent_detail::loop_definition>(std::move(model), std::move(options)));
}

graph_builder& add_event_loop(graph_builder& to, std::string name, std::shared_ptr<chat_model> model,
                              event_loop_options what, node_options options)
{
    agent_detail::loop_place where;
    where.wanted_retries = options.retry.attempts_max > 1;
    const auto loop =
        std::make_shared<const agent_detail::loop_definition>(std::move(model), std::move(what), where);
    // The loop makes failed calls again by itself. A second attempt of the node would begin the visit anew and pay for
    // its turns once more.
    options.retry = {.attempts_max = 1};
    options.faces_client = options.faces_client || loop->rules().faces_client;
    // A visit may wait for a person: the timeout of a usual node would end it.
    if (options.timeout.count() == 0) options.timeout = std::chrono::hours{24 * 30};
    return to.node(std::move(name), agent_detail::node_of(loop), std::move(options));
}

}  // namespace weft
