#pragma once

#include <weft/chat/tool_call.hpp>

#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A call without its id: the name, and the arguments in canonical form, so that `{"x":1,"y":2}` and `{"y":2,"x":1}`
 *  are one. Arguments that are no JSON count as they stand. */
[[nodiscard]] std::string call_signature(const tool_call& call);

/** How alike two texts are, from 0 to 1: the share of the pairs of neighbouring characters that both have, among all
 *  that one has; in any case of ASCII. Empty texts are like nothing. */
[[nodiscard]] double text_similarity(std::string_view a, std::string_view b);

/** Finds an agent that calls the same tools with the same arguments turn by turn. A plain value, which converts to
 *  JSON.
 *
 *  @par Source   Hive's event-loop node: three turns.
 */
struct doom_loop_detector {
    std::uint32_t turns = 3;           ///< So many alike in a row are a loop; 0: never.
    std::vector<std::string> last{};   ///< The signatures of the turn before.
    std::uint32_t count = 0;           ///< Turns alike so far.

    /** Takes the calls of a turn; one without calls ends a row. @return Whether this one makes it a loop. */
    [[nodiscard]] bool take(const std::vector<tool_call>& calls);
};
BOOST_DESCRIBE_STRUCT(doom_loop_detector, (), (turns, last, count))

/** Finds an agent that says the same again and again without getting anywhere. A plain value, which converts to JSON.
 *
 *  @par Source   Hive's event-loop node: three replies of 0.85. Unlike there, a turn that did something begins anew, so
 *                that an agent at work may report in like words.
 */
struct stall_detector {
    std::uint32_t replies = 3;   ///< So many in a row, each like the one before; 0: never.
    double similarity = 0.85;    ///< Of two replies that are alike, at least.
    std::string last{};          ///< The reply before.
    std::uint32_t count = 0;     ///< Replies alike so far.

    /** @param got_further   Tools were called, or outputs set.
     *  @return              Whether this reply makes it a stall. */
    [[nodiscard]] bool take(std::string_view reply, bool got_further);
};
BOOST_DESCRIBE_STRUCT(stall_detector, (), (replies, similarity, last, count))

/** Finds a call that failed in two turns next to each other. A plain value, which converts to JSON.
 *
 *  @par Source   Ivy's reconcile node.
 */
struct repeated_failure_detector {
    std::set<std::string> before{};  ///< What failed in the turn before, as signatures.
    std::set<std::string> now{};     ///< What failed in the turn at work.

    void failed(const tool_call& call) { now.insert(call_signature(call)); }
    /** The turn is over. @return The first call, as a signature, that failed in it and in the one before; else empty.
     *  */
    [[nodiscard]] std::string end_turn();
};
BOOST_DESCRIBE_STRUCT(repeated_failure_detector, (), (before, now))

}  // namespace weft
