#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** What a number of a graph file may be, both ends included. */
struct number_range {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

/** Adds `member: is out of range: it is <least> to <most>` to the faults, if a number that is given is. */
void check_range(std::vector<std::string>& faults, std::string_view member, std::optional<std::int64_t> number,
                 number_range range);

}  // namespace weft::agent_detail
