#include <weft/base/json/json_peek.hpp>

#include <cmath>

namespace weft {

namespace json = boost::json;

std::optional<double> peek_number(const json::object& in, std::string_view name) noexcept
{
    const json::value* member = in.if_contains(name);
    if (!member) return std::nullopt;
    if (const std::int64_t* whole = member->if_int64()) return static_cast<double>(*whole);
    if (const std::uint64_t* large = member->if_uint64()) return static_cast<double>(*large);
    if (const double* real = member->if_double()) return *real;
    return std::nullopt;
}

std::optional<std::int64_t> peek_whole(const json::value& from) noexcept
{
    if (const std::int64_t* whole = from.if_int64()) return *whole;
    const double* real = from.if_double();
    if (!real || !(*real >= -0x1p53 && *real <= 0x1p53) || std::trunc(*real) != *real) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

std::optional<std::int64_t> peek_count(const json::object& in, std::string_view name) noexcept
{
    const json::value* member = in.if_contains(name);
    if (!member) return std::nullopt;
    if (const std::int64_t* count = member->if_int64()) return *count >= 0 ? std::optional{*count} : std::nullopt;
    const double* real = member->if_double();
    if (!real || !(*real >= 0 && *real < 0x1p63) || std::trunc(*real) != *real) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

void replace_count(std::optional<std::int64_t>& count, const json::object& in, std::string_view name) noexcept
{
    if (const auto reported = peek_count(in, name)) count = reported;
}

}  // namespace weft
