#pragma once

#include "agent_story.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Which keys of a graph are no state to clients of AG-UI: its messages, and what came with the request. */
struct agent_keys_apart {
    std::uint32_t messages;      ///< The slot; `state_layout::none`: there is none.
    std::uint32_t surroundings;
    std::uint32_t client_tools;  ///< What clients have sent themselves.
};

/** The name of the key that a graph has to get `tools`, `context` and `forwardedProps` of a request. */
inline constexpr std::string_view surroundings_key{"ag_ui"};

/** An event of the protocol: `data: …` and an empty line. */
[[nodiscard]] std::string agent_frame(const boost::json::object& event);

/** Appends what a client gets of an event, but for items of the kind `state`.
 *  @param story   The one that has made the items, and has taken nothing since.
 *  @par Errors    `state_conversion`. */
void append_agent_frames(std::string& out, const std::vector<story_item>& items, const agent_story& story,
                         const run_event& event, const agent_keys_apart& apart);

/** `STATE_SNAPSHOT`, and `MESSAGES_SNAPSHOT` if the graph has a conversation. Made in slices, between which the loop
 *  has its turn.
 *  @par Errors   `state_conversion`. */
[[nodiscard]] task<std::string> agent_snapshots(state of, agent_keys_apart apart);
/** The same at once. */
[[nodiscard]] std::string agent_snapshots_now(const state& of, const agent_keys_apart& apart);

/** A question as clients get it, in the outcome of a run. */
[[nodiscard]] boost::json::object agent_interrupt_of(const open_question& asked);

}  // namespace weft::serve_detail
