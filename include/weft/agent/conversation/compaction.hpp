#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/text/token_estimator.hpp>
#include <weft/base/units.hpp>

#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** When a lane has become too long, and what of it stays as it is. */
struct compaction_rules {
    tokens context_max{32'000};  ///< What the model may be given of the lane.
    int trigger_percent = 80;    ///< Of it: from here on it is compacted,
    int target_percent = 50;     ///< down to this, so that it is not done again at once.
    std::size_t replies_kept = 4;  ///< The newest so many messages of the model, and what comes after them, stay.
    std::size_t phases_kept = 2;   ///< If there are more phases, the newest so many lose neither results nor pairs.
    tokens results_kept{0};        ///< The newest results up to so many tokens stay; 0: a twelfth, at least 2,000.
    std::size_t result_bytes_min = 200;  ///< Shorter ones without pictures stay: a placeholder is hardly shorter.
};
BOOST_DESCRIBE_STRUCT(compaction_rules, (), (context_max, trigger_percent, target_percent, replies_kept, phases_kept,
                                             results_kept, result_bytes_min))

/** What was done to a lane. */
struct compaction {
    std::vector<conversation_change> changes{};  ///< For the state, in order.
    tokens before{};                             ///< What is in force, as the provider counts.
    tokens after{};
    std::size_t results_shortened = 0;
    std::size_t pairs_left_out = 0;
    bool wants_summary = false;  ///< It is still too long: only a summary helps; see `summary_plan`.
};

/** Whether a lane has reached the point from which it is compacted. O(1). */
[[nodiscard]] bool needs_compaction(const conversation& history, std::string_view lane, const compaction_rules& rules,
                                    const token_estimator& estimator);

/** Makes a lane shorter, in stages, and no more of them than it takes:
 *
 *  1. Old tool results are shortened to placeholders, if that gives enough back to be worth it.
 *  2. The oldest messages with tool calls are left out with their results; a line that counts the calls by tool stands
 *     in their place, so that the model does not repeat them.
 *  3. `wants_summary`.
 *
 *  Never touched are messages of the system, pinned ones, such as the markers between phases, the latest message of the
 *  user and the newest replies. Results that are errors, and those of the newest phases, are not shortened. The
 *  reference of a result that was spilled stays in its placeholder.
 *
 *  Since what is done is written down as marks, requests begin with the same text until the next time, and a provider's
 *  cache of prompts keeps working.
 *
 *  @param history   Is changed; the changes are for the state.
 *  @param by     Whose work it is; its lane is the one that is compacted.
 *  @par Source   The stages: Hive's compaction.
 */
[[nodiscard]] compaction compact(conversation& history, const provenance& by, const compaction_rules& rules,
                                 const token_estimator& estimator);

}  // namespace weft
