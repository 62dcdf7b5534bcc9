#include <weft/base/json/utf16_halves.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::size_t half_size = 3;
constexpr std::string_view replacement = "\xEF\xBF\xBD";

constexpr bool is_high(unsigned unit) noexcept { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool is_low(unsigned unit) noexcept { return unit >= 0xDC00 && unit <= 0xDFFF; }

/** The UTF-16 unit that an escape `\uXXXX` at the beginning of the text stands for. */
std::optional<unsigned> escaped_unit(std::string_view text) noexcept
{
    constexpr std::size_t escape_size = 6;
    if (text.size() < escape_size || text[0] != '\\' || text[1] != 'u') return std::nullopt;
    unsigned unit = 0;
    const auto [end, ec] = std::from_chars(text.data() + 2, text.data() + escape_size, unit, 16);
    if (ec != std::errc{} || end != text.data() + escape_size) return std::nullopt;
    return unit;
}

void append_half(std::string& to, unsigned unit)
{
    to.push_back(static_cast<char>(0xE0 | (unit >> 12)));
    to.push_back(static_cast<char>(0x80 | ((unit >> 6) & 0x3F)));
    to.push_back(static_cast<char>(0x80 | (unit & 0x3F)));
}

void append_pair(std::string& to, unsigned high, unsigned low)
{
    const unsigned code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    to.push_back(static_cast<char>(0xF0 | (code >> 18)));
    to.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
    to.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
}

/** Where the first half of a text is; npos if there is none. */
std::size_t find_half(std::string_view text, std::size_t from = 0) noexcept
{
    for (std::size_t at = text.find('\xED', from); at != std::string_view::npos; at = text.find('\xED', at + 1))
        if (at + half_size <= text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return at;
    return std::string_view::npos;
}

/** The unit of a half at this place; 0 if there is none. */
unsigned half_at(std::string_view text, std::size_t at) noexcept
{
    if (at >= text.size() || find_half(text.substr(at, half_size)) != 0) return 0;
    return 0xD000u | ((static_cast<unsigned char>(text[at + 1]) & 0x3Fu) << 6) |
           (static_cast<unsigned char>(text[at + 2]) & 0x3Fu);
}

/** The JSON text with the escapes of single halves spelled out; escapes of pairs stay. */
std::string spelled_out(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find('\\'), text.size());
        result.append(text.substr(0, plain));
        text.remove_prefix(plain);
        const std::optional<unsigned> unit = escaped_unit(text);
        // `\uXXXX`, or a backslash with the character that it escapes, which may be a backslash itself.
        std::size_t size = std::min<std::size_t>(unit ? 6 : 2, text.size());
        if (unit && is_high(*unit) && is_low(escaped_unit(text.substr(size)).value_or(0))) size *= 2;
        const bool is_single = unit && (is_high(*unit) || is_low(*unit)) && size == 6;
        if (is_single)
            append_half(result, *unit);
        else
            result.append(text.substr(0, size));
        text.remove_prefix(size);
    }
    return result;
}

void remove_halves_but_in(json::value& value, const half_filter& keeps);

void remove_halves_in_members(json::object& object, const half_filter& keeps)
{
    std::vector<std::string> names;
    for (json::key_value_pair& member : object) {
        const std::string_view name{member.key().data(), member.key().size()};
        const bool stays = member.value().is_string() && keeps && keeps(name);
        if (!stays) remove_halves_but_in(member.value(), keeps);
        if (find_half(name) != std::string_view::npos) names.emplace_back(name);
    }
    // After the walk: renaming a member moves others.
    for (const std::string& name : names) {
        json::value moved = std::move(object.at(name));
        object.erase(name);
        object.insert_or_assign(without_halves(name), std::move(moved));
    }
}

void remove_halves_but_in(json::value& value, const half_filter& keeps)
{
    if (json::string* const text = value.if_string()) {
        const std::string_view view{text->data(), text->size()};
        if (find_half(view) != std::string_view::npos) *text = without_halves(view);
    } else if (json::array* const list = value.if_array()) {
        for (json::value& item : *list) remove_halves_but_in(item, keeps);
    } else if (json::object* const object = value.if_object()) {
        remove_halves_in_members(*object, keeps);
    }
}

}  // namespace

json::value parse_json_with_halves(std::string_view text, json::storage_ptr storage, const half_filter& keeps)
{
    std::optional<error> refused;
    try {
        return parse_json_as(text, json_reading{}, storage);
    } catch (const error& e) {
        refused = e;
    }
    // Only text that was refused is searched for halves: almost none has any.
    const std::string spelled = is_valid_utf8(text) ? spelled_out(text) : std::string{};
    if (find_half(spelled) == std::string_view::npos) throw *refused;
    json_reading how;
    how.takes_any_bytes = true;  // no other than the halves, since the text was valid before
    json::value value(storage);
    try {
        value = parse_json_as(spelled, how, storage);
    } catch (const error&) {
        throw *refused;  // its position is that in the text
    }
    remove_halves_but_in(value, keeps);
    return value;
}

std::string without_halves(std::string_view text)
{
    utf16_joiner joiner;
    std::string result{joiner.join(text)};
    return result.append(joiner.end());
}

void remove_halves(json::value& value) { remove_halves_but_in(value, {}); }

std::string_view utf16_joiner::join(std::string_view piece)
{
    if (piece.empty() || (waiting_.empty() && find_half(piece) == std::string_view::npos)) return piece;
    const std::string whole = std::exchange(waiting_, {}).append(piece);
    const std::string_view text = whole;
    joined_.clear();
    std::size_t from = 0;
    for (std::size_t at = find_half(text); at != std::string_view::npos; at = find_half(text, from)) {
        joined_.append(text, from, at - from);
        from = at + half_size;
        const unsigned unit = half_at(text, at);
        const unsigned next = half_at(text, from);
        if (is_high(unit) && is_low(next)) {
            append_pair(joined_, unit, next);
            from += half_size;
        } else if (is_high(unit) && from == text.size()) {
            waiting_ = text.substr(at);
        } else {
            joined_ += replacement;
        }
    }
    joined_.append(text, from);
    return joined_;
}

std::string_view utf16_joiner::end() noexcept
{
    if (waiting_.empty()) return {};
    waiting_.clear();
    return replacement;
}

}  // namespace weft
