#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(stored_run_event_test)

using weft::graph;
using weft::graph_builder;
using weft::node_context;
using weft::run_event;

inline constexpr weft::state_key<int> number{"number"};
inline constexpr weft::state_key<int, weft::add> total{"total"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> words{"words"};

/** What there is to see of an event, its values included. */
std::string shown(const run_event& event)
{
    std::string line = std::to_string(event.id) + ' ' + weft::to_line(event);
    if (!event.written) return line;
    line += ' ' + boost::json::serialize(event.written->writes());
    if (event.written->is_in_branch()) return line + " in a branch";
    return line + ' ' + boost::json::serialize(event.written->state().to_json());
}

/** Runs a graph; what its watcher sees must come back from what is stored. */
void comes_back(const graph& what)
{
    std::vector<std::string> live;
    std::vector<std::string> stored;
    weft::run_request request{number, 1};
    request.on_event([&](const run_event& event) {
        live.push_back(shown(event));
        stored.push_back(weft::stored_run_event(event));
    });
    BOOST_TEST(weft::run_blocking(what, std::move(request)).ok());
    weft::stored_event_reader reader{what};
    BOOST_TEST_REQUIRE(live.size() == stored.size());
    for (std::size_t i = 0; i < live.size(); ++i) BOOST_TEST(shown(reader.read(stored[i])) == live[i], stored[i]);
}

void add_all(node_context& ctx)
{
    ctx.set(number, ctx.get(number) + 1);
    ctx.set(total, 5);
    ctx.set(words, "a");
    ctx.set(words, std::string(ctx.node()));
    ctx.emit("note", "two\nlines");
}

BOOST_AUTO_TEST_CASE(writes_and_the_state_behind_them_come_back)
{
    comes_back(graph_builder{"two"}.state(number, total, words).node("one", add_all).node("two", add_all)
                   .edge(weft::start, "one").edge("one", "two").build());
}

BOOST_AUTO_TEST_CASE(a_join_of_branches_comes_back)
{
    const auto say = [](node_context& ctx) { ctx.set(words, std::string(ctx.node())); };
    comes_back(graph_builder{"fan"}.state(number, total, words).node("a", say).node("b", say).node("c", say)
                   .node("d", add_all).edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("b", "d")
                   .edge("c", "d").build());
}

BOOST_AUTO_TEST_CASE(a_graph_within_a_node_comes_back)
{
    const graph inner = graph_builder{"inner"}.state(number, words).node("x", [](node_context& ctx) {
        ctx.set(words, "inside");
    }).edge(weft::start, "x").build();
    comes_back(graph_builder{"outer"}.state(number, total, words).node("a", add_all).node("b", weft::subgraph{inner})
                   .node("c", add_all).edge(weft::start, "a").edge("a", "b").edge("b", "c").build());
}

BOOST_AUTO_TEST_CASE(a_reader_that_begins_in_the_middle_knows_no_values_until_a_join)
{
    const graph one =
        graph_builder{"one"}.state(number, total, words).node("one", add_all).edge(weft::start, "one").build();
    std::vector<std::string> stored;
    weft::run_request request{number, 1};
    request.on_event([&](const run_event& event) { stored.push_back(weft::stored_run_event(event)); });
    BOOST_TEST(weft::run_blocking(one, std::move(request)).ok());
    weft::stored_event_reader reader{one};
    for (std::size_t i = 1; i < stored.size(); ++i) BOOST_TEST(!reader.read(stored[i]).written);
}

BOOST_AUTO_TEST_CASE(what_a_newer_graph_does_not_have_is_passed_over)
{
    const graph newer = graph_builder{"newer"}.state(number).node("n", [](node_context&) {}).edge(weft::start, "n")
                            .build();
    weft::stored_event_reader reader{newer};
    const run_event begun =
        reader.read(R"({"sequence":1,"kind":"run_started","values":{"gone":[1],"number":7,"more":null}})");
    BOOST_TEST_REQUIRE(begun.written);
    BOOST_TEST(boost::json::serialize(begun.written->state().to_json()) == R"({"number":7})");
    const run_event written =
        reader.read(R"({"sequence":2,"kind":"state_written","node":"old","written":[["gone",1],["number","x"],[],3]})");
    BOOST_TEST(written.written->items().empty());
    BOOST_TEST(written.node == "old");
    for (const char* const wrong : {"", "[]", "{}", R"({"kind":"nonsense"})", R"({"kind":"output","visit":"x"})"})
        BOOST_CHECK_THROW((void)reader.read(wrong), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
