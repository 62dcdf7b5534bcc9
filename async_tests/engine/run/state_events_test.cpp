#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/graph/state/written_values.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(state_events_test)

using weft::graph;
using weft::graph_builder;
using weft::node_context;
using weft::run_event;

inline constexpr weft::state_key<int> number{"number"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> words{"words"};

/** What a watcher is told of writes, a line for each. */
std::string told(const graph& what)
{
    std::string lines;
    weft::run_request request{number, 1};
    request.on_event([&lines](const run_event& event) {
        if (!event.written) return;
        lines += std::string{event.node} + ' ' + std::string{name_of(event.what)} + ' ' +
                 boost::json::serialize(event.written->writes()) + ' ' +
                 boost::json::serialize(event.written->state().to_json()) +
                 (event.written->is_in_branch() ? " in a branch\n" : "\n");
    });
    BOOST_TEST(weft::run_blocking(what, std::move(request)).ok());
    return lines;
}

BOOST_AUTO_TEST_CASE(a_watcher_sees_what_a_node_wrote_and_the_state_behind_it)
{
    const auto add = [](node_context& ctx) {
        ctx.set(number, ctx.get(number) + 1);
        ctx.set(words, "a");
        ctx.set(words, "b");
    };
    const graph two =
        graph_builder{"two"}.state(number, words).node("one", add).node("two", add).node("none", [](node_context&) {})
            .edge(weft::start, "one").edge("one", "two").edge("two", "none").build();
    BOOST_TEST(told(two) == R"( run_started {} {"number":1}
one state_written {"number":2,"words":["a","b"]} {"number":2,"words":["a","b"]}
two state_written {"number":3,"words":["a","b"]} {"number":3,"words":["a","b","a","b"]}
)");
}

BOOST_AUTO_TEST_CASE(a_branch_sees_its_own_writes_and_the_join_all)
{
    const auto say = [](std::string word) {
        return [word](node_context& ctx) { ctx.set(words, word); };
    };
    const graph fan = graph_builder{"fan"}
                          .state(number, words)
                          .node("split", [](node_context&) {})
                          .node("left", say("l"))
                          .node("right", say("r"))
                          .node("join", [](node_context&) {})
                          .edge(weft::start, "split")
                          .edge("split", "left")
                          .edge("split", "right")
                          .edge("left", "join")
                          .edge("right", "join")
                          .build();
    BOOST_TEST(told(fan) == R"( run_started {} {"number":1}
left state_written {"words":["l"]} {"number":1,"words":["l"]} in a branch
right state_written {"words":["r"]} {"number":1,"words":["r"]} in a branch
join branches_joined {} {"number":1,"words":["l","r"]}
)");
}

BOOST_AUTO_TEST_SUITE_END()
