#include "sqlite_blob_walk.hpp"

#include "sqlite_threads.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::sqlite_detail {

namespace {

constexpr std::size_t bytes_of_a_row = 4u << 10;  // of most
// What is handed over at once: some of it is looked at while more is read.
constexpr std::size_t pack_bytes = 64u << 10;
constexpr std::size_t pack_room = pack_bytes + bytes_of_a_row;
// Beside what is wanted there may be so much else, of which reading costs less than searching for each that is wanted.
constexpr std::size_t rows_for_each = 4;
constexpr std::size_t bytes_for_each = 4'096;
// Other readers wait for the connection.
constexpr std::size_t rows_max = 8'192;
constexpr std::size_t bytes_max = 16u << 20;
// Of roots, and of links from each of them to the first item of a list: lists have six levels at most.
constexpr std::size_t roots_max = 64;
constexpr int links_down_max = 8;

/** Adds the roots. @return  The lowest number among those that have links and what these lead to first. */
std::int64_t add_roots(connection& db, std::int64_t thread, const std::vector<content_hash>& roots, blob_pack& to)
{
    std::int64_t lowest = INT64_MAX;
    for (std::size_t i = 0; i < std::min(roots.size(), roots_max); ++i) {
        content_hash hash = roots[i];
        for (int depth = 0; depth < links_down_max; ++depth) {
            query asked{db, "SELECT no, links, bytes FROM blob WHERE thread = ? AND hash = ?", thread, raw{hash}};
            if (!asked.next() || !to.add(hash, asked.view(2), asked.view(1))) break;
            const bool has_links = !asked.view(1).empty();
            if (has_links || depth > 0) lowest = std::min(lowest, asked.integer(0));
            if (!has_links) break;
            hash = to[to.size() - 1].links.front();
        }
    }
    return lowest;
}

}  // namespace

void read_ahead(connection& db, const thread_key& thread, const blobs_ahead& wanted,
                const std::function<void(blob_pack)>& give)
{
    const auto found = find_thread(db, thread);
    if (!found) return;
    blob_pack pack;
    const std::int64_t first = add_roots(db, found->no, wanted.roots, pack);
    give(std::exchange(pack, blob_pack{pack_room}));
    if (first >= first_as_it_comes || first >> bits_in_thread != found->no) return;
    const std::size_t likely = std::min(wanted.likely, rows_max);
    const std::size_t rows = std::min(rows_for_each * likely, rows_max);
    const std::size_t bytes_most = std::min(bytes_for_each * likely, bytes_max);
    query row{db, "SELECT hash, links, bytes FROM blob WHERE no >= ? AND no < ? ORDER BY no LIMIT ?", first,
              (found->no + 1) << bits_in_thread, rows};
    for (std::size_t bytes = 0; bytes < bytes_most && row.next();) {
        const std::size_t before = pack.bytes();
        pack.add(row.hash(0), row.view(2), row.view(1));
        bytes += pack.bytes() - before;
        if (pack.bytes() >= pack_bytes) give(std::exchange(pack, blob_pack{pack_room}));
    }
    if (!pack.empty()) give(std::move(pack));
}

}  // namespace weft::sqlite_detail
