#include "loop_parts.hpp"

#include "agent/conversation/phase_transition.hpp"
#include "agent/conversation/shared_talk.hpp"
#include "agent/text/key_text.hpp"

#include <weft/agent/conversation/compaction.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/prompt/prompt_layers.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::size_t narrative_bytes_max = 200;  // of a value

/** The parts of the work that came before, in their order. */
std::vector<std::string> phases_before(const conversation& talk, std::string_view lane, const std::string& now)
{
    std::vector<std::string> phases;
    for (lane_cursor at{talk, lane}; !at.is_done(); at.next()) {
        const std::string& phase = at.entry().from.phase;
        if (phase.empty() || phase == now || std::find(phases.begin(), phases.end(), phase) != phases.end()) continue;
        phases.push_back(phase);
    }
    std::reverse(phases.begin(), phases.end());
    return phases;
}

std::string preamble_of(const loop_parts& parts)
{
    std::string text = "You work in turns until the task is done.";
    if (!parts.rules.outputs.empty()) text += " Give each output its value with set_output.";
    if (parts.rules.faces_client)
        text += " Somebody reads what you say. If you need an answer, ask with ask_user: nothing else waits for one.";
    if (parts.rules.is_sub_agent)
        text += " You work for another agent, which reads your outputs and your last reply. You cannot ask a person.";
    return text;
}

/** What an entry into a talk that others began is told. */
std::optional<conversation_change> mark_move(const offered_tools& offered, const loop_brief& brief,
                                             conversation& talk, const provenance& by)
{
    const conversation::lane* const lane = talk.find_lane(by.lane);
    phase_transition move;
    move.from = lane ? lane->phase : std::string{};
    move.to = brief.node;
    move.to_description = shortened(brief.focus, narrative_bytes_max);
    move.outputs = given_in_phase(talk, by.lane, move.from);
    if (move.outputs.empty()) move.outputs = brief.inputs;  // what was said is summarised
    for (const tool_spec& spec : offered.specs) move.tools.push_back(spec.name);
    return enter_phase(talk, move, by);
}

std::string opening_of(const loop_brief& brief)
{
    if (!brief.opening.empty()) return brief.opening;
    return brief.inputs.empty() ? "Begin." : "Inputs:\n" + lines_of(brief.inputs);
}

void apply_hook(const loop_parts& parts, const loop_brief& brief, node_context& node, conversation& talk,
                loop_moment when, const event_loop_memory& memory)
{
    if (!parts.options.hook) return;
    const loop_hook_answer answer = parts.options.hook(when, memory);
    if (answer.focus)
        node.set(loop_prompt, compose_loop_prompt(parts, brief, *answer.focus, node.purpose()));
    if (!answer.inject.empty())
        loop_say(node, talk, message::user(answer.inject), loop_provenance(parts, brief), {.label = "hook"});
}

/** Puts what came from outside into the conversation. */
void hear(const loop_parts& parts, node_context& node, conversation& talk)
{
    if (!parts.options.mailbox) return;
    const mailbox_content content = parts.options.mailbox->take(node.thread());
    const loop_brief& brief = node.get(loop_start);
    for (const mailbox_message& said : content.messages)
        loop_say(node, talk, message::user(text_of(said)), loop_provenance(parts, brief, said.author),
                 {.label = "external"});
    if (!content.triggers.empty())
        loop_say(node, talk, message::user(text_of(content.triggers)), loop_provenance(parts, brief),
                 {.label = "trigger"});
}

void shorten_talk(const loop_parts& parts, node_context& node, conversation& talk, event_loop_memory& memory)
{
    compaction_rules rules;
    rules.context_max = parts.limits().context_max;
    const provenance by = loop_provenance(parts, node.get(loop_start));
    memory.is_compaction_due = false;
    if (!needs_compaction(talk, by.lane, rules, memory.estimator)) return;
    const compaction done = compact(talk, by, rules, memory.estimator);
    for (const conversation_change& change : done.changes) node.set(loop_talk, change);
    memory.is_compaction_due = done.wants_summary;
    node.emit(agent_event::context_compacted, boost::json::serialize(boost::json::object{
                                       {"before", done.before.count()},
                                       {"after", done.after.count()},
                                       {"results", done.results_shortened},
                                       {"pairs", done.pairs_left_out}}));
}

}  // namespace

