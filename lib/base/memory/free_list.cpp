#include <weft/base/memory/free_list.hpp>

#include <cstdint>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_BLOCKS_FROM_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_BLOCKS_FROM_HEAP 1
#endif
#endif
#ifndef WEFT_BLOCKS_FROM_HEAP
#define WEFT_BLOCKS_FROM_HEAP 0
#endif

namespace weft {

namespace {

constexpr bool from_heap = WEFT_BLOCKS_FROM_HEAP != 0;
// Sizes that the heap gives without loss: it puts 8 bytes before each block and aligns to 16.
constexpr std::size_t granule = 16;
constexpr std::size_t size_min = 24;
constexpr std::size_t classes = 128;
// Each list has room for so much, and takes more in steps of the same size from what all lists share: ten thousand
// runs that end are memory for the next ten thousand.
constexpr std::size_t step_bytes = 1024 * 1024;
constexpr std::size_t shared_bytes = 64 * step_bytes;

struct free_node {
    free_node* next;
};

struct size_class {
    free_node* first;
    std::uint32_t room;   // How many more blocks may wait here; zero until the lists are in use.
    std::uint32_t steps;  // Of the shared room that it has taken.
};

enum class phase : unsigned char { fresh, in_use, gone };

// No constructor and no destructor: reaching it costs no guard, and it can be used until the OS
// thread is no more.
struct thread_lists {
    size_class of[classes];
    std::size_t heap_allocations;
    std::uint32_t shared_steps;  // Not taken by a list.
    phase now;
};

constinit thread_local thread_lists lists{};

constexpr std::size_t block_size(std::size_t index) { return size_min + index * granule; }
/** How many blocks a step of room is for. */
constexpr std::uint32_t blocks_of_step(std::size_t index)
{
    return static_cast<std::uint32_t>(step_bytes / block_size(index));
}

constexpr std::size_t class_of(std::size_t size)
{
    return size <= size_min ? 0 : (size - size_min + granule - 1) / granule;
}

void drop_lists() noexcept
{
    for (size_class& c : lists.of) {
        c.room = 0;
        c.steps = 0;
        while (free_node* node = c.first) {
            c.first = node->next;
            ::operator delete(node);
        }
    }
}

// Only its destructor matters: it empties the lists when the OS thread ends.
struct reaper {
    reaper() noexcept
    {
        lists.now = phase::in_use;
        lists.shared_steps = shared_bytes / step_bytes;
        for (std::size_t i = 0; i < classes; ++i) lists.of[i].room = blocks_of_step(i);
    }
    ~reaper()
    {
        drop_lists();
        lists.shared_steps = 0;
        lists.now = phase::gone;
    }
};

// Out of the way of the fast path, whose registers it would spill.
[[gnu::noinline]] void* allocate_from_heap(std::size_t size)
{
    ++lists.heap_allocations;
    return ::operator new(size);
}

// A list that has run empty gives the room back that it took: another one may need it now.
[[gnu::noinline]] void* allocate_for_empty(std::size_t index)
{
    size_class& c = lists.of[index];
    c.room -= c.steps * blocks_of_step(index);
    lists.shared_steps += std::exchange(c.steps, 0);
    return allocate_from_heap(block_size(index));
}

[[gnu::noinline]] void free_without_room(void* block, std::size_t index) noexcept
{
    if (lists.now == phase::fresh) {
        thread_local reaper instance;
        static_cast<void>(instance);
    }
    size_class& c = lists.of[index];
    if (c.room == 0 && lists.shared_steps > 0) {
        --lists.shared_steps;
        ++c.steps;
        c.room = blocks_of_step(index);
    }
    if (c.room == 0) {
        ::operator delete(block);
        return;
    }
    --c.room;
    c.first = new (block) free_node{c.first};
}

}  // namespace

void* allocate_block(std::size_t size)
{
    const std::size_t index = class_of(size);
    if (from_heap || index >= classes) [[unlikely]] return allocate_from_heap(size);
    size_class& c = lists.of[index];
    free_node* node = c.first;
    if (node == nullptr) [[unlikely]] return allocate_for_empty(index);
    c.first = node->next;
    ++c.room;
    return node;
}

void free_block(void* block, std::size_t size) noexcept
{
    const std::size_t index = class_of(size);
    if (from_heap || index >= classes) [[unlikely]] {
        ::operator delete(block);
        return;
    }
    size_class& c = lists.of[index];
    if (c.room == 0) [[unlikely]] return free_without_room(block, index);
    --c.room;
    c.first = new (block) free_node{c.first};
}

block_counts count_blocks() noexcept
{
    block_counts counts;
    counts.is_caching = !from_heap && lists.now != phase::gone;
    counts.heap_allocations = lists.heap_allocations;
    if (lists.now != phase::in_use) return counts;
    for (std::size_t i = 0; i < classes; ++i) {
        const std::size_t blocks = (1 + lists.of[i].steps) * blocks_of_step(i) - lists.of[i].room;
        counts.cached_blocks += blocks;
        counts.cached_bytes += blocks * block_size(i);
    }
    return counts;
}

}  // namespace weft
