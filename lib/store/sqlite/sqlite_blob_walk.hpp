#pragma once

#include "sqlite_connection.hpp"

#include <weft/store/record/blob_pack.hpp>
#include <weft/store/record/content_hash.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace weft::sqlite_detail {

// The number of a blob begins with that of its thread, and rows lie in the order of their numbers: so what a thread
// goes on from lies side by side. It costs a page for each thread, and for many threads at once that is a third of
// what they cost: their blobs are numbered as they come, behind all others. So does a weft of before, in low numbers.
inline constexpr int bits_in_thread = 32;
inline constexpr std::int64_t first_as_it_comes = std::int64_t{1} << 62;

/** What a reader is going to need. */
struct blobs_ahead {
    const std::vector<content_hash>& roots;
    std::size_t likely;  ///< How many they lead to, about.
};

/** Gives blobs of a thread in packs: the roots, and what lies side by side from the first one that they lead to.
 *
 *  That is found by going from each root to its first link, and so on: lists are written from their beginning. Rows
 *  that lie elsewhere, and those behind a bound, are left to `read_blobs`. */
void read_ahead(connection& db, const thread_key& thread, const blobs_ahead& wanted,
                const std::function<void(blob_pack)>& give);

}  // namespace weft::sqlite_detail
