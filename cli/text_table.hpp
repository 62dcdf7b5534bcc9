#pragma once

#include <string>
#include <vector>

namespace weft_cli {

/** Rows of cells as lines with two blanks in front and columns that begin below each other; cells are made harmless,
 *  and nothing stands behind the last one. */
[[nodiscard]] std::string table_of(const std::vector<std::vector<std::string>>& rows);

}  // namespace weft_cli