void note_time(loop_brief& brief, const node_context& outer)
{
    using namespace std::chrono;
    const serial_loop& loop = outer.loop();
    brief.began = duration_cast<milliseconds>(loop.now().time_since_epoch()).count();
    brief.time = duration_cast<seconds>(loop.clock().system_now().time_since_epoch()).count();
}

provenance loop_provenance(const loop_parts& parts, const loop_brief& brief, message_author author)
{
    provenance from;
    from.lane = lane_of(parts.options.settings.mode, brief.node);
    from.phase = brief.node;
    from.node = brief.node;
    from.visit = brief.visit;
    from.author = author;
    return from;
}

void loop_say(node_context& node, conversation& talk, message said, provenance from, conversation::options how)
{
    node.set(loop_talk, talk.add(std::move(said), std::move(from), std::move(how)));
}

std::string lines_of(const std::vector<named_text>& values)
{
    std::string text;
    for (const named_text& value : values)
        text.append(text.empty() ? "- " : "\n- ").append(value.name).append(": ").append(value.text);
    return text;
}

std::string compose_loop_prompt(const loop_parts& parts, const loop_brief& brief, const std::string& focus,
                                const std::string& purpose)
{
    prompt_layers layers;
    layers.mode = parts.options.settings.mode;
    layers.identity = parts.options.settings.identity;
    layers.goal = parts.options.goal.empty() ? purpose : parts.options.goal;
    layers.surroundings = parts.options.surroundings;
    layers.preamble = preamble_of(parts);
    layers.focus = focus;
    layers.phases_done = brief.phases;
    if (!layers.phases_done.empty()) layers.values = brief.inputs;
    if (parts.options.settings.tells_time)
        layers.now = std::chrono::sys_seconds{std::chrono::seconds{brief.time}};
    composed_prompt composed = compose(layers);
    if (parts.options.on_prompt) parts.options.on_prompt(composed);
    return std::move(composed.text);
}

command begin_loop(const loop_parts& parts, node_context& node)
{
    loop_brief brief = node.get(loop_start);
    conversation talk = node.get(loop_talk);
    const conversation_mode mode = parts.options.settings.mode;
    if (mode == conversation_mode::continuous)
        brief.phases = phases_before(talk, lane_of(mode, brief.node), brief.node);
    if (!brief.phases.empty()) node.set(loop_start, brief);
    for (const std::string& key : brief.missing)
        node.emit(agent_event::warning, "the prompt names '" + key + "', which has no value");
    if (parts.wanted_retries)
        node.emit(agent_event::warning, "the node '" + brief.node +
                                 "' retries by itself: the attempts that it was declared with are not made");
    const provenance by = loop_provenance(parts, brief);
    node.set(loop_prompt, compose_loop_prompt(parts, brief, brief.focus, node.purpose()));
    bool is_told = false;
    if (mode == conversation_mode::isolated) {
        for (const conversation_change& change : begin_lane(talk, brief.hand_offs, by)) node.set(loop_talk, change);
    } else if (const auto marker = mark_move(*offered_in_visit(parts, node, brief.phases), brief, talk, by)) {
        node.set(loop_talk, *marker);
        is_told = true;
    }
    if (!is_told || !brief.opening.empty())
        loop_say(node, talk, message::user(opening_of(brief)), by, {.is_pinned = true, .label = "opening"});
    event_loop_memory memory = first_memory(parts.rules);
    apply_hook(parts, brief, node, talk, loop_moment::begin, memory);
    node.set(loop_state, std::move(memory));
    return command::next();
}

command listen_loop(const loop_parts& parts, node_context& node)
{
    event_loop_memory memory = node.get(loop_state);
    begin_turn(memory, parts.rules);
    if (memory.outcome != loop_outcome::none) {
        node.set(loop_state, std::move(memory));
        return command::label("end");
    }
    conversation talk = node.get(loop_talk);
    hear(parts, node, talk);
    apply_hook(parts, node.get(loop_start), node, talk, loop_moment::turn, memory);
    node.emit(agent_event::loop_iteration, std::to_string(memory.iteration));
    shorten_talk(parts, node, talk, memory);
    const bool is_long = memory.is_compaction_due;
    node.set(loop_state, std::move(memory));
    return command::label(is_long ? "summarise" : "turn");
}

}  // namespace weft::agent_detail
