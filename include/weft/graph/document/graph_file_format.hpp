#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/** What a graph file is written in. */
enum class graph_file_format : std::uint8_t {
    by_name,  ///< YAML where the file is called `.yaml` or `.yml`, otherwise JSON.
    json,
    yaml,  ///< YAML 1.2: one document, without tags.
};

/** The format of a file of this name: never `by_name`. */
[[nodiscard]] graph_file_format format_of_file(std::string_view name) noexcept;

}  // namespace weft
