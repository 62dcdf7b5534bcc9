#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"

#include <weft/graph/drawing.hpp>
#include <weft/graph/streaming.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using weft::async_generator;
using weft::node_context;
using weft::streaming;

BOOST_AUTO_TEST_SUITE(stream_edges_test)

namespace {

constexpr weft::stream_key<std::string> text_key{"draft"};
constexpr weft::stream_key<std::string> loud_key{"loud"};

async_generator<std::string> give_a_piece(node_context&)
{
    std::string piece = "a";
    co_yield piece;
}

weft::task<void> take_pieces(node_context&, async_generator<std::string> pieces) { co_await pieces.next(); }

/** A writer of a stream. */
weft::graph_builder with_writer()
{
    weft::graph_builder builder = weft_tests::graph_of("");
    builder.node("write", streaming(give_a_piece, text_key)).edge(weft::start, "write");
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pictures_and_words_of_a_graph_show_its_streams)
{
    weft::graph_builder builder = with_writer();
    builder.node("read", streaming(text_key, take_pieces)).edge_stream("write", "read");
    const weft::graph graph = builder.build();
    BOOST_TEST(weft::to_mermaid(graph).find("streams") != std::string::npos);
    BOOST_TEST(graph.explain().find("plain -> read, streams") != std::string::npos, graph.explain());
}

BOOST_AUTO_TEST_CASE(mistakes_of_stream_edges_are_reported_at_once)
{
    weft::graph_builder builder = with_writer();
    builder.node("plain", [] {})
        .node("other", streaming(loud_key, take_pieces))
        .node("read", streaming(text_key, take_pieces))
        .edge_stream("write", "plain")
        .edge_stream("write", "other")
        .edge_stream("write", "read", {.map = {{"value", "other"}}})
        .edge("plain", "read")
        .edge_when("write", "other", "value > 1", {.streams = true});
    const auto built = builder.try_build();
    const auto* const mistakes = std::get_if<std::vector<std::string>>(&built);
    BOOST_REQUIRE(mistakes);
    const auto says = [&](std::string_view what) {
        return std::any_of(mistakes->begin(), mistakes->end(),
                           [&](const std::string& mistake) { return mistake.find(what) != std::string::npos; });
    };
    BOOST_TEST(says("'plain' reads no stream: make it by `streaming`, or declare 'draft' in the state"));
    BOOST_TEST(says("the stream 'draft' is given and 'loud' is read: name one key on both sides"));
    BOOST_TEST(says("streams, and moves values that are not there yet"));
    BOOST_TEST(says("streams, and another edge leads to 'read' too"));
    BOOST_TEST(says("streams, and is not always taken"));
    BOOST_TEST(says("a conditional edge of 'write' may be taken instead"));
}

BOOST_AUTO_TEST_SUITE_END()
