#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/** 128 secret bits of a store, made when it is set up. Without them two texts of one hash cannot be found. */
struct hash_key {
    std::array<std::uint8_t, 16> bytes{};

    friend bool operator==(const hash_key&, const hash_key&) noexcept = default;
};

/** A key from the operating system's source of secrets, for a store that is set up.
 *  @par Errors  `errc::store_refused` if the system gives none. */
[[nodiscard]] hash_key new_hash_key();

/** Names a text by what it says: equal texts of one store have equal hashes, others practically never. */
struct content_hash {
    std::array<std::uint8_t, 16> bytes{};

    /** 32 hexadecimal digits. */
    [[nodiscard]] std::string text() const;

    friend bool operator==(const content_hash&, const content_hash&) noexcept = default;
    friend auto operator<=>(const content_hash&, const content_hash&) noexcept = default;
};

/** SipHash-2-4 with 128 bits of result.
 *
 *  A pseudo-random function of the key: who does not know it cannot make collisions on purpose.
 *
 *  @par Source   Aumasson, Bernstein: SipHash: a fast short-input PRF, INDOCRYPT 2012; its 128-bit variant of the
 *                authors' reference code.
 */
[[nodiscard]] content_hash hash_of(std::string_view text, const hash_key& key) noexcept;

/** The name of a blob: of its bytes and of what it refers to. It is the hash of `text`, the bytes of `links` in their
 *  order, and the number of links in 8 bytes, the lowest first; so no blob has the name of another one. */
[[nodiscard]] content_hash hash_of(std::string_view text, std::span<const content_hash> links,
                                   const hash_key& key) noexcept;

/** What a blob is named by. */
struct hashed_text {
    std::string_view text;
    std::span<const content_hash> links;
};

/** The names of blobs, as `hash_of` gives each of them. On a processor with AVX2 four take the time of less than two.
 *  @param into   As many as there are texts. */
void hash_all(std::span<const hashed_text> texts, const hash_key& key, std::span<content_hash> into) noexcept;

}  // namespace weft

template <>
struct std::hash<weft::content_hash> {
    std::size_t operator()(const weft::content_hash& hash) const noexcept
    {
        std::size_t first;
        std::memcpy(&first, hash.bytes.data(), sizeof first);
        return first;
    }
};
