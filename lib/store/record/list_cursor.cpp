#include "list_cursor.hpp"

#include <weft/base/error.hpp>

#include <charconv>

namespace weft {

namespace {

[[noreturn]] void refuse_cursor()
{
    throw error{errc::store_refused, "cursor of a list", "it is not one that a page gave: begin with the first page"};
}

/** Reads a number and the ':' behind it. */
std::int64_t taken_number(std::string_view& text)
{
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end == text.data() + text.size() || *end != ':') refuse_cursor();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return number;
}

}  // namespace

std::string list_cursor::text() const
{
    // The length of the tenant goes first: both names may have any character.
    return std::to_string(first) + ':' + std::to_string(second) + ':' + std::to_string(tenant.size()) + ':' + tenant +
           name;
}

list_cursor list_cursor::parse(std::string_view text)
{
    list_cursor cursor;
    cursor.first = taken_number(text);
    cursor.second = taken_number(text);
    const std::int64_t length = taken_number(text);
    if (length < 0 || static_cast<std::uint64_t>(length) > text.size()) refuse_cursor();
    cursor.tenant = text.substr(0, static_cast<std::size_t>(length));
    cursor.name = text.substr(static_cast<std::size_t>(length));
    return cursor;
}

}  // namespace weft
