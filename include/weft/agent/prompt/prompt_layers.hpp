#pragma once

#include <weft/agent/conversation/handoff_summary.hpp>
#include <weft/agent/prompt/prompt_sections.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/base/chrono.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The layers of the prompt of a node, from what never changes to what always does.
 *
 *      weft::prompt_layers layers;
 *      layers.identity = "You are a careful analyst.";
 *      layers.phases_done = {"research"};
 *      layers.focus = "Write the report.";
 *      layers.now = std::chrono::floor<std::chrono::seconds>(clock.system_now());
 *      request.system(weft::compose(layers).text);
 *
 *  A layer without text is left out.
 *
 *  @par Source   The onion prompt of Hive: identity, surroundings, narrative, scope, focus, time.
 */
struct prompt_layers {
    std::string identity{};  ///< Who the agent is, in all its nodes.
    std::vector<prompt_section> surroundings{};  ///< Accounts, skills, protocols: as given, after the identity.
    std::vector<std::string> phases_done{};      ///< The narrative: what has happened so far,
    std::vector<named_text> values{};            ///< and the values of the state that matter; long ones are cut.
    std::string scope{};     ///< In which surroundings the node works.
    std::string preamble{};  ///< What all nodes of its kind are told.
    std::string focus{};     ///< What it is to do.
    std::string goal{};      ///< What all of it is for; see `to_text(const goal&)`.
    std::optional<std::chrono::sys_seconds> now{};
    std::string notice{};    ///< For this turn only: budgets, warnings.

    /** An isolated node gets neither identity nor narrative. */
    conversation_mode mode = conversation_mode::continuous;
};

/** The layers as sections, outermost first. Sticky are all but the surroundings, which say it themselves. */
[[nodiscard]] std::vector<prompt_section> sections_of(const prompt_layers& layers);

/** The prompt of these layers, in their order; see `compose` of sections. */
[[nodiscard]] composed_prompt compose(const prompt_layers& layers, prompt_options options = {});

/** E.g. `Sunday, 2026-11-22 09:57 UTC`. */
[[nodiscard]] std::string readable_time(std::chrono::sys_seconds at);

}  // namespace weft
