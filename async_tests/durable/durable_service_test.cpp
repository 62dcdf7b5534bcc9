#include <boost/test/unit_test.hpp>

#include "store/sqlite_fixture.hpp"

#include <weft/asio.hpp>
#include <weft/async/on_pool.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/durable_service.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <mutex>
#include <set>
#include <thread>

using namespace std::chrono_literals;
using sqlite_tests::store_file;
using sqlite_tests::store_ptr;
using weft::durable_service;
using weft::errc;
using weft::run_result;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(durable_service_test)

namespace {

constexpr weft::state_key<std::int64_t> number{"number"};
constexpr weft::state_key<std::int64_t> doubled{"doubled"};
constexpr weft::state_key<std::string> verdict{"verdict"};

/** What the nodes of all services do, seen from outside. */
struct outside {
    std::atomic<int> begun{0};
    std::atomic<int> at_gate{0};
    std::atomic<int> ended{0};
    std::atomic<bool> is_open{true};  ///< Whether the second node may end.
    std::mutex lock;
    std::set<std::thread::id> threads;
};

weft::task<void> double_it(weft::node_context& ctx, std::shared_ptr<outside> world)
{
    {
        const std::lock_guard guard{world->lock};
        world->threads.insert(std::this_thread::get_id());
    }
    ++world->begun;
    co_await weft::sleep_for(1ms);
    ctx.set(doubled, 2 * ctx.get(number));
}

/** Goes on when it may, or is stopped. */
weft::task<void> wait_for_gate(weft::node_context&, std::shared_ptr<outside> world)
{
    ++world->at_gate;
    while (!world->is_open) co_await weft::sleep_for(1ms);
    ++world->ended;
}

std::shared_ptr<const weft::durable_graphs> chain(const std::shared_ptr<outside>& world)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"chain"}
                    .state(number, doubled)
                    .node("double", [world](weft::node_context& ctx) { return double_it(ctx, world); })
                    .node("gate", [world](weft::node_context& ctx) { return wait_for_gate(ctx, world); })
                    .edge(weft::start, "double")
                    .edge("double", "gate")
                    .build());
    return graphs;
}

weft::task<void> ask_person(weft::node_context& ctx)
{
    const std::string told = co_await ctx.ask<std::string>("Fine?");
    ctx.set(verdict, told);
}

std::shared_ptr<const weft::durable_graphs> question()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(
        weft::graph_builder{"question"}.state(verdict).node("ask", ask_person).edge(weft::start, "ask").build());
    return graphs;
}

weft::service_options two_cores()
{
    weft::service_options options;
    options.cores = 2;
    options.engine.poll_every = 5ms;
    return options;
}

std::future<run_result> hand_in(durable_service& service, const std::string& name, std::int64_t value)
{
    weft::run_request request{name};
    request.input(number, value);
    weft::durable_request once{std::move(request)};
    once.idempotent(name);
    return service.async_submit(std::move(once), boost::asio::use_future);
}

template <class T>
errc code_of(std::future<T> failing)
{
    try {
        failing.get();
    } catch (const weft::error& e) {
        return e.code();
    }
    throw std::runtime_error{"it did not fail"};
}

void wait_until(const std::atomic<int>& reaches, int count)
{
    while (reaches < count) std::this_thread::yield();
}

}  // namespace

