#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// ThreadSanitizer brings its own operators `new` and allows no others.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_TESTS_HEAP_IS_TAKEN 1
#endif
#endif

/** What a test program takes from the heap by `new`; its CMake target has `heap_count.cpp`. */
namespace heap_count {

/** How often the calling OS thread has taken memory. */
inline thread_local std::size_t allocations = 0;
/** What all OS threads hold at present. Stays 0 under ThreadSanitizer. */
inline std::atomic<std::int64_t> live_bytes = 0;

}  // namespace heap_count
