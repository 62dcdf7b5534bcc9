#include <weft/graph/state/name_index.hpp>

#include <bit>
#include <utility>

namespace weft {

void name_index::insert(std::uint64_t hash, std::uint32_t number)
{
    reserve(size_ + 1);
    ++size_;
    place({hash, number});
}

void name_index::reserve(std::size_t names)
{
    // Half full at most: a name that is not there is known after two looks.
    if (names * 2 > table_.size()) grow_to(std::bit_ceil(names * 2 < 8 ? std::size_t{8} : names * 2));
}

void name_index::grow_to(std::size_t places)
{
    const std::vector<entry> old = std::exchange(table_, std::vector<entry>(places));
    mask_ = places - 1;
    for (const entry& e : old)
        if (e.number != none) place(e);
}

void name_index::place(const entry& added) noexcept
{
    std::size_t i = place_of(added.hash);
    while (table_[i].number != none) i = (i + 1) & mask_;
    table_[i] = added;
}

}  // namespace weft
