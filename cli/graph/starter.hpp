#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** The templates of `weft new`, the one that is taken without a name first. */
[[nodiscard]] std::vector<std::string> starter_names();

/** A graph file to begin with, which runs as it is.
 *  @param which   One of `starter_names`.
 *  @param name    The name of the graph; any text that is UTF-8. */
[[nodiscard]] std::string starter_text(std::string_view which, std::string_view name);

/** What its inputs are for a first run, as arguments of `weft run`. */
[[nodiscard]] std::string_view starter_arguments(std::string_view which);

}  // namespace weft_cli
