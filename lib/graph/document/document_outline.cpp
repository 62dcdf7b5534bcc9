#include "document_outline.hpp"

#include <algorithm>

namespace weft {

document_outline::node document_outline::add_member(node of, std::size_t name_offset, std::string name)
{
    const auto added = static_cast<node>(entries_.size());
    entries_.push_back({0, name_offset, std::move(name)});
    entries_[of].parts.push_back(added);
    return added;
}

document_outline::node document_outline::add_item(node of, std::size_t offset)
{
    const auto added = static_cast<node>(entries_.size());
    entries_.push_back({offset, offset});
    entries_[of].parts.push_back(added);
    return added;
}

std::pair<const document_outline::entry*, bool> document_outline::find(const json_path& path) const
{
    const entry* at = &entries_[whole];
    for (const json_path::step& step : path.steps()) {
        const entry* around = at;
        while (around->parts_of != whole) around = &entries_[around->parts_of];
        const auto& parts = around->parts;
        if (step.index != json_path::step::no_index) {
            if (step.index >= parts.size()) return {at, false};
            at = &entries_[parts[step.index]];
            continue;
        }
        // The last of members with one name is the one that counts.
        const auto found = std::find_if(parts.rbegin(), parts.rend(),
                                        [&](node part) { return entries_[part].name == step.name; });
        if (found == parts.rend()) return {at, false};
        at = &entries_[*found];
    }
    return {at, true};
}

std::size_t document_outline::value_at(const json_path& path) const { return find(path).first->value; }

std::size_t document_outline::name_at(const json_path& path) const
{
    const auto [found, is_there] = find(path);
    return is_there && path.depth() > 0 ? found->name_offset : found->value;
}

}  // namespace weft
