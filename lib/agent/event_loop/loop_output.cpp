#include <weft/agent/event_loop/loop_output.hpp>

namespace weft {

std::vector<std::string> missing_outputs(const std::vector<event_loop_output>& declared, const boost::json::object& set)
{
    std::vector<std::string> missing;
    for (const event_loop_output& output : declared) {
        if (output.is_nullable) continue;
        const boost::json::value* const found = set.if_contains(output.name);
        if (!found || found->is_null()) missing.push_back(output.name);
    }
    return missing;
}

}  // namespace weft
