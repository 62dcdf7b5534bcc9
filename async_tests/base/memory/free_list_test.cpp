#include <boost/test/unit_test.hpp>

#include <weft/base/memory/free_list.hpp>

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

using weft::allocate_block;
using weft::block_counts;
using weft::count_blocks;
using weft::free_block;

BOOST_AUTO_TEST_SUITE(free_list_test)

namespace {

// Each case runs on an OS thread of its own, whose lists start empty.
template <class F>
void on_fresh_thread(F f)
{
    std::thread{f}.join();
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_of_every_size_are_writable_and_aligned)
{
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t size = 0; size <= 4200; size += 37)
        blocks.emplace_back(allocate_block(size), size);
    for (int value = 0; const auto& [block, size] : blocks)
        std::memset(block, ++value & 0xff, size);
    for (int value = 0; const auto& [block, size] : blocks) {
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(block) % __STDCPP_DEFAULT_NEW_ALIGNMENT__ ==
                   0u);
        const auto expected = static_cast<unsigned char>(++value & 0xff);
        const auto* bytes = static_cast<const unsigned char*>(block);
        BOOST_TEST((size == 0 || (bytes[0] == expected && bytes[size - 1] == expected)));
        free_block(block, size);
    }
}

BOOST_AUTO_TEST_CASE(a_freed_block_serves_the_next_request_of_its_class)
{
    on_fresh_thread([] {
        if (!count_blocks().is_caching) return;
        void* const first = allocate_block(130);
        free_block(first, 130);
        BOOST_TEST(count_blocks().cached_blocks == 1u);
        BOOST_TEST(count_blocks().cached_bytes == 136u);
        void* const other_class = allocate_block(120);
        BOOST_TEST(other_class != first);
        void* const second = allocate_block(121);
        BOOST_TEST(second == first);
        BOOST_TEST(count_blocks().heap_allocations == 2u);
        BOOST_TEST(count_blocks().cached_blocks == 0u);
        free_block(second, 121);
        free_block(other_class, 120);
    });
}

BOOST_AUTO_TEST_CASE(steady_use_never_reaches_the_heap)
{
    on_fresh_thread([] {
        if (!count_blocks().is_caching) return;
        for (int round = 0; round < 1000; ++round) {
            void* const a = allocate_block(300);
            void* const b = allocate_block(300);
            free_block(a, 300);
            free_block(b, 300);
        }
        BOOST_TEST(count_blocks().heap_allocations == 2u);
    });
}

namespace {

constexpr std::size_t mebibyte = 1024 * 1024;

// How many bytes wait for reuse after so many bytes of blocks were there at once.
std::size_t kept_after(std::size_t size, std::size_t bytes)
{
    const block_counts before = count_blocks();
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < bytes / size; ++i) blocks.push_back(allocate_block(size));
    for (void* block : blocks) free_block(block, size);
    return count_blocks().cached_bytes - before.cached_bytes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lists_keep_a_bounded_number_of_blocks)
{
    on_fresh_thread([] {
        if (!count_blocks().is_caching) return;
        // The first list takes all that is shared, the second one has its own room only.
        const std::size_t first = kept_after(1024, 100 * mebibyte);
        BOOST_TEST(first <= 65 * mebibyte);
        BOOST_TEST(first > 64 * mebibyte);
        const std::size_t second = kept_after(2040, 10 * mebibyte);
        BOOST_TEST(second <= mebibyte);
        BOOST_TEST(second > mebibyte / 2);
    });
}

BOOST_AUTO_TEST_CASE(a_list_that_runs_empty_gives_back_what_was_shared)
{
    on_fresh_thread([] {
        if (!count_blocks().is_caching) return;
        BOOST_TEST(kept_after(1024, 100 * mebibyte) > 64 * mebibyte);
        std::vector<void*> blocks;
        while (count_blocks().cached_bytes > 0) blocks.push_back(allocate_block(1024));
        blocks.push_back(allocate_block(1024));
        BOOST_TEST(kept_after(2040, 10 * mebibyte) > 9 * mebibyte);
        for (void* block : blocks) free_block(block, 1024);
    });
}

BOOST_AUTO_TEST_CASE(large_blocks_are_not_kept)
{
    on_fresh_thread([] {
        free_block(allocate_block(2057), 2057);
        free_block(allocate_block(100'000), 100'000);
        BOOST_TEST(count_blocks().cached_blocks == 0u);
        BOOST_TEST(count_blocks().heap_allocations == 2u);
    });
}

BOOST_AUTO_TEST_CASE(a_block_freed_on_another_thread_stays_there)
{
    void* const block = allocate_block(100);
    on_fresh_thread([block] {
        free_block(block, 100);
        if (!count_blocks().is_caching) return;
        BOOST_TEST(count_blocks().cached_blocks == 1u);
        void* const again = allocate_block(100);
        BOOST_TEST(again == block);
        free_block(again, 100);
    });
}

namespace {

// Ends after the lists when it was constructed before their first use.
struct late_user {
    block_counts* counts;

    ~late_user()
    {
        void* const block = allocate_block(100);
        std::memset(block, 1, 100);
        free_block(block, 100);
        *counts = count_blocks();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_can_be_used_while_the_thread_ends)
{
    block_counts at_end;
    at_end.is_caching = true;
    on_fresh_thread([&at_end] {
        thread_local late_user user{&at_end};
        user.counts->cached_blocks = 1;
        free_block(allocate_block(100), 100);
    });
    BOOST_TEST(!at_end.is_caching);
    BOOST_TEST(at_end.cached_blocks == 0u);
}

BOOST_AUTO_TEST_CASE(a_standard_container_takes_its_memory_from_blocks)
{
    on_fresh_thread([] {
        {
            std::vector<int, weft::block_allocator<int>> numbers;
            for (int i = 0; i < 100; ++i) numbers.push_back(i);
            BOOST_TEST(numbers[99] == 99);
        }
        if (count_blocks().is_caching) BOOST_TEST(count_blocks().cached_blocks > 0u);
        weft::block_allocator<std::uint64_t> allocator;
        BOOST_CHECK_THROW(static_cast<void>(allocator.allocate(SIZE_MAX / 4)),
                          std::bad_array_new_length);
    });
}

BOOST_AUTO_TEST_SUITE_END()
