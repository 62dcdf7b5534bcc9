#pragma once

#include <weft/model/chat_request.hpp>

#include <boost/json/object.hpp>

namespace weft {

/** What of a request changes the answer besides its messages and tools, as JSON: what is not set is left out, as is
 *  what is ignored without tools. Budget, tenant and id of a call are none of it. */
[[nodiscard]] boost::json::object request_parameters(const chat_request& request);

}  // namespace weft
