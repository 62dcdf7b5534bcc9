#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/graph/node/subgraph.hpp>

#include <stop_token>

using namespace weft_tests;
using weft::node_context;
using weft::run_event;
using weft::run_status;
using weft::write_set;

BOOST_AUTO_TEST_SUITE(amended_writes_test)

namespace {

/** Adds 1 to the first write, in so many turns of the loop. */
struct adder {
    int turns = 0;  ///< That were taken.
    std::vector<std::string> visits{};

    static void add(write_set& writes)
    {
        const auto before = weft::unboxed<std::int64_t>(*writes.front().value);
        writes.front().value = weft::make_box<std::int64_t>(before + 1);
    }
    weft::run_request::writes_function in(int most)
    {
        return [this, most](const run_event& visit, write_set& writes) -> weft::run_request::writes_rest {
            visits.push_back(visit.address.empty() ? std::string{visit.node} : visit.address + '/' +
                                                                                   std::string{visit.node});
            add(writes);
            if (most <= 1) return {};
            return [this, left = most - 1](write_set& all) mutable {
                ++turns;
                add(all);
                return --left == 0;
            };
        };
    }
};

weft::run_request watched(std::vector<std::string>& told, weft::run_request::writes_function amend)
{
    weft::run_request request;
    request.on_event([&told](const run_event& event) {
        if (event.what == run_event::kind::node_succeeded || event.what == run_event::kind::node_failed)
            told.push_back(std::string{event.node} + (event.what == run_event::kind::node_failed ? " failed" : ""));
    });
    request.amend_writes(std::move(amend));
    return request;
}

void write_plain(node_context& context) { context.set(value, 10); }

}  // namespace

BOOST_AUTO_TEST_CASE(writes_of_plain_nodes_and_coroutines_are_amended_in_one_turn_or_in_several)
{
    for (const int turns : {1, 2, 50}) {
        const weft::graph graph = empty_graph()
                                      .node("a", write_plain)
                                      .node("b", [](node_context& c) { c.set(other, c.get(value)); })
                                      .node("c", writes(1ms, 20))
                                      .edge(weft::start, "a")
                                      .edge("a", "b")
                                      .edge("b", "c")
                                      .build();
        adder adds;
        std::vector<std::string> told;
        const auto result = simulate(graph, watched(told, adds.in(turns)));
        BOOST_TEST((result.status == run_status::finished));
        // Who comes next sees what was amended, and is amended too.
        BOOST_TEST(result.state.get(other) == 10 + 2 * turns);
        BOOST_TEST(result.state.get(value) == 20 + turns);
        BOOST_TEST(result.state.get(total) == 1);
        BOOST_TEST(adds.turns == 3 * (turns - 1));
        BOOST_TEST(adds.visits == (std::vector<std::string>{"a", "b", "c"}), boost::test_tools::per_element());
        BOOST_TEST(told == (std::vector<std::string>{"a", "b", "c"}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(the_command_of_a_node_is_carried_out_when_its_writes_are_amended)
{
    const auto jumps = [] { return weft::command::go_to("c").set(value, 3); };
    const weft::graph graph = empty_graph()
                                  .node("a", jumps, {.goes_to = {"c"}})
                                  .node("b", [] {})
                                  .node("c", [] {})
                                  .edge(weft::start, "a")
                                  .edge("a", "b")
                                  .build();
    adder adds;
    std::vector<std::string> told;
    const auto result = simulate(graph, watched(told, adds.in(5)));
    BOOST_TEST(path_of(result) == "a c");
    BOOST_TEST(result.state.get(value) == 8);
}

BOOST_AUTO_TEST_CASE(other_branches_go_on_while_writes_are_amended)
{
    weft::testing::simulation sim{1};
    int turns_before = -1;
    adder adds;
    const weft::graph graph = empty_graph()
                                  .node("long", write_plain)
                                  .node("short", [&](node_context&) { turns_before = adds.turns; })
                                  .edge(weft::start, "long")
                                  .edge(weft::start, "short")
                                  .build();
    std::vector<std::string> told;
    const auto result = run_in(sim, graph, watched(told, adds.in(100)));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(turns_before < 99);
    BOOST_TEST(told == (std::vector<std::string>{"short", "long"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(writes_of_a_graph_within_a_node_are_amended_where_they_are_made)
{
    const weft::graph inner = empty_graph("inner").node("x", write_plain).edge(weft::start, "x").build();
    const weft::graph graph = empty_graph().node("a", weft::subgraph{inner}).edge(weft::start, "a").build();
    adder adds;
    std::vector<std::string> told;
    const auto result = simulate(graph, watched(told, adds.in(3)));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(value) == 16);
    BOOST_TEST(adds.visits == (std::vector<std::string>{"a/x", "a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stop_ends_what_amends)
{
    const weft::graph graph = empty_graph().node("a", write_plain).edge(weft::start, "a").build();
    adder adds;
    std::stop_source stop;
    std::vector<std::string> told;
    auto request = watched(told, [&](const run_event&, write_set&) -> weft::run_request::writes_rest {
        return [&](write_set&) {
            if (++adds.turns == 3) stop.request_stop();
            return false;  // never done
        };
    });
    request.stop(stop.get_token());
    const auto result = simulate(graph, std::move(request));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(adds.turns == 3);
    BOOST_TEST(!result.state.find(value));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_destroyed_takes_what_amends_along)
{
    const weft::graph graph = empty_graph().node("a", write_plain).edge(weft::start, "a").build();
    const auto alive = std::make_shared<int>(0);
    {
        weft::testing::simulation sim{1};
        std::vector<std::string> told;
        const weft::engine engine{graph};
        auto request = watched(told, [alive](const run_event&, write_set&) -> weft::run_request::writes_rest {
            return [alive](write_set&) { return false; };
        });
        weft::testing::simulation::root running{sim, engine.run(std::move(request))};
        for (int i = 0; i < 10; ++i) sim.step();
        BOOST_TEST(!running.has_ended());
        BOOST_TEST(alive.use_count() > 1);
    }
    BOOST_TEST(alive.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(an_exception_of_what_amends_fails_the_node_for_good)
{
    for (const bool is_late : {false, true}) {
        int visits = 0;
        weft::node_options patient;
        patient.retry.attempts_max = 3;
        const auto counts = [&visits](node_context& context) { ++visits, context.set(value, 1); };
        const weft::graph graph = empty_graph().node("a", counts, patient).edge(weft::start, "a").build();
        std::vector<std::string> told;
        auto request = watched(told, [is_late](const run_event&, write_set&) -> weft::run_request::writes_rest {
            if (!is_late) throw std::runtime_error{"no id"};
            return [](write_set&) -> bool { throw std::runtime_error{"no id"}; };
        });
        const auto result = simulate(graph, std::move(request));
        BOOST_TEST((result.status == run_status::failed));
        BOOST_TEST(result.message().find("no id") != std::string::npos, result.message());
        BOOST_TEST(visits == 1);
        BOOST_TEST(told == (std::vector<std::string>{"a failed"}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()
