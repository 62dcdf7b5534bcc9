#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/text/named_text.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The move of a conversation that is carried on from one part of the work to the next. */
struct phase_summary {
    std::string from{};
    std::string from_description{};
    std::string to{};
    std::string to_description{};
    std::vector<named_text> outputs{};  ///< What the part before gave; long ones are cut.
    std::vector<std::string> files{};   ///< Where data lies.
    std::vector<std::string> tools{};   ///< What can be called now.
};

/** As the model reads it: what is done, what it gave, what is the only task now. The same values give the same text,
 *  tools and files in alphabetical order. */
[[nodiscard]] std::string to_text(const phase_summary& move);

/** Marks the move in a conversation: once for each, also when a run is resumed, and not before the first part.
 *
 *  The marker is a message of the user, pinned, labelled `transition`. What is said from here on belongs to the phase
 *  `to`, if its provenance says so.
 *
 *  @param history   Is changed. @param by   Its phase does not count.
 *  @return       For the state; nothing if the lane is in that phase already, or in none. */
[[nodiscard]] std::optional<conversation_change> enter_phase(conversation& history, const phase_summary& move,
                                                             provenance by);

}  // namespace weft
