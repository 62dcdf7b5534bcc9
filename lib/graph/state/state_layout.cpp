#include <weft/graph/state/state_layout.hpp>

#include <weft/base/error.hpp>
#include <weft/base/suggestion.hpp>

namespace weft {

bool state_layout::add(const any_state_key& key)
{
    if (const std::uint32_t found = find(key.name, key.hash); found != none) return slots_[found].type == key.type;
    slots_.push_back({std::string{key.name}, key.type, std::nullopt, {}});
    index_.insert(key.hash, static_cast<std::uint32_t>(slots_.size() - 1));
    return true;
}

std::vector<std::string_view> state_layout::names() const
{
    std::vector<std::string_view> result;
    for (const slot& s : slots_) result.emplace_back(s.name);
    return result;
}

void state_layout::refuse(const any_state_key& key, std::string_view user) const
{
    std::string where = "node '" + std::string{user} + "', key '" + std::string{key.name} + "'";
    if (find(key.name, key.hash) != none)
        throw error{errc::state_type_mismatch, std::move(where), "use the state_key object that the graph declares"};
    std::string known;
    for (const slot& s : slots_) known += (known.empty() ? "" : ", ") + s.name;
    throw error{errc::unknown_state_key, std::move(where),
                "declare it; the graph declares: " + (known.empty() ? "no keys" : known) +
                    did_you_mean(key.name, names())};
}

}  // namespace weft
