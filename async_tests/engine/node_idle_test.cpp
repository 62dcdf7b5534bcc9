#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

using namespace weft_tests;
using weft::node_context;

BOOST_AUTO_TEST_SUITE(node_idle_test)

namespace {

/** Says something each second, `times` times, and is silent for `silence` then. */
weft::task<void> say(node_context& context, int times, std::chrono::nanoseconds silence)
{
    for (int i = 0; i < times; ++i) {
        co_await weft::sleep_for(1s);
        context.emit("word");
    }
    co_await weft::sleep_for(silence);
}

auto says(int times, std::chrono::nanoseconds silence)
{
    return [times, silence](node_context& context) { return say(context, times, silence); };
}

weft::graph one(auto&& work, weft::node_options options = {.idle_max = 2s})
{
    return empty_graph().node("a", work, std::move(options)).edge(weft::start, "a").build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(P45_a_node_that_makes_no_progress_times_out)
{
    const auto result = simulate(one(says(3, 1h)));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST(result.message().find("idle_max") != std::string::npos);
    BOOST_TEST((result.elapsed == 5s));
}

BOOST_AUTO_TEST_CASE(P45_what_it_emits_is_progress_whether_it_is_watched_or_not)
{
    const auto graph = one(says(20, 1s));
    BOOST_TEST(simulate(graph).message() == "finished");
    BOOST_TEST(simulate(graph, weft::run_request{}.on_event([](const weft::run_event&) {})).message() == "finished");
}

BOOST_AUTO_TEST_CASE(P45_the_timeout_of_the_attempt_still_holds)
{
    const auto result = simulate(one(says(20, 1s), {.timeout = 4s, .idle_max = 2s}));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST((result.elapsed == 4s));
}

BOOST_AUTO_TEST_CASE(P45_each_attempt_begins_anew)
{
    int calls = 0;
    const auto work = [&calls](node_context& context) { return say(context, 0, ++calls == 1 ? 1h : 1s); };
    weft::node_options options = tries(2);
    options.idle_max = 2s;
    const auto result = simulate(one(work, options));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.elapsed == 4s));  // 2 s idle, 1 s until the retry, 1 s of work
}

BOOST_AUTO_TEST_CASE(P45_a_graph_within_the_node_makes_progress_when_it_moves)
{
    const auto inner = [](auto&& work) {
        return weft::subgraph{empty_graph("inner").node("x", sleeps(1500ms)).node("y", work).edge(weft::start, "x")
                                  .edge("x", "y").build()};
    };
    const auto outer = [](weft::subgraph what) {
        return empty_graph().node("in", std::move(what), {.idle_max = 2s}).edge(weft::start, "in").build();
    };
    BOOST_TEST(simulate(outer(inner(sleeps(1500ms)))).message() == "finished");
    BOOST_TEST(simulate(outer(inner(says(9, 1s)))).message() == "finished");
    BOOST_TEST((simulate(outer(inner(sleeps(3s)))).why->code == weft::errc::node_timeout));
}

BOOST_AUTO_TEST_CASE(P45_a_negative_one_is_a_mistake)
{
    const auto mistakes =
        std::get<1>(empty_graph().node("a", [] {}, {.idle_max = -1s}).edge(weft::start, "a").try_build());
    BOOST_REQUIRE_EQUAL(mistakes.size(), 1u);
    BOOST_TEST(mistakes[0].find("idle_max") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
