#include "loop_visit.hpp"

#include <weft/agent/core/agent_event.hpp>

#include <utility>

namespace weft::agent_detail {

loop_visit::loop_visit(const loop_definition& definition, node_context& context)
    : loop{definition}, node{context}, history{context.get(loop_conversation)}
{
    const event_loop_memory* const before = node.find(loop_state);
    memory = before ? *before : first_memory(loop.rules());
}

std::shared_ptr<const offered_tools> loop_visit::offered()
{
    const std::vector<std::string>& phases = brief().phases;
    if (phases.empty() || loop.options().tools_of_others.empty()) return loop.offer_after({});
    if (const auto* const known = node.find(loop_offer)) return *known;
    std::shared_ptr<const offered_tools> made = loop.offer_after(phases);
    node.set(loop_offer, made);
    return made;
}

void loop_visit::say(message said, message_author author, conversation::options how)
{
    node.set(loop_conversation, history.add(std::move(said), by(author), std::move(how)));
}

void loop_visit::call_hook(loop_moment when)
{
    if (!loop.options().hook) return;
    const loop_hook_answer answer = loop.options().hook(when, memory);
    if (answer.focus) node.set(loop_prompt, loop.system_text(brief(), *answer.focus, node.purpose()));
    if (!answer.inject.empty())
        say(message::user(answer.inject), message_author::program, {.label = "hook"});
}

void loop_visit::warn(std::string_view text) const { node.emit(agent_event::warning, text); }

message message_of_result(const std::string& call_id, const tool_result& result)
{
    return result.is_error ? message::tool_error(call_id, result.readable())
                           : message::tool_result(call_id, result.readable());
}

}  // namespace weft::agent_detail
