#include "loop_steps.hpp"

#include "agent/conversation/phase_summary.hpp"
#include "agent/core/node_warnings.hpp"
#include "agent/conversation/shared_conversation.hpp"
#include "agent/text/key_text.hpp"
#include "agent/text/names.hpp"

#include <weft/agent/conversation/compaction.hpp>
#include <weft/agent/core/agent_event.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::size_t narrative_bytes_max = 200;  // of a value

/** The parts of the work that came before, in their order. */
std::vector<std::string> phases_before(const conversation& history, std::string_view lane, const std::string& now)
{
    std::vector<std::string> phases;
    for (lane_cursor at{history, lane}; !at.is_done(); at.next()) {
        const std::string& phase = at.entry().from.phase;
        if (!phase.empty() && phase != now) add_once(phases, phase);
    }
    std::reverse(phases.begin(), phases.end());
    return phases;
}

/** What an entry into a conversation that others began is told. */
std::optional<conversation_change> mark_move(loop_visit& visit, const loop_brief& brief, const provenance& by)
{
    const conversation::lane* const lane = visit.history.find_lane(by.lane);
    phase_summary move;
    move.from = lane ? lane->phase : std::string{};
    move.to = brief.node;
    move.to_description = shortened(brief.focus, narrative_bytes_max);
    move.outputs = given_in_phase(visit.history, by.lane, move.from);
    if (move.outputs.empty()) move.outputs = brief.inputs;  // what was said is summarised
    for (const tool_spec& spec : visit.offered()->specs) move.tools.push_back(spec.name);
    return enter_phase(visit.history, move, by);
}

std::string opening_of(const loop_brief& brief)
{
    if (!brief.opening.empty()) return brief.opening;
    return brief.inputs.empty() ? "Begin." : "Inputs:\n" + lines_of(brief.inputs);
}

/** Puts what came from outside into the conversation. */
void hear(loop_visit& visit)
{
    if (!visit.loop.options().mailbox) return;
    const mailbox_content content = visit.loop.options().mailbox->take(visit.node.thread());
    for (const mailbox_message& said : content.messages)
        visit.say(message::user(text_of(said)), said.author, {.label = "external"});
    if (!content.triggers.empty())
        visit.say(message::user(text_of(content.triggers)), message_author::program, {.label = "trigger"});
}

void shorten_conversation(loop_visit& visit)
{
    compaction_rules rules;
    rules.context_max = visit.loop.limits().context_max;
    const provenance by = visit.by();
    event_loop_memory& memory = visit.memory;
    memory.is_compaction_due = false;
    if (!needs_compaction(visit.history, by.lane, rules, memory.estimator)) return;
    const compaction done = compact(visit.history, by, rules, memory.estimator);
    for (const conversation_change& change : done.changes) visit.node.set(loop_conversation, change);
    memory.is_compaction_due = done.wants_summary;
    const boost::json::object told{{"before", done.before.count()},
                                   {"after", done.after.count()},
                                   {"results", done.results_shortened},
                                   {"pairs", done.pairs_left_out}};
    visit.node.emit(agent_event::context_compacted, boost::json::serialize(told));
}

}  // namespace

void note_time(loop_brief& brief, const node_context& outer)
{
    using namespace std::chrono;
    const serial_loop& loop = outer.loop();
    brief.began = duration_cast<milliseconds>(loop.now().time_since_epoch()).count();
    brief.time = duration_cast<seconds>(loop.clock().system_now().time_since_epoch()).count();
}

command begin_loop(loop_visit& visit)
{
    node_context& node = visit.node;
    loop_brief brief = visit.brief();
    const conversation_mode mode = visit.loop.settings().mode;
    if (mode == conversation_mode::continuous)
        brief.phases = phases_before(visit.history, lane_of(mode, brief.node), brief.node);
    if (!brief.phases.empty()) node.set(loop_start, brief);
    warn_of_missing(brief.missing, node);
    if (visit.loop.wanted_retries())
        visit.warn("the node '" + brief.node +
                   "' retries by itself: the attempts that it was declared with are not made");
    const provenance by = visit.by();
    node.set(loop_prompt, visit.loop.system_text(brief, brief.focus, node.purpose()));
    bool is_told = false;
    if (mode == conversation_mode::isolated) {
        for (const conversation_change& change : begin_lane(visit.history, brief.hand_offs, by))
            node.set(loop_conversation, change);
    } else if (const auto marker = mark_move(visit, brief, by)) {
        node.set(loop_conversation, *marker);
        is_told = true;
    }
    // The marker of the move has the inputs already: a prompt of the node's own is said beside it.
    if (!is_told || !brief.opening.empty())
        visit.say(message::user(opening_of(brief)), message_author::program, {.is_pinned = true, .label = "opening"});
    visit.call_hook(loop_moment::begin);
    visit.save();
    return command::next();
}

command listen_loop(loop_visit& visit)
{
    event_loop_memory& memory = visit.memory;
    begin_turn(memory, visit.loop.rules());
    const char* way = "end";
    if (memory.outcome == loop_outcome::none) {
        hear(visit);
        visit.call_hook(loop_moment::turn);
        visit.node.emit(agent_event::loop_iteration, std::to_string(memory.iteration));
        shorten_conversation(visit);
        way = memory.is_compaction_due ? "summarise" : "turn";
    }
    visit.save();
    return command::label(way);
}

}  // namespace weft::agent_detail
