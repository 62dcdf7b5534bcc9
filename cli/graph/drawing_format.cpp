#include "drawing_format.hpp"

#include <weft/base/error.hpp>
#include <weft/drawing/svg.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft_cli {

namespace {

template <std::size_t N>
std::optional<drawing_format> find_in(const std::array<std::pair<std::string_view, drawing_format>, N>& names,
                                      std::string_view name) noexcept
{
    for (const auto& [known, format] : names)
        if (known == name) return format;
    return std::nullopt;
}

void require_svg()
{
    if (weft::can_draw_svg()) return;
    throw weft::error{weft::errc::drawing_failed, "SVG",
                      "this weft was built without Graphviz, which lays it out. Install libgraphviz-dev (Debian, "
                      "Ubuntu) or graphviz (elsewhere) and build weft again; or use `--format dot`, which always "
                      "works, and `dot -Tsvg`"};
}

}  // namespace

std::optional<drawing_format> drawing_format_named(std::string_view name) noexcept
{
    using enum drawing_format;
    static constexpr std::array<std::pair<std::string_view, drawing_format>, 4> names{
        {{"mermaid", mermaid}, {"dot", dot}, {"dag", dag}, {"svg", svg}}};
    return find_in(names, name);
}

std::optional<drawing_format> drawing_format_of(const std::filesystem::path& file)
{
    using enum drawing_format;
    static constexpr std::array<std::pair<std::string_view, drawing_format>, 6> names{
        {{".mmd", mermaid}, {".mermaid", mermaid}, {".dot", dot}, {".gv", dot}, {".json", dag}, {".svg", svg}}};
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return find_in(names, extension);
}

std::string drawing_of(const weft::graph& what, drawing_format format, const weft::drawing_options& options)
{
    std::string text;
    switch (format) {
    case drawing_format::mermaid: text = weft::to_mermaid(what, options); break;
    case drawing_format::dot: text = weft::to_dot(what, options); break;
    case drawing_format::dag: text = boost::json::serialize(weft::to_dag_json(what, options)); break;
    case drawing_format::svg:
        require_svg();
        text = weft::to_svg(what, options);
        break;
    }
    if (!text.ends_with('\n')) text.push_back('\n');
    return text;
}

}  // namespace weft_cli
