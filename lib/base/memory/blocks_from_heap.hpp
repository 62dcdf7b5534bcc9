#pragma once

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

/** Whether every block is one of the heap: address and thread sanitizers see its whole life then. */
inline constexpr bool blocks_from_heap = WEFT_BLOCKS_FROM_HEAP != 0;

}  // namespace weft
