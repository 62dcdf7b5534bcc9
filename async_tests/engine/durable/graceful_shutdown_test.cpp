#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/durable/graceful_shutdown.hpp>

#include <stdexcept>

using namespace weft_tests;
using weft::graceful_shutdown;
using weft::run_status;
using weft::shutdown_report;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(graceful_shutdown_test)

namespace {

/** A run that a service has admitted. */
weft::task<void> serve_run(graceful_shutdown& shutdown, const weft::engine& engine, weft::run_result& into)
{
    std::optional<graceful_shutdown::turn> turn = shutdown.admit();
    BOOST_REQUIRE(turn.has_value());
    weft::task<weft::run_result> running = engine.run(shutdown.guard(weft::run_request{"t"}));
    into = co_await std::move(running);
}

weft::task<void> note_stage(std::string& order, std::string name)
{
    order += name + " ";
    co_await weft::sleep_for(1s);
}

weft::task<shutdown_report> shut_down_during(graceful_shutdown& shutdown, const weft::engine& engine,
                                             weft::run_result& into)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(serve_run(shutdown, engine, into));
    co_await weft::sleep_for(5ms);
    shutdown_report report = co_await shutdown.run();
    co_await children.join();
    co_return report;
}

weft::task<void> hang() { co_await weft::sleep_for(std::chrono::hours{1000}); }

/** a -> b, where `a` takes so long. */
weft::graph slow_chain(std::chrono::nanoseconds span)
{
    const auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"slow"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, span)).node("b", counts(begun, span));
    return builder.edge(weft::start, "a").edge("a", "b").build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_14_runs_come_to_the_end_of_their_node_and_pause_then_the_stages_follow_in_order)
{
    simulation sim{1};
    graceful_shutdown shutdown;
    std::string order;
    for (const char* const name : {"engine", "publisher", "store"})
        shutdown.add(name, [&order, name] { return note_stage(order, name); });
    const weft::engine engine{slow_chain(10s)};
    weft::run_result result;
    const shutdown_report report = sim.run(shut_down_during(shutdown, engine, result));
    BOOST_TEST((result.status == run_status::paused));
    BOOST_TEST(result.state.get(total) == 1);  // `a` was not cut short, `b` did not begin
    BOOST_TEST(order == "engine publisher store ");
    BOOST_TEST(report.is_clean());
    BOOST_TEST(report.paused_or_ended == 1u);
    BOOST_TEST((sim.elapsed() == 13s));
    BOOST_TEST(!shutdown.admit().has_value());
    const weft::run_result rest = sim.run(engine.run(weft::run_request{"t"}.resume(result.paused_at)));
    BOOST_TEST(rest.state.get(total) == 2);
}

BOOST_AUTO_TEST_CASE(PYA_14_a_node_that_takes_too_long_is_stopped)
{
    simulation sim{1};
    graceful_shutdown shutdown{{.turns = 3s, .stop = 2s}};
    const weft::engine engine{slow_chain(1h)};
    weft::run_result result;
    const shutdown_report report = sim.run(shut_down_during(shutdown, engine, result));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(report.stopped == 1u);
    BOOST_TEST(report.left == 0u);
    BOOST_TEST(!report.is_clean());
    BOOST_TEST((sim.elapsed() == 3s + 5ms));
}

BOOST_AUTO_TEST_CASE(PYA_14_a_stage_that_hangs_or_fails_does_not_keep_the_next_from_being_done)
{
    simulation sim{1};
    graceful_shutdown shutdown{{.stage = 4s}};
    std::string order;
    shutdown.add("hangs", hang);
    shutdown.add("fails", []() -> weft::task<void> { throw std::runtime_error{"no disk"}; });
    shutdown.add("works", [&order] { return note_stage(order, "works"); });
    const shutdown_report report = sim.run(shutdown.run());
    BOOST_REQUIRE(report.stages.size() == 3u);
    BOOST_TEST((report.stages[0].how == shutdown_report::outcome::timed_out));
    BOOST_TEST((report.stages[0].elapsed == 4s));
    BOOST_TEST((report.stages[1].how == shutdown_report::outcome::failed));
    BOOST_TEST(report.stages[1].error.find("no disk") != std::string::npos);
    BOOST_TEST((report.stages[2].how == shutdown_report::outcome::ended));
    BOOST_TEST(order == "works ");
    BOOST_TEST(!report.is_clean());
}

