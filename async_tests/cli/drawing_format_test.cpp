#include "files.hpp"
#include "graph/drawing_format.hpp"

#include <weft/base/error.hpp>
#include <weft/drawing/svg.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;
using weft_cli::drawing_format;

BOOST_AUTO_TEST_SUITE(drawing_format_test)

BOOST_AUTO_TEST_CASE(the_extension_says_the_format)
{
    const auto is = [](const char* file, drawing_format format) {
        return weft_cli::drawing_format_of(file) == format;
    };
    BOOST_TEST(is("a.mmd", drawing_format::mermaid));
    BOOST_TEST(is("a.b.mermaid", drawing_format::mermaid));
    BOOST_TEST(is("folder.svg/a.DOT", drawing_format::dot));
    BOOST_TEST(is("a.gv", drawing_format::dot));
    BOOST_TEST(is("a.json", drawing_format::dag));
    BOOST_TEST(is("a.Svg", drawing_format::svg));
    for (const char* file : {"a", "a.png", ".svg", "a.svg/b", "a."})
        BOOST_TEST(!weft_cli::drawing_format_of(file).has_value(), file);
}

BOOST_AUTO_TEST_CASE(each_format_has_a_name)
{
    BOOST_TEST((weft_cli::drawing_format_named("dag") == drawing_format::dag));
    BOOST_TEST(!weft_cli::drawing_format_named("png").has_value());
    BOOST_TEST(!weft_cli::drawing_format_named("").has_value());
}

BOOST_AUTO_TEST_CASE(drawings_are_whole_lines)
{
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(sample("triage.json"));
    BOOST_REQUIRE(file.loaded.has_value());
    for (const drawing_format format : {drawing_format::mermaid, drawing_format::dot, drawing_format::dag}) {
        const std::string text = weft_cli::drawing_of(file.loaded->what, format, {});
        BOOST_TEST(text.ends_with('\n'));
        BOOST_TEST(has(text, "classify"));
    }
}

BOOST_AUTO_TEST_CASE(without_graphviz_svg_says_what_to_do)
{
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(sample("hello.json"));
    BOOST_REQUIRE(file.loaded.has_value());
    try {
        const std::string text = weft_cli::drawing_of(file.loaded->what, drawing_format::svg, {});
        BOOST_TEST(weft::can_draw_svg());
        BOOST_TEST(has(text, "<svg"));
    } catch (const weft::error& e) {
        BOOST_TEST(!weft::can_draw_svg());
        BOOST_TEST((e.code() == weft::errc::drawing_failed));
        BOOST_TEST(has(e.what(), "libgraphviz-dev"));
        BOOST_TEST(has(e.what(), "--format dot"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
