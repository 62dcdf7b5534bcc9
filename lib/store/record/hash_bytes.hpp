#pragma once

#include <weft/store/record/content_hash.hpp>

#include <string_view>

namespace weft::store_detail {

/** The 16 bytes of a hash. Valid as long as the hash is. */
[[nodiscard]] inline std::string_view bytes_of_hash(const content_hash& hash) noexcept
{
    return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

}  // namespace weft::store_detail
