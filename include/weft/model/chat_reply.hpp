#pragma once

#include <weft/chat/message.hpp>
#include <weft/chat/stop_reason.hpp>
#include <weft/chat/usage.hpp>
#include <weft/model/rate_limits.hpp>

#include <string>
#include <vector>

namespace weft {

/** What a model answered. */
struct chat_reply {
    weft::message message{};  ///< By the assistant; goes into the history as it is.
    weft::usage usage{};
    stop_reason stop = stop_reason::unfinished;
    std::string stop_detail{};  ///< The provider's own word for `stop`.
    std::string id{};           ///< The provider's name for the reply.
    std::string model{};        ///< The model that answered, as the provider names it.
    std::string request_id{};   ///< The provider's name for the HTTP request, for its support.
    weft::rate_limits rate_limits{};
    std::vector<std::string> warnings{};  ///< What was wrong with the reply and could be mended.
};

}  // namespace weft
