#include <weft/store/record/content_hash.hpp>

#include "hash_bytes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>

// Vectors of four words and functions for processors that have them, as GCC and Clang write them.
#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_HASHES_FOUR
#endif

namespace weft {

namespace {

std::uint64_t little_endian(const char* bytes) noexcept
{
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
}

std::uint64_t little_endian(const char* bytes, std::size_t count) noexcept
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
}

void put_little_endian(std::uint64_t value, std::uint8_t* to) noexcept
{
    for (int i = 0; i < 8; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

using store_detail::bytes_of_hash;

/** SipHash-2-4-128 over what is appended, however it is cut. */
class sip_hasher {
public:
    explicit sip_hasher(const hash_key& key) noexcept
    {
        const auto* bytes = reinterpret_cast<const char*>(key.bytes.data());
        const std::uint64_t k0 = little_endian(bytes, 8);
        const std::uint64_t k1 = little_endian(bytes + 8, 8);
        v0_ ^= k0;
        v1_ ^= k1 ^ 0xee;
        v2_ ^= k0;
        v3_ ^= k1;
    }

    void append(std::string_view text) noexcept
    {
        size_ += text.size();
        while (rest_size_ > 0 && rest_size_ < 8 && !text.empty()) {
            rest_[rest_size_++] = text.front();
            text.remove_prefix(1);
        }
        if (rest_size_ == 8) {
            absorb(little_endian(rest_.data()));
            rest_size_ = 0;
        }
        for (; text.size() >= 8; text.remove_prefix(8)) absorb(little_endian(text.data()));
        for (const char byte : text) rest_[rest_size_++] = byte;
    }

    /** Appends a text and what it links to, as a blob is named. */
    void append(std::string_view text, std::span<const content_hash> links) noexcept
    {
        append(text);
        for (const content_hash& link : links) append(bytes_of_hash(link));
        std::array<std::uint8_t, 8> count{};
        put_little_endian(links.size(), count.data());
        append({reinterpret_cast<const char*>(count.data()), count.size()});
    }

    using words = std::array<std::uint64_t, 4>;
    [[nodiscard]] words state() const noexcept { return {v0_, v1_, v2_, v3_}; }
    /** Takes over what it would be after so many bytes, whole words, where it has had nothing but whole words. */
    void advance(const words& state, std::size_t bytes) noexcept
    {
        v0_ = state[0];
        v1_ = state[1];
        v2_ = state[2];
        v3_ = state[3];
        size_ += bytes;
    }

    [[nodiscard]] content_hash finish() noexcept
    {
        absorb(std::uint64_t{size_} << 56 | little_endian(rest_.data(), rest_size_));
        content_hash result;
        v2_ ^= 0xee;
        rounds(4);
        put_little_endian(v0_ ^ v1_ ^ v2_ ^ v3_, result.bytes.data());
        v1_ ^= 0xdd;
        rounds(4);
        put_little_endian(v0_ ^ v1_ ^ v2_ ^ v3_, result.bytes.data() + 8);
        return result;
    }

private:
    void absorb(std::uint64_t word) noexcept
    {
        v3_ ^= word;
        rounds(2);
        v0_ ^= word;
    }

    void rounds(int count) noexcept
    {
        for (; count > 0; --count) {
            v0_ += v1_;
            v1_ = std::rotl(v1_, 13) ^ v0_;
            v0_ = std::rotl(v0_, 32);
            v2_ += v3_;
            v3_ = std::rotl(v3_, 16) ^ v2_;
            v0_ += v3_;
            v3_ = std::rotl(v3_, 21) ^ v0_;
            v2_ += v1_;
            v1_ = std::rotl(v1_, 17) ^ v2_;
            v2_ = std::rotl(v2_, 32);
        }
    }

    // The initial words spell "somepseudorandomlygeneratedbytes".
    std::uint64_t v0_ = 0x736f'6d65'7073'6575;
    std::uint64_t v1_ = 0x646f'7261'6e64'6f6d;
    std::uint64_t v2_ = 0x6c79'6765'6e65'7261;
    std::uint64_t v3_ = 0x7465'6462'7974'6573;
    std::array<char, 8> rest_{};
    std::size_t rest_size_ = 0;  // below 8 between calls
    std::size_t size_ = 0;
};

#ifdef WEFT_HASHES_FOUR

using four_numbers = std::uint64_t __attribute__((vector_size(32)));
using eight_halves = std::uint32_t __attribute__((vector_size(32)));

#define WEFT_AVX2 __attribute__((target("avx2"), always_inline)) inline

WEFT_AVX2 void rotate(four_numbers& words, int bits) noexcept { words = words << bits | words >> (64 - bits); }

WEFT_AVX2 void swap_halves(four_numbers& words) noexcept
{
    const auto halves = reinterpret_cast<eight_halves>(words);
    words = reinterpret_cast<four_numbers>(__builtin_shufflevector(halves, halves, 1, 0, 3, 2, 5, 4, 7, 6));
}

/** `rounds(1)` of four at once. */
WEFT_AVX2 void round_of_four(four_numbers& v0, four_numbers& v1, four_numbers& v2, four_numbers& v3) noexcept
{
    v0 += v1;
    rotate(v1, 13);
    v1 ^= v0;
    swap_halves(v0);
    v2 += v3;
    rotate(v3, 16);
    v3 ^= v2;
    v0 += v3;
    rotate(v3, 21);
    v3 ^= v0;
    v2 += v1;
    rotate(v1, 17);
    v1 ^= v2;
    swap_halves(v2);
}

#undef WEFT_AVX2

/** Appends as many whole words to each of four that have had nothing. */
__attribute__((target("avx2"))) void append_to_four(std::array<sip_hasher, 4>& hashers,
                                                    const std::array<const char*, 4>& texts, std::size_t words) noexcept
{
    std::array<sip_hasher::words, 4> state{};
    for (std::size_t i = 0; i < 4; ++i) state[i] = hashers[i].state();
    four_numbers v0{};
    four_numbers v1{};
    four_numbers v2{};
    four_numbers v3{};
    for (std::size_t i = 0; i < 4; ++i) {
        v0[i] = state[i][0];
        v1[i] = state[i][1];
        v2[i] = state[i][2];
        v3[i] = state[i][3];
    }
    for (std::size_t i = 0; i < words * 8; i += 8) {
        const four_numbers word{little_endian(texts[0] + i), little_endian(texts[1] + i), little_endian(texts[2] + i),
                              little_endian(texts[3] + i)};
        v3 ^= word;
        round_of_four(v0, v1, v2, v3);
        round_of_four(v0, v1, v2, v3);
        v0 ^= word;
    }
    for (std::size_t i = 0; i < 4; ++i) hashers[i].advance({v0[i], v1[i], v2[i], v3[i]}, words * 8);
}

/** The beginnings of their texts are hashed side by side, the rest of each by itself. */
void hash_four(std::span<const hashed_text, 4> texts, const hash_key& key, std::span<content_hash, 4> into) noexcept
{
    std::array<sip_hasher, 4> hashers{sip_hasher{key}, sip_hasher{key}, sip_hasher{key}, sip_hasher{key}};
    std::array<const char*, 4> begins{};
    std::size_t words = SIZE_MAX;
    for (std::size_t i = 0; i < 4; ++i) {
        begins[i] = texts[i].text.data();
        words = std::min(words, texts[i].text.size() / 8);
    }
    append_to_four(hashers, begins, words);
    for (std::size_t i = 0; i < 4; ++i) {
        hashers[i].append(texts[i].text.substr(words * 8), texts[i].links);
        into[i] = hashers[i].finish();
    }
}

bool can_hash_four() noexcept { return __builtin_cpu_supports("avx2") != 0; }

#endif

}  // namespace

std::string content_hash::text() const
{
    return to_hex(bytes_of_hash(*this));
}

hash_key new_hash_key()
{
    hash_key key;
    if (::getentropy(key.bytes.data(), key.bytes.size()) != 0)
        throw error{errc::store_refused, "hash key", "the operating system gives no secret random bytes"};
    return key;
}

content_hash hash_of(std::string_view text, const hash_key& key) noexcept
{
    sip_hasher hasher{key};
    hasher.append(text);
    return hasher.finish();
}

content_hash hash_of(std::string_view text, std::span<const content_hash> links, const hash_key& key) noexcept
{
    sip_hasher hasher{key};
    hasher.append(text, links);
    return hasher.finish();
}

void hash_all(std::span<const hashed_text> texts, const hash_key& key, std::span<content_hash> into) noexcept
{
    std::size_t i = 0;
#ifdef WEFT_HASHES_FOUR
    static const bool has_four = can_hash_four();
    for (; has_four && i + 4 <= texts.size(); i += 4)
        hash_four(texts.subspan(i).first<4>(), key, into.subspan(i).first<4>());
#endif
    for (; i < texts.size(); ++i) into[i] = hash_of(texts[i].text, texts[i].links, key);
}

}  // namespace weft
