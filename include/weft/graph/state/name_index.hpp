#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

/** Numbers by the hash of a name: an open-addressed table. Its owner keeps the names, and tells them apart.
 *
 *      const std::uint32_t found = index.find(hash, [&](std::uint32_t i) { return names[i] == name; });
 *
 *  @par Thread safety   As a value.
 */
class name_index {
public:
    static constexpr std::uint32_t none = 0xffff'ffff;

    /** The number with this hash of which `is_it(number)` holds, or `none`. The hash is `hash_of_name`. */
    template <class Match>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Match is_it) const
    {
        if (table_.empty()) return none;
        for (std::size_t i = place_of(hash);; i = (i + 1) & mask_) {
            const entry& e = table_[i];
            if (e.number == none || (e.hash == hash && is_it(e.number))) return e.number;
        }
    }
    /** Adds a number; its name is not there yet. */
    void insert(std::uint64_t hash, std::uint32_t number);
    /** Makes room for that many names in all. */
    void reserve(std::size_t names);

private:
    struct entry {
        std::uint64_t hash = 0;
        std::uint32_t number = none;
    };
    /** Names that differ in their last letter only are close together in FNV's low bits; its high bits spread them. */
    [[nodiscard]] std::size_t place_of(std::uint64_t hash) const noexcept
    {
        return static_cast<std::size_t>((hash ^ hash >> 32) * 0x9e37'79b9'7f4a'7c15u >> 32) & mask_;
    }
    void place(const entry& added) noexcept;
    void grow_to(std::size_t places);

    std::vector<entry> table_;  // a power of two, at most half full
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
};

}  // namespace weft
