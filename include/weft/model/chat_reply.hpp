#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/message.hpp>
#include <weft/chat/stop_reason.hpp>
#include <weft/chat/usage.hpp>
#include <weft/model/chat/rate_limits.hpp>

#include <optional>
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
    int attempts = 1;                     ///< Calls of endpoints that it took; 0 if it came from a cache.
    std::chrono::nanoseconds waited{};    ///< Spent between attempts and in the queues of limiters.
    std::optional<usd_micros> cost{};     ///< Of all attempts; unknown without a table of prices.
};

}  // namespace weft
