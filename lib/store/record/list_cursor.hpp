#pragma once

#include <weft/store/record/stored_document.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** The row behind which a page begins: its numbers where a list is sorted by them, its names where it is sorted by
 *  name. Clients get it as a text that they send back and need not understand. */
struct list_cursor {
    std::int64_t first = 0;   ///< What the list is sorted by: the number of a row or of its change, or a time.
    std::int64_t second = 0;  ///< The number of the row, where the first is a time.
    std::string tenant;
    std::string name;

    [[nodiscard]] std::string text() const;
    /** @par Errors  `errc::store_refused` for a text that `text` did not write. */
    [[nodiscard]] static list_cursor parse(std::string_view text);

    friend bool operator==(const list_cursor&, const list_cursor&) = default;
};

}  // namespace weft
