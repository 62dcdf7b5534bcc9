#pragma once

#include <weft/async/task.hpp>
#include <weft/store/item_space.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** What is looked for in a memory. */
struct memory_query {
    memory_query() {}

    std::string words = {};           ///< An item without any of these in its name or value is left out. Empty: all.
    std::string prefix = {};          ///< Names begin with it.
    std::size_t items_max = 10;       ///< Given back.
    std::size_t scanned_max = 1'000;  ///< Looked at, in the order of their names.
};

/** The items of a namespace, and of those below it, that fit: those with most of the words first, of these the newest.
 *
 *  Words are compared without regard to the case of ASCII letters, also within longer words; there is no index: the
 *  store gives the items, and they are looked at one after another.
 *
 *  @par Errors         Those of `item_store::list`.
 *  @par Cancellation   Between two pages of the store. */
[[nodiscard]] task<std::vector<stored_item>> search_memory(item_space where, memory_query asked);

/** The name of an item as `search_memory` compares it: behind the namespaces below `where`, joined by "/". */
[[nodiscard]] std::string name_in(const item_space& where, const item_key& key);

/** A name for a text that is given none: equal texts have the same. */
[[nodiscard]] std::string memory_name_of(std::string_view text);

}  // namespace weft
