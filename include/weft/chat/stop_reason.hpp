#pragma once

#include <boost/json/conversion.hpp>
#include <boost/json/fwd.hpp>

#include <string_view>

namespace weft {

/** Why a model stopped writing, in one meaning for every provider. */
enum class stop_reason {
    unfinished,      ///< It did not: the reply is the part that arrived before a failure.
    stop,            ///< It said what it had to say, or met a stop sequence.
    tool_calls,      ///< It waits for the results of the tool calls in its message.
    length,          ///< It reached the limit of tokens; text and the last tool call may be cut.
    content_filter,  ///< The provider withheld the rest.
    paused,          ///< The provider paused a long turn; sending the history again goes on with it.
    unknown,         ///< For a reason that weft does not know; the reply has the provider's word for it.
};

/** The identifier of a stop reason as written above, e.g. `"tool_calls"`. */
[[nodiscard]] std::string_view name_of(stop_reason reason) noexcept;

void tag_invoke(boost::json::value_from_tag, boost::json::value& out, stop_reason in);

/** A name that a newer version wrote reads as `unknown`.
 *  @par Errors `errc::unexpected_json` when `in` is no string. */
stop_reason tag_invoke(boost::json::value_to_tag<stop_reason>, const boost::json::value& in);

}  // namespace weft
