#include "number_range.hpp"

namespace weft::agent_detail {

void check_range(std::vector<std::string>& faults, std::string_view member, std::optional<std::int64_t> number,
                 number_range range)
{
    if (number && (*number < range.least || *number > range.most))
        faults.push_back(std::string{member} + ": is out of range: it is " + std::to_string(range.least) + " to " +
                         std::to_string(range.most));
}

}  // namespace weft::agent_detail
