#include "new_input.hpp"

#include <weft/agent/conversation/agent_labels.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

/** Where a walk from the newest entry to older ones stands. */
enum class entry_voice { speaks, is_silent, ends };

entry_voice voice_of(const conversation_entry& entry)
{
    if (entry.is_mark() || entry.label == "budget") return entry_voice::is_silent;
    const bool is_reminder = entry.label == "nudge" || entry.label == agent_labels::reminder;
    if (is_reminder) return entry_voice::ends;  // what stands before it was looked at
    if (entry.from.author == message_author::person && entry.message.role == role::tool)
        return entry_voice::speaks;  // a person answers a question of the model
    if (entry.message.role == role::assistant || entry.message.role == role::tool) return entry_voice::ends;
    return entry.message.role == role::user ? entry_voice::speaks : entry_voice::is_silent;
}

}  // namespace

std::optional<std::string> new_input(const list<message>& messages)
{
    std::size_t first = messages.size();
    while (first > 0 && messages[first - 1].role == role::user) --first;
    if (first == messages.size()) return std::nullopt;
    std::string text;
    for (std::size_t i = first; i < messages.size(); ++i)
        text.append(text.empty() ? "" : "\n").append(messages[i].text());
    return text;
}

std::optional<std::string> new_input(const conversation& history, std::string_view lane)
{
    std::optional<std::string> input;
    for (lane_cursor at{history, lane}; !at.is_done(); at.next()) {
        const entry_voice voice = voice_of(at.entry());
        if (voice == entry_voice::ends) break;
        if (voice == entry_voice::is_silent) continue;
        std::string text = at.entry().message.text();
        if (input && !input->empty()) text.append("\n").append(*input);
        input = std::move(text);
    }
    return input;
}

}  // namespace weft::agent_detail