BOOST_AUTO_TEST_CASE(work_that_does_not_end_is_counted_and_left)
{
    simulation sim{1};
    graceful_shutdown shutdown{{.turns = 1s, .stop = 1s}};
    const std::optional<graceful_shutdown::turn> never_ends = shutdown.admit();
    const shutdown_report report = sim.run(shutdown.run());
    BOOST_TEST(report.left == 1u);
    BOOST_TEST(report.stopped == 0u);
    BOOST_TEST(shutdown.stop_token().stop_requested());
}

namespace {

weft::task<void> ask_person(weft::node_context& node)
{
    const bool is_good = co_await node.ask<bool>("Good?");
    node.set(total, is_good ? 7 : 1);
}

weft::task<void> serve_durably(graceful_shutdown& shutdown, weft::durable_engine& durable, weft::run_result& into)
{
    const std::optional<graceful_shutdown::turn> turn = shutdown.admit();
    weft::run_request request = shutdown.guard(weft::run_request{"t"}.on_questions(weft::interrupts::park));
    into = co_await durable.run(std::move(request));
}

weft::task<void> first_life(weft::memory_store& store, std::shared_ptr<const weft::durable_graphs> graphs)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::durable_engine durable{store, std::move(graphs)};
    co_await durable.open();
    graceful_shutdown shutdown;
    shutdown.add("engine", [&durable] { return durable.close(); });
    weft::run_result result;
    weft::scope children{context};
    children.spawn(serve_durably(shutdown, durable, result));
    co_await weft::sleep_for(1s);
    const shutdown_report report = co_await shutdown.run();
    co_await children.join();
    BOOST_TEST(report.is_clean());
    BOOST_TEST((result.status == run_status::paused));
}

weft::task<weft::run_result> second_life(weft::memory_store& store, std::shared_ptr<const weft::durable_graphs> graphs)
{
    weft::durable_engine durable{store, std::move(graphs)};
    co_await durable.open();
    const weft::thread_key key{"t"};
    const std::vector<weft::open_question> open = co_await durable.questions(key);
    BOOST_REQUIRE(open.size() == 1u);
    weft::question_answers answers;
    answers.emplace(open.front().address, true);
    weft::run_result result = co_await durable.resume(key, std::move(answers));
    co_return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_14_a_parked_run_is_kept_and_answered_in_the_next_life)
{
    simulation sim{1};
    weft::memory_store store{test_key()};
    weft::graph_builder builder{"asks"};
    builder.state(value, other, total, words);
    const auto graphs = graphs_of(builder.node("n", ask_person).edge(weft::start, "n").build());
    sim.run(first_life(store, graphs));
    const weft::run_result result = sim.run(second_life(store, graphs));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(result.state.get(total) == 7);
}

BOOST_AUTO_TEST_CASE(U2_a_guarded_request_is_stopped_by_its_own_token_too)
{
    for (const bool is_own : {true, false}) {
        graceful_shutdown shutdown;
        std::stop_source own;
        weft::run_request request =
            shutdown.guard(weft::run_request{"t"}.stop(own.get_token()).pause(own.get_token()));
        const weft::run_request copy = request;
        BOOST_TEST(!request.stop_token().stop_requested());
        if (is_own) own.request_stop();
        BOOST_TEST(request.stop_token().stop_requested() == is_own);
        BOOST_TEST(request.pause_token().stop_requested() == is_own);
        if (!is_own) {
            simulation sim{1};
            static_cast<void>(sim.run(shutdown.run()));
            BOOST_TEST(request.pause_token().stop_requested());
            BOOST_TEST(copy.pause_token().stop_requested());
            BOOST_TEST(!request.stop_token().stop_requested());  // no run had to be stopped
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
