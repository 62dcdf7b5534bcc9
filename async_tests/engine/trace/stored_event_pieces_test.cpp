#include <boost/test/unit_test.hpp>

#include "engine/trace/stored_event_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/list.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <algorithm>
#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(stored_event_pieces_test)

namespace {

/** Not each of them becomes JSON. */
struct shy_number {
    int value = 0;
};
void tag_invoke(const boost::json::value_from_tag&, boost::json::value& to, const shy_number& from)
{
    if (from.value < 0) throw weft::error{weft::errc::unexpected_json, "", "a negative number"};
    to = from.value;
}
shy_number tag_invoke(const boost::json::value_to_tag<shy_number>&, const boost::json::value& from)
{
    return {from.to_number<int>()};
}

inline constexpr weft::state_key<weft::list<shy_number>> numbers{"numbers"};
inline constexpr weft::state_key<std::string> text{"text"};
inline constexpr weft::state_key<shy_number> one{"one"};

/** All keys are written, and a text that stands in the middle of the list of writes. */
weft::run_event event_with(weft::run_event::kind what, weft::list<shy_number> list, shy_number number)
{
    static const weft::graph of = weft::graph_builder{"of"}.state(numbers, text, one)
                                      .node("n", [](weft::node_context&) {}).edge(weft::start, "n").build();
    weft::state values{of.layout()};
    values.writable(0) = weft::make_box<weft::list<shy_number>>(std::move(list));
    values.writable(1) = weft::make_box<std::string>("two\nlines");
    values.writable(2) = weft::make_box<shy_number>(number);
    weft::write_set writes;
    for (const std::uint32_t slot : {0u, 1u, 2u})
        writes.push_back(weft::state_write{slot, slot == 1, true, values.at(slot)});
    weft::run_event event;
    event.what = what;
    event.written = std::make_shared<const weft::written_values>(std::move(writes), values, false);
    return event;
}

/** The text in pieces of about so many bytes, without what is the same in all events. */
std::string text_in_pieces(const weft::run_event& event, std::size_t bytes)
{
    weft::stored_event_pieces pieces;
    pieces.begin(event);
    while (!pieces.write(bytes)) BOOST_TEST_REQUIRE(pieces.size() < 10'000u);
    const std::string all = pieces.take();
    BOOST_CHECK_NO_THROW((void)weft::parse_json(all));
    return all.substr(std::min(all.find(",\"written\""), all.find(",\"values\"")));
}

}  // namespace

BOOST_AUTO_TEST_CASE(pieces_of_any_size_make_the_same_text)
{
    using kind = weft::run_event::kind;
    const std::string writes = R"(,"written":[["numbers",[1,2,3]],["text","two\nlines",true],["one",4]])";
    const std::string values = R"(,"values":{"numbers":[1,2,3],"text":"two\nlines","one":4}})";
    for (const std::size_t bytes : {1u, 3u, 17u, 100'000u}) {
        BOOST_TEST(text_in_pieces(event_with(kind::run_started, {{1}, {2}, {3}}, {4}), bytes) == writes + values);
        BOOST_TEST(text_in_pieces(event_with(kind::state_written, {{1}, {2}, {3}}, {4}), bytes) == writes + "}");
    }
}

BOOST_AUTO_TEST_CASE(what_json_cannot_say_is_left_out)
{
    using kind = weft::run_event::kind;
    const std::string no_list = R"(,"written":[["text","two\nlines",true],["one",4]])";
    const std::string no_number = R"(,"written":[["numbers",[1]],["text","two\nlines",true]])";
    for (const std::size_t bytes : {1u, 17u, 100'000u}) {
        BOOST_TEST(text_in_pieces(event_with(kind::run_started, {{1}, {-2}}, {4}), bytes) ==
                   no_list + R"(,"values":{"text":"two\nlines","one":4}})");
        BOOST_TEST(text_in_pieces(event_with(kind::run_started, {{1}}, {-4}), bytes) ==
                   no_number + R"(,"values":{"numbers":[1],"text":"two\nlines"}})");
    }
}

BOOST_AUTO_TEST_SUITE_END()
