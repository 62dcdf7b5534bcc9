// Writes the drawings of the test gallery into a folder: <name>.mmd, .dot, .json and, with Graphviz, .svg.

#include "../drawing/gallery.hpp"

#include <weft/drawing/svg.hpp>

#include <boost/json/serialize.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>

int main(int count, char** arguments)
{
    if (count != 2) {
        std::cerr << "usage: draw_gallery <folder>\n";
        return 2;
    }
    const std::filesystem::path folder{arguments[1]};
    const auto write = [&folder](const std::string& name, const std::string& text) {
        std::ofstream{folder / name, std::ios::binary} << text;
    };
    for (const weft_tests::exhibit& e : weft_tests::gallery()) {
        weft::drawing_options options;
        if (e.ran) options.overlay(*e.ran);
        if (e.name == "everything") options.legend(true);
        write(e.name + ".mmd", weft::to_mermaid(e.what, options));
        write(e.name + ".dot", weft::to_dot(e.what, options));
        write(e.name + ".json", boost::json::serialize(weft::to_dag_json(e.what, options)));
        if (weft::can_draw_svg()) write(e.name + ".svg", weft::to_svg(e.what, options));
    }
    if (!weft::can_draw_svg()) std::cout << "no Graphviz\n";
}
