#include <weft/graph/document/graph_file_format.hpp>

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>

namespace weft {

namespace {

bool has_extension(std::string_view name, std::string_view extension) noexcept
{
    if (name.size() <= extension.size()) return false;
    const std::string_view end = name.substr(name.size() - extension.size());
    return std::equal(end.begin(), end.end(), extension.begin(),
                      [](char a, char b) { return ascii_lower(a) == b; });
}

}  // namespace

graph_file_format format_of_file(std::string_view name) noexcept
{
    const bool is_yaml = has_extension(name, ".yaml") || has_extension(name, ".yml");
    return is_yaml ? graph_file_format::yaml : graph_file_format::json;
}

}  // namespace weft
