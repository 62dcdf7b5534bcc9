#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** How an agent stands behind a reply. */
enum class completion_kind : std::uint8_t {
    in_progress,  ///< It does not say.
    carry_on,     ///< It got further, and there is more to do.
    done,
    blocked,      ///< It cannot go on by itself.
};
BOOST_DESCRIBE_ENUM(completion_kind, in_progress, carry_on, done, blocked)

/** What an agent says at the end of a reply about how it stands.
 *
 *  It says so in a block: `<AGENT_DONE>`, `<AGENT_BLOCKED>` with `<BLOCKER_REASON>` and `<UNBLOCK_REQUIREMENTS>`, or
 *  `<AGENT_CONTINUE>` with `<STATUS_REPORT>`, each with its end. Of several, blocked counts before done before
 *  continue, and of several alike the last. A block without its end is none.
 *
 *  @par Source   Sulla's agent node.
 */
struct completion {
    completion_kind what = completion_kind::in_progress;
    std::string summary{};       ///< Of what was done: `<KEY_RESULT>`, or the first line that says something.
    bool needs_input = false;    ///< Done, and "Needs user input: yes".
    std::string blocker{};       ///< Why it cannot go on.
    std::string requirements{};  ///< What it needs to go on.
    std::string status{};        ///< What it is at: `<STATUS_REPORT>` or `<STATUS_MESSAGE>`.

    friend bool operator==(const completion&, const completion&) = default;
};
BOOST_DESCRIBE_STRUCT(completion, (), (what, summary, needs_input, blocker, requirements, status))

[[nodiscard]] completion read_completion(std::string_view reply);

/** A reply as people read it: without blocks and single tags of theirs. If nothing else was said, what the block says
 *  instead; never empty, unless the reply says nothing at all. */
[[nodiscard]] std::string visible_reply(std::string_view reply, const completion& outcome);

/** What a system prompt says about the blocks. */
[[nodiscard]] std::string_view completion_instructions() noexcept;

}  // namespace weft
