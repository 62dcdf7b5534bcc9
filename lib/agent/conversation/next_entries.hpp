#pragma once

#include <weft/agent/conversation/conversation.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::agent_detail {

/** What comes next in one lane of a conversation, an entry after the other, for the state alone: the updates of
 *  `conversation::add`, without a copy of the conversation that grows by them.
 *
 *      next_entries next{before, ""};
 *      node.set(talk, next.add(message::user("Why does it rain?"), {.node = "ask"}, {}));
 */
class next_entries {
public:
    next_entries(const conversation& before, std::string_view lane);

    /** @param from   Of the same lane. */
    [[nodiscard]] conversation_change add(message&& said, provenance&& from, conversation::options&& how);

    /** The id of the entry that comes next. The same entry after the same ones has the same id; siblings of parallel
     *  branches are told apart by their node, visit and size, and otherwise by where they stand. */
    [[nodiscard]] std::int64_t id_of(const conversation_entry& next) const noexcept;

private:
    std::uint64_t id_before_;  // of the last entry of the lane; made of its name if there is none
    std::size_t size_;         // of the conversation, all lanes together
};

}  // namespace weft::agent_detail
