#include "live_area.hpp"

#include "console.hpp"

#include <algorithm>
#include <utility>

namespace weft_cli {

namespace {

/** How many rows lines take by now: a window that was made narrower has broken them. */
std::size_t rows_of(const std::vector<std::string>& lines, std::size_t columns)
{
    std::size_t rows = 0;
    for (const std::string& line : lines) {
        const std::size_t width = std::max<std::size_t>(console::columns_of_styled(line), 1);
        rows += columns > 0 ? (width + columns - 1) / columns : 1;
    }
    return rows;
}

}  // namespace

std::string live_area::draw(const std::vector<std::string>& staying, std::vector<std::string> picture, extent size)
{
    const std::size_t room = size.rows > 1 ? size.rows - 1 : 1;
    // Lines that have scrolled out at the top cannot be drawn over.
    if (picture.size() > room)
        picture.erase(picture.begin(), picture.end() - static_cast<std::ptrdiff_t>(room));
    std::string text = "\r";
    if (const std::size_t above = std::min(rows_of(drawn_, size.columns), room); above > 0)
        text += "\x1b[" + std::to_string(above) + "A";
    for (const std::string& line : staying) text += line + "\x1b[K\n";
    for (const std::string& line : picture) text += line + "\x1b[K\n";
    drawn_ = std::move(picture);
    return text + "\x1b[J";
}

}  // namespace weft_cli
