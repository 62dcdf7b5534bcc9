#pragma once

#include <weft/base/memory/free_list.hpp>

#include <vector>

namespace weft {

/** A vector whose memory comes from the free lists: runs make and drop many small ones. */
template <class T>
using pooled_vector = std::vector<T, block_allocator<T>>;

}  // namespace weft
