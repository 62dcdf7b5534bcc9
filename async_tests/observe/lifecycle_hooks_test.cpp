#include <boost/test/unit_test.hpp>

#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/observe/lifecycle_hooks.hpp>
#include <weft/testing/simulation.hpp>

#include <stdexcept>

using weft::lifecycle_moment;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(lifecycle_hooks_test)

namespace {

inline constexpr weft::state_key<std::string> life_word{"word"};

/** Hooks of every kind that write down what they are told. */
weft::lifecycle_hooks noting(std::string& seen, std::string name = {})
{
    const auto note = [&seen, name](std::string what) {
        return [&seen, name, what = std::move(what)](const lifecycle_moment& moment) {
            seen += name + what;
            if (!moment.text.empty()) seen += "(" + std::string{moment.text} + ")";
            seen += " ";
        };
    };
    weft::lifecycle_hooks hooks;
    hooks.on_start(note("start")).on_resume(note("resume")).on_end(note("end")).on_error(note("error"));
    hooks.on_interrupt(note("interrupt")).on_cancel(note("cancel")).on_state_update(note("update"));
    return hooks;
}

weft::graph life_of(std::string_view kind)
{
    weft::node_options pausing;
    if (kind == "pauses") pausing.pauses = weft::pause_point::before;
    return weft::graph_builder{"g"}
        .state(life_word)
        .node("n",
              [kind = std::string{kind}](weft::node_context& node) {
                  if (kind == "fails") throw std::runtime_error{"out of order"};
                  node.set(life_word, std::string{"x"});
              },
              pausing)
        .edge(weft::start, "n")
        .build();
}

weft::run_result run_it(const weft::graph& what, weft::run_request request)
{
    simulation sim{1};
    const weft::engine engine{what};
    return sim.run(engine.run(std::move(request)));
}

weft::task<bool> asks_node(weft::node_context& node)
{
    const bool is_good = co_await node.ask<bool>("Good?");
    co_return is_good;
}
weft::task<void> asking(weft::node_context& node)
{
    weft::task<bool> answer = asks_node(node);
    static_cast<void>(co_await std::move(answer));
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_12_hooks_are_told_of_the_life_of_a_run)
{
    std::string seen;
    const weft::lifecycle_hooks hooks = noting(seen);
    (void)run_it(life_of("works"), hooks.attach(weft::run_request{"t"}));
    BOOST_TEST(seen == "start update end ");
    seen.clear();
    (void)run_it(life_of("fails"), hooks.attach(weft::run_request{"t"}));
    BOOST_TEST(seen.starts_with("start error("));
    BOOST_TEST(seen.find("out of order") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(PYA_12_interrupts_and_resumes_are_told)
{
    std::string seen;
    const weft::lifecycle_hooks hooks = noting(seen);
    const weft::graph graph = life_of("pauses");
    const weft::run_result paused = run_it(graph, hooks.attach(weft::run_request{"t"}));
    BOOST_TEST(seen == "start interrupt ");
    seen.clear();
    (void)run_it(graph, hooks.attach(weft::run_request{"t"}.resume(paused.paused_at)));
    BOOST_TEST(seen == "resume update end ");
    seen.clear();
    const weft::graph asks = weft::graph_builder{"q"}.node("n", asking).edge(weft::start, "n").build();
    (void)run_it(asks, hooks.attach(weft::run_request{"t"}));
    BOOST_TEST(seen.find("interrupt(Good?) ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(PYA_12_a_cancelled_run_is_told)
{
    std::string seen;
    std::stop_source stop;
    stop.request_stop();
    const weft::lifecycle_hooks hooks = noting(seen);
    (void)run_it(life_of("works"), hooks.attach(weft::run_request{"t"}.stop(stop.get_token())));
    BOOST_TEST(seen == "start cancel ");
}

BOOST_AUTO_TEST_CASE(PYA_12_what_a_hook_throws_is_counted_and_the_next_is_called)
{
    std::string seen;
    weft::lifecycle_hooks hooks;
    hooks.on_start([](const lifecycle_moment&) { throw std::runtime_error{"hook"}; });
    hooks.on_start([&](const lifecycle_moment& moment) { seen += moment.thread; });
    const weft::run_result result = run_it(life_of("works"), hooks.attach(weft::run_request{"t-7"}));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(seen == "t-7");
    BOOST_TEST(hooks.failures() == 1u);
}

BOOST_AUTO_TEST_CASE(PYA_12_checkpoints_are_told_and_what_was_there_stays)
{
    int checkpoints = 0;
    int saves = 0;
    int events = 0;
    weft::lifecycle_hooks hooks;
    hooks.on_checkpoint([&](const lifecycle_moment& moment) { checkpoints += moment.where ? 1 : 100; });
    weft::run_options options;
    options.on_save([&](const weft::frontier&) { ++saves; });
    weft::run_request request{"t"};
    request.options(options).on_event([&](const weft::run_event&) { ++events; });
    const weft::graph two = weft::graph_builder{"two"}
                                .node("a", [] {})
                                .node("b", [] {})
                                .edge(weft::start, "a")
                                .edge("a", "b")
                                .build();
    (void)run_it(two, hooks.attach(std::move(request)));
    BOOST_TEST(saves > 0);
    BOOST_TEST(checkpoints == saves);
    BOOST_TEST(events > 3);
}

BOOST_AUTO_TEST_CASE(a_graph_inside_a_node_has_no_life_of_its_own)
{
    std::string seen;
    const weft::graph outer = weft::graph_builder{"outer"}
                                  .state(life_word)
                                  .node("in", weft::subgraph{life_of("works")})
                                  .edge(weft::start, "in")
                                  .build();
    (void)run_it(outer, noting(seen).attach(weft::run_request{"t"}));
    BOOST_TEST(seen == "start update update end ");
}

BOOST_AUTO_TEST_SUITE_END()
