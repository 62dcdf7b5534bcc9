#include "people_lines.hpp"

#include <weft/base/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace weft_cli {

namespace {

constexpr std::size_t value_columns_max = 600;
constexpr std::size_t name_columns_min = 8;
constexpr std::size_t name_columns_max = 24;

/** Lines below the first begin where the first begins. */
std::string hanging(const std::string& text, std::size_t columns)
{
    std::string result;
    for (const char c : text) {
        result.push_back(c);
        if (c == '\n') result.append(columns, ' ');
    }
    return result;
}

}  // namespace

std::string people_lines::text(const console::screen& screen, std::size_t indent) const
{
    std::size_t columns = name_columns_min;
    for (const line& l : lines_) columns = std::max(columns, std::min(console::columns_of(l.name), name_columns_max));
    std::string all;
    for (const line& l : lines_) {
        const std::size_t width = console::columns_of(l.name);
        all += std::string(indent, ' ') + screen.styled(l.name, "1");
        all += std::string(width < columns ? columns - width + 2 : 2, ' ');
        all += screen.styled(hanging(l.text, indent + columns + 2), l.colour) + "\n";
    }
    return all;
}

std::string value_text(const boost::json::value& value)
{
    const boost::json::string* const text = value.if_string();
    std::string shown = console::harmless(text ? std::string{*text} : weft::to_json_text(value));
    const std::size_t columns = console::columns_of(shown);
    if (columns <= value_columns_max) return shown;
    shown = console::first_columns(shown, value_columns_max);
    return shown + "… (" + std::to_string(columns - value_columns_max) + " columns more; --json has all)";
}

std::string bytes_text(std::uint64_t bytes)
{
    static constexpr std::array<const char*, 4> units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) return std::to_string(bytes) + " B";
    double amount = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; amount >= 999.5 && unit + 1 < units.size(); ++unit) amount /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, amount < 9.95 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
    return text;
}

std::string counted_text(std::uint64_t count, std::string_view noun)
{
    std::string text = count == 0 ? "no" : std::to_string(count);
    return text.append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::string names_text(const std::vector<std::string>& names)
{
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + console::harmless_line(name);
    return all;
}

}  // namespace weft_cli
