#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/state/state.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Messages in a value, which is one of them or a list of them; none in any other. Calls `see` with each.
 *  @param first   How many are passed over. */
template <class See>
void for_each_message(const value_box& box, std::size_t first, const See& see)
{
    const auto see_all = [&](const auto& all) {
        for (std::size_t i = first; i < all.size(); ++i) see(all[i]);
    };
    if (&box.type() == &value_type_of<message>) {
        if (first == 0) see(unboxed<message>(box));
    } else if (&box.type() == &value_type_of<std::vector<message>>) {
        see_all(unboxed<std::vector<message>>(box));
    } else if (&box.type() == &value_type_of<list<message>>) {
        see_all(unboxed<list<message>>(box));
    }
}

/** How many messages a key has. @param key  Empty: none. */
[[nodiscard]] std::size_t message_count(const state& of, std::string_view key);
/** The messages of a key from one on. */
[[nodiscard]] std::vector<message> messages_from(const state& of, std::string_view key, std::size_t first);
/** The calls of the assistant's last message that no `tool` message answers. */
[[nodiscard]] std::vector<tool_call> open_calls(const state& of, std::string_view key);

}  // namespace weft::serve_detail
