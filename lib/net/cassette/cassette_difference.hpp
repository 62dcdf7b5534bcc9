#pragma once

#include "recorded_exchange.hpp"

#include <cstddef>
#include <string>

namespace weft::net_detail {

/** What two requests differ in, as a clause of a message. */
struct request_difference {
    std::size_t count = 0;  ///< How many places differ.
    std::string text;       ///< The first: `differs at $.messages[1].content: "a" is recorded, "b" is asked`.
};
[[nodiscard]] request_difference difference_between(const recorded_request& recorded, const recorded_request& asked);

}  // namespace weft::net_detail
