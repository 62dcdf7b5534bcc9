#pragma once

#include "document_mistakes.hpp"
#include "document_outline.hpp"

#include <cstddef>
#include <string_view>

namespace weft {

/** Where the values of a JSON text are. Made only when there is something to report.
 *
 *  @param text       Has been parsed: it is JSON, not nested too deep.
 *  @param repeated   Takes the members whose object has one of this name already. */
[[nodiscard]] document_outline outline_of_json(std::string_view text, document_mistakes& repeated);

/** How many members the objects of a JSON text have in all, repeated ones included. The text has been parsed. */
[[nodiscard]] std::size_t count_members(std::string_view text) noexcept;

}  // namespace weft
