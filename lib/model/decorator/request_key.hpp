#pragma once

#include <weft/model/chat_request.hpp>

#include <string>

namespace weft {

/** A text that two requests have in common exactly if they ask the same: canonical JSON with sorted keys of everything
 *  that goes to the provider. What does not change the answer is left out: `call_id`, `labels`, and what is ignored
 *  without tools. */
[[nodiscard]] std::string request_key(const chat_request& request);

}  // namespace weft
