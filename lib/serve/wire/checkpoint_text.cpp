#include "checkpoint_text.hpp"

#include <algorithm>
#include <charconv>

namespace weft::serve_detail {

std::string checkpoint_text(std::int64_t sequence)
{
    constexpr std::size_t digits = 10;
    const std::string number = std::to_string(sequence);
    return std::string(digits - std::min(digits, number.size()), '0') + number;
}

std::optional<std::int64_t> checkpoint_number(std::string_view text) noexcept
{
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

}  // namespace weft::serve_detail
