#pragma once

#include <weft/graph/state/fan_out.hpp>
#include <weft/graph/state/name_index.hpp>
#include <weft/graph/state_key.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Which keys a graph declares, and the place of each in its states. */
class state_layout {
public:
    /** One key: its number among the slots is its place in every state of the graph. */
    struct slot {
        std::string name;
        const key_type* type;
        std::optional<conflict_strategy> conflict;
        value_ptr initial = {};  ///< What the key has when a run begins; null for nothing.
    };
    static constexpr std::uint32_t none = name_index::none;

    /** Adds a key. @return False if the name is taken by a key of another type; the same key twice is once. */
    bool add(const any_state_key& key);

    /** The slot of a name, or `none`. The hash is `hash_of_name(name)`, which keys have since they were declared. */
    [[nodiscard]] std::uint32_t find(std::string_view name, std::uint64_t hash) const noexcept
    {
        return index_.find(hash, [&](std::uint32_t slot) { return slots_[slot].name == name; });
    }
    /** The same for a name that comes from a file or a message. */
    [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept { return find(name, hash_of_name(name)); }

    /** The slot of a key. Throws `unknown_state_key` or `state_type_mismatch`, naming `user` and the key. */
    [[nodiscard]] std::uint32_t require(const any_state_key& key, std::string_view user) const
    {
        const std::uint32_t found = find(key.name, key.hash);
        if (found == none || slots_[found].type != key.type) refuse(key, user);
        return found;
    }

    /** A slot below `size()`. */
    [[nodiscard]] const slot& operator[](std::uint32_t index) const noexcept { return slots_[index]; }
    [[nodiscard]] slot& operator[](std::uint32_t index) noexcept { return slots_[index]; }
    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
    /** The names in the order in which the keys were added. */
    [[nodiscard]] std::vector<std::string_view> names() const;

private:
    [[noreturn]] void refuse(const any_state_key& key, std::string_view user) const;

    std::vector<slot> slots_;
    name_index index_;
};

}  // namespace weft
