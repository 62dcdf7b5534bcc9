#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace weft {

/** Memory for what is made and dropped all the time: coroutine frames, operation nodes, small lists.
 *
 *  Freed blocks of up to 2 KiB wait in lists of the calling OS thread, one per 16 bytes of size, for the next request
 *  of their size; larger ones, and what exceeds the bounds (1 MiB for each list, and 64 MiB that they share), go to the
 *  heap. Under address and thread sanitizers every block goes to the heap, so that these see its whole life.
 *
 *  @param size  In bytes; zero is allowed.
 *  @return      A block aligned as by `operator new(std::size_t)`.
 *
 *  @par Errors          `std::bad_alloc`.
 *  @par Thread safety   Any OS thread may free a block that another one allocated.
 */
// Not inlined: the address of a thread-local must not be kept in a coroutine that resumes on
// another OS thread.
[[nodiscard, gnu::noinline, gnu::returns_nonnull, gnu::malloc]] void* allocate_block(
    std::size_t size);

/** Gives a block back; `size` is what was asked for. Also right while the OS thread is ending. */
[[gnu::noinline]] void free_block(void* block, std::size_t size) noexcept;

/** What the lists of the calling OS thread hold and did; for tests and measurements. */
struct block_counts {
    bool is_caching = false;   ///< False under sanitizers and while the OS thread is ending.
    std::size_t cached_blocks = 0;       ///< Blocks waiting for reuse.
    std::size_t cached_bytes = 0;        ///< Their size together.
    std::size_t heap_allocations = 0;    ///< Requests that the lists could not serve, so far.
};

/** The counts of the calling OS thread, now. */
[[nodiscard]] block_counts count_blocks() noexcept;

/** A standard allocator over `allocate_block`; stateless, all are equal. */
template <class T>
struct block_allocator {
    using value_type = T;

    block_allocator() noexcept = default;
    template <class U>
    block_allocator(const block_allocator<U>&) noexcept
    {
    }

    [[nodiscard]] T* allocate(std::size_t count)
    {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "blocks are not aligned more than this");
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw std::bad_array_new_length{};
        return static_cast<T*>(allocate_block(count * sizeof(T)));
    }

    void deallocate(T* items, std::size_t count) noexcept { free_block(items, count * sizeof(T)); }

    template <class U>
    friend bool operator==(const block_allocator&, const block_allocator<U>&) noexcept
    {
        return true;
    }
};

}  // namespace weft
