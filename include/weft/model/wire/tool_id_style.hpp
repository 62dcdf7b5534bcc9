#pragma once

namespace weft {

/** Which ids a server takes for tool calls. */
enum class tool_id_style {
    any,
    nine_alphanumeric,  ///< Ids of other servers are translated, the same each time.
};

}  // namespace weft
