#include "blob_table.hpp"

#include <functional>
#include <string>
#include <utility>

namespace weft::checkpoint_detail {

blob_table::blob_table(const blob_map& blobs)
{
    make_room(blobs.size());
    for (const auto& [hash, one] : blobs) {
        put(hash, one.bytes, one.links);
        entries_.back().is = state::right;
    }
}

const blob_table::entry* blob_table::find(const content_hash& hash) const noexcept
{
    if (slots_.empty()) return nullptr;
    const std::uint32_t number = slots_[slot_of(hash)];
    return number == 0 ? nullptr : &entries_[number - 1];
}

blob_table::entry* blob_table::find(const content_hash& hash) noexcept
{
    return const_cast<entry*>(std::as_const(*this).find(hash));
}

/** Where it is, or would be. */
std::size_t blob_table::slot_of(const content_hash& hash) const noexcept
{
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<content_hash>{}(hash) & mask;
    while (slots_[at] != 0 && entries_[slots_[at] - 1].hash != hash) at = (at + 1) & mask;
    return at;
}

void blob_table::make_room(std::size_t entries)
{
    // At most half of the slots are taken, so that a search is short, and ends.
    if (entries * 2 <= slots_.size()) return;
    std::size_t wanted = 64;
    while (wanted < entries * 2) wanted *= 2;
    slots_.assign(wanted, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i)
        slots_[slot_of(entries_[i].hash)] = static_cast<std::uint32_t>(i + 1);
}

void blob_table::put(const content_hash& hash, std::string_view bytes, std::span<const content_hash> links)
{
    make_room(entries_.size() + 1);
    std::uint32_t& slot = slots_[slot_of(hash)];
    if (slot == 0) {
        entries_.push_back({hash, bytes, links});
        slot = static_cast<std::uint32_t>(entries_.size());
    } else if (entry& known = entries_[slot - 1]; known.is == state::wrong) {
        known = {hash, bytes, links};
    }
}

void blob_table::add(blob_pack pack)
{
    const blob_pack& kept = packs_.emplace_back(std::move(pack));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const blob_pack::entry one = kept[i];
        put(one.hash, one.bytes, one.links);
    }
}

void blob_table::add(std::vector<blob> blobs)
{
    for (const blob& one : blobs_.emplace_back(std::move(blobs))) put(one.hash, one.bytes, one.links);
}

blob_map blob_table::copies() const
{
    blob_map result;
    for (const entry& one : entries_)
        if (one.is_needed)
            result.emplace(one.hash, blob{one.hash, std::string{one.bytes}, {one.links.begin(), one.links.end()}});
    return result;
}

}  // namespace weft::checkpoint_detail
