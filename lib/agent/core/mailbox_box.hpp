#pragma once

#include <weft/agent/core/agent_mailbox.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>

namespace weft {

/** What waits for one address, oldest first, and who reads it. */
struct agent_mailbox::box {
    std::deque<item> items;
    std::size_t bytes = 0;
    std::size_t taken = 0;              ///< Of the items, by `take`.
    std::optional<std::int64_t> first;  ///< Number of the first item; unknown until an agent says how far it is.
    std::stop_source stop;
    std::size_t readers = 0;

    /** What an item takes of the limits of its mailbox. */
    [[nodiscard]] static std::size_t bytes_of(const item& what);
    /** Nothing waits here and no agent reads here: the box may go. */
    [[nodiscard]] bool is_idle() const noexcept;
    /** Numbers begin after this one, unless they are known. */
    void number_from(std::int64_t after);
    void drop_first();
};

}  // namespace weft
