#pragma once

#include <weft/agent/conversation/conversation_view.hpp>

#include <cstdint>
#include <optional>

namespace weft::agent_detail {

inline constexpr std::int64_t lightest_message = 4;  // the frame of an empty one

/** The view of a conversation of which everything was in the view before, and has room in this one as well: without a
 *  look at what was in it.
 *  @return   As `view_of`; nothing if it takes more than to add what was said since. */
[[nodiscard]] std::optional<conversation_view> grow_view(const conversation& from, const view_options& options,
                                                         const conversation_view& before);

}  // namespace weft::agent_detail
