#include <weft/base/system/ids.hpp>

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>

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
    const std::uint64_t stored = boost::endian::native_to_big(value);
    std::memcpy(bytes, &stored, sizeof stored);
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

/** The least stamp of a time since 1970. */
std::uint64_t stamp_of(std::chrono::nanoseconds since_1970) noexcept
{
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(whole, 0)) << 16;
}

}  // namespace

std::string unique_id::text() const
{
    std::string text(text_size, '-');
    char* to = text.data();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        to += is_hyphen_before(i);
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 0xf];
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
    const std::uint64_t now = stamp_of(time_.system_now().time_since_epoch());

    // A counter that overflows carries into the time, so ids stay in order and run ahead of the
    // clock a little.
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    std::uint64_t stamp = 0;
    do {
        stamp = std::max(now, last + 1);
    } while (!last_.compare_exchange_weak(last, stamp, std::memory_order_relaxed));
    return make_id(stamp, random_.next());
}

unique_id local_id_source::next(const clock& time, time_point now, random_source& random) noexcept
{
    const std::chrono::nanoseconds later = now - read_at_;
    if (day_then_.count() < 0 || later.count() < 0 || later >= std::chrono::seconds{1}) read_time_of_day(time, now);
    last_ = std::max(stamp_of(day_then_ + (now - read_at_)), last_ + 1);
    return make_id(last_, random.next());
}

void local_id_source::read_time_of_day(const clock& time, time_point now) noexcept
{
    read_at_ = now;
    day_then_ = std::max(std::chrono::nanoseconds{time.system_now().time_since_epoch()}, std::chrono::nanoseconds{0});
}

}  // namespace weft
