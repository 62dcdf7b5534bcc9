#include <boost/test/unit_test.hpp>

#include "gallery.hpp"

#include <weft/base/error.hpp>
#include <weft/drawing/svg.hpp>

#include <thread>
#include <vector>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(svg_test)

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

boost::test_tools::assertion_result can_draw(boost::unit_test::test_unit_id) { return weft::can_draw_svg(); }
boost::test_tools::assertion_result cannot_draw(boost::unit_test::test_unit_id) { return !weft::can_draw_svg(); }

auto refuses(weft::errc code, std::string_view advice)
{
    return [code, advice](const weft::error& e) { return e.code() == code && has(e.what(), advice); };
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_graphviz_it_says_how_to_get_it, *boost::unit_test::precondition(cannot_draw))
{
    BOOST_CHECK_EXCEPTION((void)weft::to_svg(research_graph()), weft::error,
                          refuses(weft::errc::drawing_failed, "libgraphviz-dev"));
}

BOOST_AUTO_TEST_CASE(it_is_one_element_that_refers_to_nothing_outside, *boost::unit_test::precondition(can_draw))
{
    const std::string svg = weft::to_svg(research_graph());
    BOOST_TEST(svg.starts_with("<svg class=\"weft-drawing\" role=\"img\" "));
    BOOST_TEST(svg.ends_with("</svg>\n"));
    BOOST_TEST(has(svg, ">judge</text>"));
    BOOST_TEST(!has(svg, "<!"));
    BOOST_TEST(!has(svg, "<?"));
    BOOST_TEST(!has(svg, "<script"));
    BOOST_TEST(!has(svg, "href=\"http"));
    BOOST_TEST(!has(svg, "url("));
}

BOOST_AUTO_TEST_CASE(it_is_dark_where_the_reader_is_unless_told_otherwise, *boost::unit_test::precondition(can_draw))
{
    BOOST_TEST(has(weft::to_svg(research_graph()), "@media (prefers-color-scheme:dark)"));
    const std::string light = weft::to_svg(research_graph(), {.theme = weft::drawing_theme::light});
    BOOST_TEST(!has(light, "@media"));
    const std::string dark = weft::to_svg(research_graph(), {.theme = weft::drawing_theme::dark});
    BOOST_TEST(!has(dark, "@media"));
    BOOST_TEST(has(dark, weft::drawing_colours::dark().background));
}

BOOST_AUTO_TEST_CASE(titles_of_clusters_lie_on_the_edges_that_cross_them, *boost::unit_test::precondition(can_draw))
{
    const weft::drawing_options options{.theme = weft::drawing_theme::light, .has_legend = true};
    const std::string svg = weft::to_svg(graph_with_everything(), options);
    const std::size_t last_edge = svg.rfind("class=\"edge");
    const std::string dot = weft::to_dot(graph_with_everything(), options);
    std::size_t titles = 0;
    for (std::size_t at = 0; (at = svg.find("<g class=\"title ", at)) != std::string::npos; ++at, ++titles)
        BOOST_TEST(at > last_edge);
    std::size_t clusters = 0;
    for (std::size_t at = 0; (at = dot.find("subgraph cluster_", at)) != std::string::npos; ++at) ++clusters;
    BOOST_TEST(clusters > 3U);
    BOOST_TEST(titles == clusters);
    // Each has a halo in the colour of its cluster.
    const weft::drawing_colours& colours = options.light;
    BOOST_TEST(has(svg, "<g class=\"title region\" stroke=\"" + colours.region + "\" stroke-width=\"0\">\n<text "));
    const std::size_t legend = svg.find(">legend</text>\n</g>");
    BOOST_REQUIRE(legend != std::string::npos);
    BOOST_TEST(svg.rfind("<g ", legend) == svg.rfind("<g class=\"title nested\" stroke=\"" + colours.nested, legend));
    BOOST_TEST(svg.find(">legend</text>", legend + 1) == std::string::npos);
    BOOST_TEST(has(svg, "@supports (paint-order:stroke)"));
}

BOOST_AUTO_TEST_CASE(whatever_the_names_it_is_laid_out, *boost::unit_test::precondition(can_draw))
{
    const std::string svg = weft::to_svg(graph_of_nasty_names());
    BOOST_TEST(!has(svg, "<script"));
    BOOST_TEST(has(svg, "&lt;script&gt;"));
    BOOST_TEST(has(svg, "&amp;lt;not&amp;gt;"));
}

BOOST_AUTO_TEST_CASE(too_many_nodes_are_refused_at_once, *boost::unit_test::precondition(can_draw))
{
    BOOST_CHECK_EXCEPTION((void)weft::to_svg(large_graph(weft::svg_nodes_max + 100)), weft::error,
                          refuses(weft::errc::limit_reached, "nodes"));
}

BOOST_AUTO_TEST_CASE(several_os_threads_may_draw, *boost::unit_test::precondition(can_draw))
{
    std::vector<std::string> drawn(4);
    std::vector<std::thread> all;
    for (std::string& svg : drawn) all.emplace_back([&svg] { svg = weft::to_svg(research_graph()); });
    for (std::thread& t : all) t.join();
    for (const std::string& svg : drawn) BOOST_TEST(svg == drawn.front());
}

BOOST_AUTO_TEST_SUITE_END()
