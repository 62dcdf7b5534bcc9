#include <weft/base/text/text_position.hpp>

#include <algorithm>

namespace weft {

std::string text_position::text() const
{
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

text_position position_in(std::string_view text, std::size_t offset) noexcept
{
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::string_view in_line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    const auto columns = std::count_if(in_line.begin(), in_line.end(), is_start);
    return {static_cast<std::uint32_t>(1 + lines), static_cast<std::uint32_t>(1 + columns)};
}

}  // namespace weft
