#include <weft/base/memory/list_chunk.hpp>

#include <algorithm>
#include <new>

namespace weft::list_detail {

namespace {

constexpr std::size_t first_bytes = 256;
constexpr std::size_t capacity_max = 1024;

// Jump pointers in the pattern of skew binary numbers: from any chunk, any earlier one is O(log
// chunks) steps away. Source: Myers, An applicative random-access stack, Information Processing
// Letters 17 (1983).
const chunk* jump_from(const chunk* previous) noexcept
{
    const chunk* const near = previous->jump;
    const bool is_balanced = previous->depth - near->depth == near->depth - near->jump->depth;
    return is_balanced ? near->jump : previous;
}

}  // namespace

position find(const chunk* tail, std::size_t size, std::size_t index) noexcept
{
    position at{tail, size};
    while (at.holder->before > index) {
        at.end = at.holder->before;
        at.holder = at.holder->jump->before > index ? at.holder->jump : at.holder->previous;
    }
    return at;
}

chunk* make_chunk(void* block, std::size_t capacity, chunk* previous, std::size_t before) noexcept
{
    auto* const made =
        new (block) chunk{1, 1, static_cast<std::uint32_t>(capacity), 0, before, previous, nullptr};
    if (previous != nullptr) made->depth = previous->depth + 1;
    made->jump = previous != nullptr ? jump_from(previous) : made;
    return made;
}

std::size_t next_capacity(const chunk* tail, std::size_t size, std::size_t expected,
                          std::size_t item_bytes) noexcept
{
    std::size_t capacity = std::clamp<std::size_t>(first_bytes / item_bytes, 2, 8);
    // By half: a conversation of some turns has room for one message more, where twice would be for three.
    if (tail != nullptr && size - tail->before == tail->capacity)
        capacity = std::size_t{tail->capacity} * 3 / 2;
    return std::clamp(expected, std::min(capacity, capacity_max), capacity_max);
}

bool claim(chunk& c, std::size_t length) noexcept
{
    auto expected = static_cast<std::uint32_t>(length);
    // Acquire: what a failed constructor wrote into the slot before it was given back stays before
    // ours.
    return expected < c.capacity &&
           c.used.compare_exchange_strong(expected, expected + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed);
}

}  // namespace weft::list_detail
