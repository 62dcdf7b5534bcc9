#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <unordered_map>

namespace weft {

/** Blobs by their hash. */
using blob_map = std::unordered_map<content_hash, blob>;

}  // namespace weft
