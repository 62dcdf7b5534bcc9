#pragma once

#include "document_mistakes.hpp"
#include "document_outline.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace weft {

/** How large a YAML text may be: yaml-cpp takes up to 250 times as much memory while it reads. */
inline constexpr std::size_t yaml_bytes_max = 1u << 20;

/** What a YAML text holds, as JSON has it, and where. */
struct yaml_document {
    std::optional<boost::json::value> value = {};  ///< Nothing if the text could not be read to its end.
    document_outline where = {};
};

/** Reads a text that is one document of YAML 1.2 with the core schema and without tags. Aliases become copies, within
 *  bounds: all of them together add at most `yaml_bytes_max` values and bytes, and nothing is nested deeper than
 *  `json_depth_max`.
 *
 *  @param text       At most `yaml_bytes_max` bytes, without a byte order mark.
 *  @param mistakes   Takes repeated members, tags and the like, all of them; the first mistake of syntax ends the
 *                    reading. */
[[nodiscard]] yaml_document read_yaml(std::string_view text, document_mistakes& mistakes);

}  // namespace weft
