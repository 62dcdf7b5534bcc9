#pragma once

#include "loop_definition.hpp"

#include <weft/graph/node_context.hpp>
#include <weft/tool/tool_result.hpp>

#include <memory>
#include <string>

namespace weft::agent_detail {

/** One visit of an event loop, as a step of it sees the visit: what the loop remembers and what was said, taken from
 *  the state. `memory` goes back by `save`; what is said goes there at once.
 *
 *  @par Thread safety   None: it belongs to a step.
 *  @par Lifetimes       Definition and node outlive it. */
class loop_visit {
public:
    loop_visit(const loop_definition& definition, node_context& context);
    loop_visit(const loop_visit&) = delete;
    loop_visit& operator=(const loop_visit&) = delete;

    const loop_definition& loop;
    node_context& node;
    event_loop_memory memory;
    conversation history;

    /** What the visit began with. */
    [[nodiscard]] const loop_brief& brief() const { return node.get(loop_start); }
    [[nodiscard]] provenance by(message_author author = message_author::program) const
    {
        return loop.provenance_of(brief(), author);
    }
    /** What the model may call; made once for a visit. */
    [[nodiscard]] std::shared_ptr<const offered_tools> offered();

    void say(message said, message_author author = message_author::program, conversation::options how = {});
    /** Calls the hook, if the loop has one, and does what it wants. */
    void call_hook(loop_moment when);
    void warn(std::string_view text) const;
    void save() { node.set(loop_state, std::move(memory)); }
};

/** The result of a call for the model. */
[[nodiscard]] message message_of_result(const std::string& call_id, const tool_result& result);

}  // namespace weft::agent_detail
