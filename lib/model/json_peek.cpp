#include "json_peek.hpp"

#include <cmath>

namespace weft::model_detail {

std::optional<std::int64_t> peek_count(const boost::json::object& in, std::string_view name) noexcept
{
    const boost::json::value* member = in.if_contains(name);
    if (!member) return std::nullopt;
    if (const std::int64_t* count = member->if_int64())
        return *count >= 0 ? std::optional{*count} : std::nullopt;
    const double* real = member->if_double();
    if (!real || !(*real >= 0 && *real < 0x1p63) || std::trunc(*real) != *real) return std::nullopt;
    return static_cast<std::int64_t>(*real);
}

}  // namespace weft::model_detail
