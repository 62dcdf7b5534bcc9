#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft_cli {

/** A harmless text with blanks behind it, or before a number, so that it fills the columns. */
[[nodiscard]] std::string padded(std::string text, std::size_t columns, bool is_number = false);

/** Rows of cells as lines with two blanks in front and columns that begin below each other; cells are made harmless,
 *  and nothing stands behind the last one. */
[[nodiscard]] std::string table_of(const std::vector<std::vector<std::string>>& rows);

}  // namespace weft_cli
