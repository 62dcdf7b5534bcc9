#include <weft/base/text/text_lines.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t block_bytes = 256;

std::size_t points_in(std::string_view text) noexcept
{
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_start));
}

}  // namespace

text_lines::text_lines(std::string_view text) : text_{text}, starts_{0}, points_{0}
{
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) starts_.push_back(at + 1);
    for (std::size_t at = 0; at + block_bytes <= text.size(); at += block_bytes)
        points_.push_back(points_.back() + points_in(text.substr(at, block_bytes)));
}

std::size_t text_lines::points_before(std::size_t offset) const noexcept
{
    const std::size_t block = offset / block_bytes;
    return points_[block] + points_in(text_.substr(block * block_bytes, offset - block * block_bytes));
}

text_position text_lines::at(std::size_t offset) const noexcept
{
    const std::size_t end = std::min(offset, text_.size());
    const auto line = std::upper_bound(starts_.begin(), starts_.end(), end) - starts_.begin();
    const std::size_t columns = points_before(end) - points_before(starts_[static_cast<std::size_t>(line) - 1]);
    return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(1 + columns)};
}

}  // namespace weft
