// Writes the drawings of the test gallery into a folder: <name>.mmd, .dot, .json and, with Graphviz, .svg.

#include "drawing/gallery.hpp"

#include <weft/base/utf8.hpp>
#include <weft/drawing/svg.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

/** Names that read the same in a drawing, but for white space. */
bool is_shown_as_it_is(const std::string& name)
{
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    return name.size() <= 160 && weft::is_valid_utf8(name) && std::none_of(name.begin(), name.end(), is_control);
}

void draw_into(const std::filesystem::path& folder)
{
    const auto write = [&folder](const std::string& name, const std::string& text) {
        std::ofstream{folder / name, std::ios::binary} << text;
    };
    for (const weft_tests::exhibit& e : weft_tests::gallery()) {
        weft::drawing_options options{.has_legend = e.name == "everything"};
        if (e.ran) options.overlay = *e.ran;
        write(e.name + ".mmd", weft::to_mermaid(e.what, options));
        write(e.name + ".dot", weft::to_dot(e.what, options));
        write(e.name + ".json", boost::json::serialize(weft::to_dag_json(e.what, options)));
        if (weft::can_draw_svg()) write(e.name + ".svg", weft::to_svg(e.what, options));
    }
    boost::json::array names;
    for (const std::string& name : weft_tests::nasty_names())
        if (is_shown_as_it_is(name)) names.emplace_back(name);
    write("nasty.names.json", boost::json::serialize(names));
    if (!weft::can_draw_svg()) std::cout << "no Graphviz\n";
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::cerr << "usage: draw_gallery <folder>\n";
        return 2;
    }
    try {
        draw_into(arguments[1]);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
