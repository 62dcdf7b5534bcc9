#include <weft/store/record/blob_pack.hpp>

namespace weft {

namespace {

constexpr std::size_t hash_bytes = sizeof(content_hash);
static_assert(hash_bytes == 16 && alignof(content_hash) == 1, "hashes stand one behind the other in a block of bytes");

}  // namespace

bool blob_pack::add(const content_hash& hash, std::string_view bytes, std::string_view links)
{
    if (links.size() % hash_bytes != 0) return false;
    places_.push_back({hash, block_.size(), links.size() / hash_bytes, bytes.size()});
    block_.insert(block_.end(), links.begin(), links.end());
    block_.insert(block_.end(), bytes.begin(), bytes.end());
    return true;
}

blob_pack::entry blob_pack::operator[](std::size_t index) const noexcept
{
    const place& at = places_[index];
    const char* const links = block_.data() + at.begin;
    return {at.hash,
            {links + at.links * hash_bytes, at.bytes},
            {reinterpret_cast<const content_hash*>(links), at.links}};
}

}  // namespace weft
