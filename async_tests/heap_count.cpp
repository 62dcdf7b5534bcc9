#include "heap_count.hpp"

#ifndef WEFT_TESTS_HEAP_IS_TAKEN

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {

void count_live(void* block, std::int64_t sign) noexcept
{
    const auto bytes = static_cast<std::int64_t>(malloc_usable_size(block));
    heap_count::live_bytes.fetch_add(sign * bytes, std::memory_order_relaxed);
}

void* allocate_counted(std::size_t size)
{
    void* const block = std::malloc(size ? size : 1);
    if (!block) throw std::bad_alloc{};
    ++heap_count::allocations;
    count_live(block, 1);
    return block;
}

void free_counted(void* block) noexcept
{
    if (!block) return;
    count_live(block, -1);
    std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_counted(size); }
void* operator new[](std::size_t size) { return allocate_counted(size); }
void operator delete(void* block) noexcept { free_counted(block); }
void operator delete[](void* block) noexcept { free_counted(block); }
void operator delete(void* block, std::size_t) noexcept { free_counted(block); }
void operator delete[](void* block, std::size_t) noexcept { free_counted(block); }

#endif
