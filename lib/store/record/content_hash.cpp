#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/store/record/content_hash.hpp>

#include <sys/random.h>

#include <bit>
#include <cstring>

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

std::string_view bytes_of(const content_hash& hash) noexcept
{
    return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

}  // namespace

std::string content_hash::text() const
{
    return to_hex(bytes_of(*this));
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
    hasher.append(text);
    for (const content_hash& link : links) hasher.append(bytes_of(link));
    std::array<std::uint8_t, 8> count{};
    put_little_endian(links.size(), count.data());
    hasher.append({reinterpret_cast<const char*>(count.data()), count.size()});
    return hasher.finish();
}

}  // namespace weft
