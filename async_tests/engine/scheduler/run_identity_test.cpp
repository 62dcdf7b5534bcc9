#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/engine/scheduler/run_identity.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <set>

using namespace weft_tests;
using weft::run_event;

BOOST_AUTO_TEST_SUITE(run_identity_test)

namespace {

weft::graph pausing()
{
    return empty_graph()
        .node("a", writes(1ms, 1), {.pauses = weft::pause_point::after})
        .node("b", writes(1ms, 2), {.pauses = weft::pause_point::after})
        .edge(weft::start, "a").edge("a", "b")
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(U2_11_the_ids_of_events_grow_over_the_resumes_of_a_run_and_its_own_id_stays)
{
    std::vector<run_event> events;
    const auto watch = [&events](const run_event& event) { events.push_back(event); };
    const weft::graph graph = pausing();
    weft::run_result result = simulate(graph, weft::run_request{}.on_event(watch));
    const weft::run_id id = result.id;
    int parts = 1;
    for (; result.status == weft::run_status::paused; ++parts)
        result = simulate(graph, weft::run_request{}.resume(result.paused_at).on_event(watch), 7);
    BOOST_TEST(parts == 3);
    BOOST_TEST((result.id == id));
    BOOST_TEST(!id.is_nil());
    std::uint64_t last = 0;
    for (const run_event& event : events) {
        BOOST_TEST((event.run == id));
        BOOST_TEST(event.id > last);
        last = event.id;
    }
    BOOST_TEST(events.front().id == 1u);
    BOOST_TEST(last < std::uint64_t{1} << 53);  // exact in every reader of JSON
}

BOOST_AUTO_TEST_CASE(U2_11_each_run_has_an_id_of_its_own_unless_it_is_given_one)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = empty_graph().node("a", [] {}).edge(weft::start, "a").build();
    std::set<weft::run_id> ids;
    for (int i = 0; i < 20; ++i) ids.insert(run_in(sim, graph).id);
    BOOST_TEST(ids.size() == 20u);
    const weft::run_id mine = *ids.begin();
    std::vector<std::uint64_t> seen;
    const auto named = run_in(sim, graph, weft::run_request{}.identity({mine, 3}).on_event([&](const run_event& event) {
        seen.push_back(event.id);
    }));
    BOOST_TEST((named.id == mine));
    BOOST_TEST(seen.front() == (std::uint64_t{2} << 32 | 1));
}

BOOST_AUTO_TEST_CASE(P46_both_attempts_of_a_node_that_is_a_graph_are_told_apart)
{
    int calls = 0;
    const auto work = [&calls](weft::node_context&) {
        if (++calls == 1) throw std::runtime_error{"once"};
    };
    const weft::graph inner = empty_graph("inner").node("x", work).edge(weft::start, "x").build();
    const weft::graph outer =
        empty_graph().node("in", weft::subgraph{inner}, tries(2)).edge(weft::start, "in").build();
    std::vector<std::string> lines;
    std::vector<std::string> attempts;
    (void)simulate(outer, weft::run_request{}.on_event([&](const run_event& event) {
        if (event.what != run_event::kind::node_started || event.node != "x") return;
        lines.push_back(to_line(event).substr(to_line(event).find(' ') + 1));
        attempts.push_back(event.address_visits + "." + event.address_attempts);
        const auto json = weft::to_json(event, event.at);
        BOOST_TEST(json.contains("address_attempts") == (event.address_attempts != "1"));
    }));
    const std::vector<std::string> expected{"node_started in in x visit 1 attempt 1",
                                            "node_started in in#1.2 x visit 1 attempt 1"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
    const std::vector<std::string> told{"1.1", "1.2"};
    BOOST_TEST(attempts == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
