#include "finished_calls.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include "tool_id.hpp"

#include <algorithm>

namespace weft::model_detail {

bool is_whole_object(std::string_view text)
{
    try {
        return parse_json(text).is_object();
    } catch (const error&) {
        return false;
    }
}

void give_own_ids(std::vector<tool_call>& calls, std::uint64_t id_seed, std::vector<std::string>& warnings,
                  tool_id_style style)
{
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::string& id = calls[i].id;
        const auto is_taken = [&](const std::string& candidate) {
            return std::any_of(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const tool_call& earlier) { return earlier.id == candidate; });
        };
        if (id.empty()) id = make_tool_id(id_seed + i, style);
        if (!is_taken(id)) continue;
        const std::string shared = id;
        for (std::size_t n = 2; is_taken(id); ++n) id = shared + '_' + std::to_string(n);
        warnings.push_back("two tool calls had the id " + shared + "; the later one is now " + id);
    }
}

}  // namespace weft::model_detail
