#include <weft/agent/react/react_settings.hpp>

#include "agent/core/number_range.hpp"

namespace weft {

using agent_detail::check_range;

std::vector<std::string> react_work::faults() const
{
    std::vector<std::string> faults;
    check_range(faults, "turns_max", turns_max, {1, 10'000});
    check_range(faults, "attempts_max", attempts_max, {1, 100});
    check_range(faults, "calls_max", calls_max, {1, 1'000'000});
    check_range(faults, "concurrency_max", concurrency_max, {1, 1'000'000});
    check_range(faults, "result_chars_max", result_chars_max, {1, 1'000'000});
    for (std::string& fault : agent_settings::faults()) faults.push_back(std::move(fault));
    return faults;
}

std::vector<std::string> react_settings::faults() const
{
    std::vector<std::string> faults = react_work::faults();
    check_range(faults, "hand_overs_max", hand_overs_max, {0, 1000});
    return faults;
}

}  // namespace weft
