#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A message of weft, as JSON, in the form that LangChain's clients read: `type`, `content`, `tool_calls` with `args`.
 *  @param id   Under which clients know it if it has no id of its own. */
[[nodiscard]] boost::json::object message_to_langchain(const boost::json::object& message, std::string_view id);

/** A message of such a client as JSON of weft. It has a `type` (`human`, `ai`, `system`, `tool`) or a `role`; a text
 *  alone is one of the user, a pair is role and text.
 *  @param where   Its JSON path, for messages.
 *  @par Errors    `errc::unexpected_json`. */
[[nodiscard]] boost::json::object message_from_langchain(const boost::json::value& message, std::string_view where);

}  // namespace weft::serve_detail
