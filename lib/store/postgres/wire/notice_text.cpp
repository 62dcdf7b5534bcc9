#include "notice_text.hpp"

#include <boost/assert.hpp>

#include <charconv>
#include <cstdint>

namespace weft::postgres_detail {

namespace {

constexpr std::string_view version = "1 ";
constexpr std::size_t digits = 16;  // of an origin and of the name of a thread

char letter_of(store_notice::kind what) noexcept
{
    switch (what) {
        case store_notice::kind::run: return 'r';
        case store_notice::kind::answer: return 'a';
        case store_notice::kind::signal: return 's';
        case store_notice::kind::events: return 'e';
        case store_notice::kind::anything: break;
    }
    return 'x';
}

store_notice::kind kind_of(char letter) noexcept
{
    switch (letter) {
        case 'r': return store_notice::kind::run;
        case 'a': return store_notice::kind::answer;
        case 's': return store_notice::kind::signal;
        case 'e': return store_notice::kind::events;
        default: return store_notice::kind::anything;
    }
}

void append_hexadecimal(std::string& to, std::uint64_t number)
{
    constexpr std::string_view letters = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4) to.push_back(letters[number >> shift & 15]);
}

std::optional<std::uint64_t> read_hexadecimal(std::string_view text)
{
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::string write_notices(std::string_view origin, std::span<const store_notice> notices)
{
    BOOST_ASSERT(origin.size() == digits && notices.size() <= notices_a_payload);
    std::string payload{version};
    payload.append(origin);
    for (const store_notice& each : notices) {
        payload.push_back(' ');
        payload.push_back(letter_of(each.what));
        append_hexadecimal(payload, each.thread);
    }
    return payload;
}

std::optional<notice_batch> read_notices(std::string_view payload)
{
    if (!payload.starts_with(version)) return std::nullopt;
    payload.remove_prefix(version.size());
    if (payload.size() < digits || !read_hexadecimal(payload.substr(0, digits))) return std::nullopt;
    notice_batch batch;
    batch.origin = payload.substr(0, digits);
    payload.remove_prefix(digits);
    constexpr std::size_t each = digits + 2;
    if (payload.size() % each != 0) return std::nullopt;
    for (; !payload.empty(); payload.remove_prefix(each)) {
        const std::optional<std::uint64_t> thread = read_hexadecimal(payload.substr(2, digits));
        if (payload[0] != ' ' || !thread) return std::nullopt;
        batch.notices.push_back({kind_of(payload[1]), *thread});
    }
    return batch;
}

}  // namespace weft::postgres_detail
