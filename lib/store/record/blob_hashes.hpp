#pragma once

#include <weft/store/record/content_hash.hpp>

#include <span>
#include <string_view>

namespace weft::store_detail {

/** What a blob is named by. */
struct hashed_text {
    std::string_view text;
    std::span<const content_hash> links;
};

/** The names of blobs, as `hash_of` gives each of them. On a processor with AVX2 four take the time of less than two.
 *  @param into   As many as there are texts. */
void hash_all(std::span<const hashed_text> texts, const hash_key& key, std::span<content_hash> into) noexcept;

}  // namespace weft::store_detail
