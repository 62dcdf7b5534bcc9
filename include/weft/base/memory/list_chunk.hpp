#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/** The part of `weft::list` that does not depend on the type of its items. */
namespace weft::list_detail {

/** Some consecutive items of a list, behind those of the chunks before it. The items follow in the
 *  same block.
 *
 *  Everything but the two atomics is fixed once made, so chunks are shared freely between OS
 *  threads. Slots below `used` belong to the list that claimed them; a list only looks at slots below its
 *  own length, which are constructed.
 */
struct chunk {
    std::atomic<std::uint32_t> owners;   ///< Lists and chunks that point here.
    std::atomic<std::uint32_t> used;     ///< Slots that are claimed.
    std::uint32_t capacity;              ///< Slots that there are.
    std::uint32_t depth;                 ///< How many chunks come before.
    std::size_t before;                  ///< How many items come before.
    chunk* previous;                     ///< Owned; null for the first.
    const chunk* jump;                   ///< A chunk further back, or itself for the first.
};

/** Where an item is: its chunk, and the index behind the last item that the list has in that
 *  chunk. */
struct position {
    const chunk* holder;
    std::size_t end;
};

/** Finds the item at `index` of the list of `size` items that ends in `tail`. */
[[nodiscard]] position find(const chunk* tail, std::size_t size, std::size_t index) noexcept;

/** Makes the chunk that follows `previous`, from which the list uses items up to `before`, and
 *  takes over one owner of `previous`. The first slot is claimed. */
[[nodiscard]] chunk* make_chunk(void* block, std::size_t capacity, chunk* previous,
                                std::size_t before) noexcept;

/** How large the next chunk should be when `expected` items of a size are to come. */
[[nodiscard]] std::size_t next_capacity(const chunk* tail, std::size_t size, std::size_t expected,
                                        std::size_t item_bytes) noexcept;

/** Takes the slot behind the `length` ones that a list has in this chunk, unless there is none or
 *  another has it. */
[[nodiscard]] bool claim(chunk& c, std::size_t length) noexcept;

inline void add_owner(chunk* c) noexcept
{
    if (c != nullptr) c->owners.fetch_add(1, std::memory_order_relaxed);
}

/** Whether that was the last one. */
[[nodiscard]] inline bool remove_owner(chunk& c) noexcept
{
    return c.owners.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

[[nodiscard]] inline bool has_one_owner(const chunk& c) noexcept
{
    return c.owners.load(std::memory_order_acquire) == 1;
}

/** Gives the slot claimed last back, unless told to keep it. No later one can have been claimed:
 *  that takes a list which has this item. */
class claim_guard {
public:
    explicit claim_guard(chunk& c) noexcept : chunk_{&c} {}
    claim_guard(const claim_guard&) = delete;
    claim_guard& operator=(const claim_guard&) = delete;
    ~claim_guard()
    {
        if (chunk_ != nullptr) chunk_->used.fetch_sub(1, std::memory_order_release);
    }

    void keep() noexcept { chunk_ = nullptr; }

private:
    chunk* chunk_;
};

}  // namespace weft::list_detail
