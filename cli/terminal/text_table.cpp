#include "text_table.hpp"

#include "console.hpp"

#include <algorithm>

namespace weft_cli {

std::string padded(std::string text, std::size_t columns, bool is_number)
{
    const std::size_t width = console::columns_of(text);
    if (width < columns) text.insert(is_number ? 0 : text.size(), columns - width, ' ');
    return text;
}

std::string table_of(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], console::columns_of(console::harmless_line(row[i])));
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line.append("  ").append(padded(console::harmless_line(row[i]), widths[i]));
        line.erase(line.find_last_not_of(' ') + 1);
        text.append(line).push_back('\n');
    }
    return text;
}

}  // namespace weft_cli
