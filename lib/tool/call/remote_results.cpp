#include <weft/tool/call/remote_results.hpp>

#include <weft/tool/tool_runner.hpp>

#include <algorithm>
#include <set>

namespace weft {

std::vector<tool_call> open_tool_calls(const list<message>& conversation)
{
    std::set<std::string_view> answered;  // texts of the conversation
    std::vector<tool_call> calls;
    for (std::size_t i = conversation.size(); i-- > 0;) {
        const message& one = conversation[i];
        if (one.role == role::tool) {
            answered.insert(one.tool_call_id);
            continue;
        }
        if (one.role == role::assistant)
            for (const tool_call& call : one.tool_calls)
                if (!answered.contains(call.id)) calls.push_back(call);
        break;
    }
    return calls;
}

bool remote_results::post(std::string_view call_id, tool_result result, std::size_t chars_max)
{
    const auto is_it = [&](const tool_call& call) { return call.id == call_id; };
    const auto found = std::find_if(open_.begin(), open_.end(), is_it);
    if (found == open_.end()) return false;
    neutralise_result(result);
    shorten_result(result, chars_max, nullptr);
    tool_answer answer{std::move(*found)};
    answer.result = std::move(result);
    messages_.push_back(answer.to_message());
    open_.erase(found);
    return true;
}

}  // namespace weft