BOOST_AUTO_TEST_CASE(requests_are_served_on_all_loops_and_each_gets_its_result)
{
    const auto world = std::make_shared<outside>();
    const store_file file{"service"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    durable_service service{*store, chain(world), two_cores()};
    std::vector<std::future<run_result>> results;
    for (int i = 0; i < 40; ++i) results.push_back(hand_in(service, "t" + std::to_string(i), i));
    for (int i = 0; i < 40; ++i) BOOST_TEST(results[static_cast<std::size_t>(i)].get().state.get(doubled) == 2 * i);
    BOOST_TEST(world->threads.size() == 2u);
    BOOST_TEST(service.under_way() == 0u);
    BOOST_TEST(hand_in(service, "t3", 3).get().state.get(doubled) == 6);
    BOOST_TEST(world->begun == 40);  // the second request of `t3` got the result of the first
    const weft::shutdown_report report = service.close();
    BOOST_TEST(report.is_clean());
    BOOST_TEST(report.stages.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_one_service_has_begun_the_next_one_goes_on_with_by_itself)
{
    const auto world = std::make_shared<outside>();
    const store_file file{"service-next"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    world->is_open = false;
    weft::service_options hasty = two_cores();
    hasty.shutdown.turns = 50ms;
    {
        durable_service first{*store, chain(world), hasty};
        std::vector<std::future<run_result>> results;
        for (int i = 0; i < 6; ++i) results.push_back(hand_in(first, "t" + std::to_string(i), i));
        wait_until(world->at_gate, 6);
        const weft::shutdown_report report = first.close();
        BOOST_TEST(report.left == 0u);
        BOOST_TEST(world->ended == 0);
    }
    world->is_open = true;
    durable_service second{*store, chain(world), two_cores()};
    wait_until(world->ended, 6);
    for (int i = 0; i < 6; ++i) {
        const weft::thread_key thread{"t" + std::to_string(i)};
        const run_result result = second.async_follow(thread, boost::asio::use_future).get();
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(result.state.get(doubled) == 2 * i);
    }
    BOOST_TEST(world->begun == 6);  // no completed node ran again
    BOOST_TEST(world->ended == 6);
}

BOOST_AUTO_TEST_CASE(more_requests_than_allowed_and_those_after_the_end_are_refused)
{
    const auto world = std::make_shared<outside>();
    weft::memory_store store;
    world->is_open = false;
    weft::service_options small = two_cores();
    small.requests_max = 2;
    durable_service service{store, chain(world), small};
    std::vector<std::future<run_result>> results;
    for (int i = 0; i < 2; ++i) results.push_back(hand_in(service, "t" + std::to_string(i), i));
    wait_until(world->begun, 2);
    BOOST_TEST(code_of(hand_in(service, "one too many", 0)) == errc::limit_reached);
    world->is_open = true;
    for (std::future<run_result>& each : results) BOOST_TEST((each.get().status == run_status::finished));
    service.close();
    BOOST_TEST(code_of(hand_in(service, "late", 0)) == errc::cancelled);
    BOOST_TEST(service.close().is_clean());
}

BOOST_AUTO_TEST_CASE(a_question_is_listed_answered_and_its_run_goes_on)
{
    weft::memory_store store;
    durable_service service{store, question(), two_cores()};
    const weft::thread_key thread{"t"};
    const run_result asked = service.async_submit(weft::durable_request{"t"}, boost::asio::use_future).get();
    BOOST_TEST((asked.status == run_status::paused));
    const auto open = service.async_questions(thread, boost::asio::use_future).get();
    BOOST_REQUIRE(open.size() == 1u);
    weft::question_answers wrong;
    wrong.emplace("ask#1/nothing", "x");
    BOOST_TEST(code_of(service.async_resume(thread, wrong, boost::asio::use_future)) == errc::unknown_question);
    weft::question_answers answers;
    answers.emplace(open[0].address, "yes");
    const run_result result = service.async_resume(thread, answers, boost::asio::use_future).get();
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(verdict) == "yes");
    BOOST_TEST(code_of(service.async_follow(weft::thread_key{"?"}, boost::asio::use_future)) ==
               errc::thread_not_found);
}

BOOST_AUTO_TEST_CASE(one_service_follows_and_stops_a_run_of_another_one_and_events_name_their_thread)
{
    const auto world = std::make_shared<outside>();
    weft::memory_store store;
    world->is_open = false;
    std::mutex lock;
    std::set<std::string> seen;
    weft::service_options watched = two_cores();
    watched.engine.heartbeat_every = 10ms;
    watched.engine.on_event = [&](const weft::thread_key& thread, const weft::run_event& event) {
        if (event.what != weft::run_event::kind::run_finished) return;
        const std::lock_guard guard{lock};
        seen.insert(thread.thread);
    };
    durable_service here{store, chain(world), watched};
    durable_service there{store, chain(world), two_cores()};
    std::future<run_result> running = hand_in(here, "t", 1);
    wait_until(world->begun, 1);
    std::future<run_result> followed = there.async_follow(weft::thread_key{"t"}, boost::asio::use_future);
    BOOST_TEST(there.async_stop(weft::thread_key{"t"}, boost::asio::use_future).get());
    BOOST_TEST((followed.get().status == run_status::cancelled));
    BOOST_TEST((running.get().status == run_status::cancelled));
    const std::lock_guard guard{lock};
    BOOST_TEST((seen == std::set<std::string>{"t"}));
}

BOOST_AUTO_TEST_CASE(a_signal_ends_the_service_in_order)
{
    const auto world = std::make_shared<outside>();
    weft::memory_store store;
    durable_service service{store, chain(world), two_cores()};
    std::future<weft::shutdown_report> ending =
        std::async(std::launch::async, [&service] { return service.run_until_signal(); });
    struct sigaction now {};
    do {
        std::this_thread::yield();
        ::sigaction(SIGTERM, nullptr, &now);
    } while (now.sa_handler == SIG_DFL);
    BOOST_TEST((hand_in(service, "t", 1).get().status == run_status::finished));
    ::kill(::getpid(), SIGTERM);
    BOOST_TEST(ending.get().is_clean());
    BOOST_TEST(code_of(hand_in(service, "late", 0)) == errc::cancelled);
}

namespace {

/** A store that takes no workers. */
class closed_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    using weft::worker_registry::enter;
    [[nodiscard]] weft::task<weft::worker_id> enter(weft::worker_entry) override
    {
        throw weft::error{errc::store_refused, "closed", "it takes no workers"};
        co_return weft::worker_id{};
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_store_that_refuses_is_told_by_the_constructor)
{
    weft::memory_store real;
    closed_store store{real};
    const auto make = [&store] { const durable_service service{store, question(), two_cores()}; };
    BOOST_CHECK_EXCEPTION(make(), weft::error, [](const weft::error& e) { return e.code() == errc::store_refused; });
}

BOOST_AUTO_TEST_CASE(an_engine_takes_requests_from_other_threads_once_it_is_open)
{
    weft::memory_store store;
    weft::runtime loops{1};
    weft::durable_engine durable{store, question()};
    const auto early = [&] { durable.async_run(weft::durable_request{"t"}, boost::asio::use_future); };
    BOOST_CHECK_EXCEPTION(early(), weft::error,
                          [](const weft::error& e) { return e.code() == errc::invalid_configuration; });
    weft::async_start(loops.loop(0), durable.open(), boost::asio::use_future).get();
    const run_result asked = durable.async_run(weft::durable_request{"t"}, boost::asio::use_future).get();
    BOOST_REQUIRE(asked.questions.size() == 1u);
    weft::question_answers answers;
    answers.emplace(asked.questions[0].address, "no");
    const run_result result =
        durable.async_resume(weft::thread_key{"t"}, answers, boost::asio::use_future).get();
    BOOST_TEST(result.state.get(verdict) == "no");
    weft::async_start(loops.loop(0), durable.close(), boost::asio::use_future).get();
}

BOOST_AUTO_TEST_SUITE_END()
