#include "next_entries.hpp"

#include <utility>

namespace weft::agent_detail {

namespace {

/** SplitMix64's way to spread bits. */
std::uint64_t spread(std::uint64_t z) noexcept
{
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

std::size_t bytes_of(const message& said) noexcept
{
    std::size_t bytes = said.tool_call_id.size() * 31 + said.tool_calls.size() * 7;
    for (const content_part& part : said.content)
        if (const text_part* text = std::get_if<text_part>(&part)) bytes += text->text.size();
    return bytes;
}

}  // namespace

next_entries::next_entries(const conversation& before, std::string_view lane)
    : id_before_{hash_of_name(lane)}, size_{before.size()}
{
    if (const conversation::lane* const in = before.find_lane(lane))
        id_before_ = static_cast<std::uint64_t>(before[in->last].id);
}

// Ids are stored: what goes into one never changes.
std::int64_t next_entries::id_of(const conversation_entry& next) const noexcept
{
    std::uint64_t id = spread(id_before_ + 0x9e37'79b9'7f4a'7c15 * (size_ + 1));
    id = spread(id ^ hash_of_name(next.from.node) ^ (std::uint64_t{next.from.visit} << 32) ^ bytes_of(next.message));
    return static_cast<std::int64_t>(id >> 1) | 1;
}

conversation_change next_entries::add(message&& said, provenance&& from, conversation::options&& how)
{
    conversation_change change{
        {entry_kind::said, std::move(said), std::move(from), how.is_pinned, std::move(how.label)}};
    change.entry.id = id_of(change.entry);
    id_before_ = static_cast<std::uint64_t>(change.entry.id);
    ++size_;
    return change;
}

}  // namespace weft::agent_detail
