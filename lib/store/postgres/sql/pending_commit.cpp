#include "pending_commit.hpp"

#include "store/record/event_pruning.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/store/record/content_hash.hpp>

#include <string>

namespace weft::postgres_detail {

namespace {

// What a commit has beside body, blobs and events: names, numbers and heads of arrays; and a blob beside its bytes.
constexpr std::size_t bytes_beside = 512;
constexpr std::size_t bytes_of_blob = 64;

}  // namespace

std::size_t pending_commit::bytes() const noexcept
{
    std::size_t bytes = bytes_beside + bytes_of(draft) + draft.blobs.size() * bytes_of_blob;
    bytes += draft.links.size() * sizeof(content_hash) + size_of(draft.events);
    for (const blob& each : draft.blobs) bytes += each.links.size() * sizeof(content_hash);
    for (const std::string& each : draft.settled) bytes += each.size();
    return bytes;
}

}  // namespace weft::postgres_detail
