#pragma once

#include <weft/tool/call/tool_turn.hpp>

#include <boost/json/object.hpp>

namespace weft {
class node_context;
}

namespace weft::tool_detail {

/** What came of a call, for a journal: status, attempts, and the result with what it writes to the state. */
[[nodiscard]] boost::json::object to_record(const tool_answer& answer);

/** Puts back into an answer what `to_record` wrote. The call stays as it is.
 *  @par Errors
 *    - `errc::unexpected_json`   it is something else.
 *    - `errc::unknown_state_key`, `errc::state_conversion`   what the result wrote does not fit the graph, or could not
 *      be kept, because its key is transient. */
void read_record(const boost::json::object& record, tool_answer& answer, const node_context& node);

}  // namespace weft::tool_detail
