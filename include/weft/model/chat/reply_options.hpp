#pragma once

#include <weft/model/chat/rate_limits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

/** How large a reply may be. */
struct reply_limits {
    std::size_t text_bytes_max = 16 * 1024 * 1024;  ///< Text, reasoning and refusal together.
    std::size_t tool_calls_max = 128;
    std::size_t argument_bytes_max = 1024 * 1024;   ///< Of all tool calls together.
};

/** What the pieces of one reply are read with, for every provider. */
struct reply_options {
    std::string where{};       ///< The model and its endpoint, for errors.
    std::string model{};       ///< The model that was asked; marks what only it understands in the history.
    std::string request_id{};  ///< The provider's name for the HTTP request.
    weft::rate_limits rate_limits{};
    std::uint64_t id_seed = 0;  ///< Random; for the ids of tool calls that come without one.
    reply_limits limits{};
};

}  // namespace weft
