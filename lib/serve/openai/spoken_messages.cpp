#include "spoken_messages.hpp"

#include <weft/tool/call/remote_results.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

/** Null: the key is not there, or has no value. */
const value_box* box_of(const state& of, std::string_view key)
{
    const std::uint32_t slot = key.empty() ? state_layout::none : of.layout().find(key);
    return slot == state_layout::none ? nullptr : of.at(slot).get();
}

}  // namespace

std::size_t message_count(const state& of, std::string_view key)
{
    const value_box* const box = box_of(of, key);
    const list_access* const items = box ? box->type().list : nullptr;
    return items ? items->size(*box) : 0;
}

std::vector<message> messages_from(const state& of, std::string_view key, std::size_t first)
{
    std::vector<message> result;
    if (const value_box* const box = box_of(of, key))
        for_each_message(*box, first, [&](const message& one) { result.push_back(one); });
    return result;
}

std::vector<tool_call> open_calls(const state& of, std::string_view key)
{
    const std::size_t count = message_count(of, key);
    // Results stand right behind their calls: only the end of a long conversation is looked at.
    std::size_t first = count;
    std::vector<message> end;
    for (std::size_t step = 8; first > 0; step *= 2) {
        first = count > step ? count - step : 0;
        end = messages_from(of, key, first);
        const auto is_other = [](const message& one) { return one.role != role::tool; };
        if (std::any_of(end.begin(), end.end(), is_other)) break;
    }
    // The rule of tools, not one of our own.
    const list<message> conversation(end.begin(), end.end());
    return open_tool_calls(conversation);
}

}  // namespace weft::serve_detail
