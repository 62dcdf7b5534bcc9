#include <weft/base/ids.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t text_size = 36;
constexpr std::string_view digits = "0123456789abcdef";

constexpr bool is_hyphen_before(std::size_t byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

std::optional<std::uint8_t> value_of(char digit) noexcept
{
    if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
    if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
    return std::nullopt;
}

void store_big_endian(std::uint64_t value, std::uint8_t* bytes) noexcept
{
    for (int shift = 56; shift >= 0; shift -= 8)
        *bytes++ = static_cast<std::uint8_t>(value >> shift);
}

// `stamp` is 48 bits of time and 16 of counter. Version 7 takes 12 of the counter before the
// variant, 4 behind it.
unique_id make_id(std::uint64_t stamp, std::uint64_t random) noexcept
{
    constexpr std::uint64_t version = 0x7000;
    constexpr std::uint64_t variant = 0x8000'0000'0000'0000;
    constexpr std::uint64_t random_mask = 0x03ff'ffff'ffff'ffff;
    const std::uint64_t counter = stamp & 0xffff;
    const std::uint64_t high = (stamp & ~std::uint64_t{0xffff}) | version | counter >> 4;
    const std::uint64_t low = variant | (counter & 0xf) << 58 | (random & random_mask);
    unique_id id;
    store_big_endian(high, id.bytes.data());
    store_big_endian(low, id.bytes.data() + 8);
    return id;
}

}  // namespace

std::string unique_id::text() const
{
    std::string text;
    text.reserve(text_size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (is_hyphen_before(i)) text.push_back('-');
        text.push_back(digits[bytes[i] >> 4]);
        text.push_back(digits[bytes[i] & 0xf]);
    }
    return text;
}

std::optional<unique_id> unique_id::parse(std::string_view text) noexcept
{
    if (text.size() != text_size) return std::nullopt;
    unique_id id;
    std::size_t at = 0;
    for (std::size_t i = 0; i < id.bytes.size(); ++i) {
        if (is_hyphen_before(i) && text[at++] != '-') return std::nullopt;
        const auto high = value_of(text[at++]);
        const auto low = value_of(text[at++]);
        if (!high || !low) return std::nullopt;
        id.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return id;
}

unique_id id_source::next() noexcept
{
    using namespace std::chrono;
    const auto since_1970 = duration_cast<milliseconds>(time_.system_now().time_since_epoch());
    const std::uint64_t now =
        static_cast<std::uint64_t>(std::max<std::int64_t>(since_1970.count(), 0)) << 16;

    // A counter that overflows carries into the time, so ids stay in order and run ahead of the
    // clock a little.
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    std::uint64_t stamp = 0;
    do {
        stamp = std::max(now, last + 1);
    } while (!last_.compare_exchange_weak(last, stamp, std::memory_order_relaxed));
    return make_id(stamp, random_.next());
}

}  // namespace weft
