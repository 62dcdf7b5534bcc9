#include <weft/agent/core/agent_settings.hpp>

#include <weft/model/chat_request.hpp>

namespace weft {

std::vector<std::string> sampling_settings::faults() const
{
    std::vector<std::string> faults;
    // Hosted models take 2 at most; models that people run themselves take more.
    if (temperature && *temperature > 100) faults.emplace_back("temperature: is too high: it is at most 100");
    else if (temperature && !(*temperature >= 0)) faults.emplace_back("temperature: is negative: it is at least 0");
    if (output_max && *output_max < 1) faults.emplace_back("output_max: is too small: it is at least 1");
    return faults;
}

void sampling_settings::apply_to(chat_request& request) const
{
    request.model = model;
    request.temperature = temperature;
    if (output_max) request.output_max = tokens{*output_max};
}

std::vector<std::string> agent_settings::faults() const
{
    std::vector<std::string> faults = sampling_settings::faults();
    for (const std::string& fault : guards.faults()) faults.push_back("guards." + fault);
    return faults;
}

}  // namespace weft
