#include <boost/test/unit_test.hpp>

#include "durable_world.hpp"

#include <weft/async/join.hpp>
#include <weft/engine/durable_function.hpp>
#include <weft/engine/engine.hpp>

#include <stdexcept>

using namespace weft_tests;
using weft::durable_function;
using weft::errc;
using weft::function_context;
using weft::run_status;
using weft::task;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_function_test)

namespace {

/** What steps have done to the world: how often each key was used. A function's body is a plain function, so the
 *  cases reach it here; one case at a time. */
struct effects_seen {
    std::map<std::string, std::map<std::string, int>> keys_of;
    int failures_left = 0;
    int slow_left = 0;

    [[nodiscard]] int calls_of(const std::string& step) const
    {
        int all = 0;
        if (const auto found = keys_of.find(step); found != keys_of.end())
            for (const auto& [key, times] : found->second) all += times;
        return all;
    }
};
effects_seen seen;

task<std::int64_t> add_in_world(std::string step, std::string key, std::int64_t a, std::int64_t b)
{
    co_await weft::sleep_for(5ms);
    ++seen.keys_of[step][key];
    co_return a + b;
}

/** Three steps in a row, two of them in a loop under one name. */
task<std::int64_t> sum_up(function_context& ctx, std::vector<std::int64_t> numbers)
{
    std::int64_t sum = 0;
    for (const std::int64_t number : numbers) {
        const auto adding = [&](const weft::effect_context& effect) {
            return add_in_world("add", effect.key(), sum, number);
        };
        sum = co_await ctx.step("add", adding);
    }
    const auto twice = [&](const weft::effect_context& effect) {
        return add_in_world("twice", effect.key(), sum, sum);
    };
    co_return co_await ctx.step("twice", twice);
}
const durable_function<std::vector<std::int64_t>, std::int64_t> summing{"sum_up", sum_up};

weft::durable_request three_numbers() { return summing.request("t", {1, 2, 3}); }

std::int64_t refuse_at_first()
{
    ++seen.keys_of["flaky"][""];
    if (seen.failures_left-- > 0) throw std::runtime_error{"not yet"};
    return 7;
}

task<void> hang_at_first()
{
    ++seen.keys_of["slow"][""];
    if (seen.slow_left-- > 0) co_await weft::sleep_for(std::chrono::hours{1});
}

task<std::int64_t> be_careful(function_context& ctx, std::int64_t attempts)
{
    weft::step_options how;
    how.retry.attempts_max = static_cast<int>(attempts);
    how.retry.initial = 1s;
    how.retry.jitter = weft::jitter::none;
    how.timeout = 10s;
    const std::int64_t seven = co_await ctx.step("flaky", how, refuse_at_first);
    co_await ctx.step("slow", how, hang_at_first);
    co_return seven;
}
const durable_function<std::int64_t, std::int64_t> careful{"careful", be_careful};

task<std::string> ask_first(function_context& ctx, std::string name)
{
    const auto greet = [&name] {
        ++seen.keys_of["greet"][""];
        return "Hello " + name;
    };
    const std::string greeting = co_await ctx.step("greet", greet);
    const bool is_fine = co_await ctx.ask<bool>("Fine?");
    co_return is_fine ? greeting : std::string{"nothing"};
}
const durable_function<std::string, std::string> asking{"asking", ask_first};

task<std::int64_t> side_by_side(function_context& ctx, std::int64_t base)
{
    const auto left = [base] { return add_in_world("left", "", base, 1); };
    const auto right = [base] { return add_in_world("right", "", base, 2); };
    task<std::int64_t> first = ctx.step("left", left);
    task<std::int64_t> second = ctx.step("right", right);
    const auto [a, b] = co_await weft::join(std::move(first), std::move(second));
    co_return a * b;
}
const durable_function<std::int64_t, std::int64_t> parallel{"parallel", side_by_side};

struct world {
    world() { seen = {}; }
    simulation sim{1};
    weft::memory_store store{test_key()};
};

}  // namespace

BOOST_AUTO_TEST_CASE(M3_a_function_is_run_and_gives_its_result_with_and_without_a_store)
{
    world w;
    const auto graphs = graphs_of(summing.graph());
    const weft::run_result kept = w.sim.run(first_process(w.store, graphs, {}, three_numbers()));
    BOOST_TEST(summing.result(kept) == 12);
    BOOST_TEST(seen.keys_of["add"].size() == 3u);
    const weft::engine plain{summing.graph()};
    const weft::run_result free = w.sim.run(plain.run(three_numbers().request));
    BOOST_TEST(summing.result(free) == 12);
}

BOOST_AUTO_TEST_CASE(M3_killed_at_every_point_it_ends_the_same_and_no_kept_step_is_done_again)
{
    std::size_t moments = 0;
    {
        world w;
        w.sim.run(first_process(w.store, graphs_of(summing.graph()), {}, three_numbers()));
        moments = w.sim.steps();
    }
    std::size_t killed = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        world w;
        const auto graphs = graphs_of(summing.graph());
        auto result = run_for(w.sim, first_process(w.store, graphs, {}, three_numbers()), at);
        if (!result) {
            ++killed;
            w.sim.run(later_process(w.store, graphs, {}, three_numbers()));
        }
        // Between the deed and its record a process can die: then it is done again, under the same key.
        BOOST_TEST(seen.calls_of("add") + seen.calls_of("twice") <= 5);
        BOOST_TEST(seen.keys_of["add"].size() == 3u);
        BOOST_TEST(seen.keys_of["twice"].size() == 1u);
    }
    BOOST_TEST(killed >= 4u);  // in each step at least
}

BOOST_AUTO_TEST_CASE(M3_a_step_is_tried_again_and_timed_as_its_options_say)
{
    world w;
    seen.failures_left = 2;
    seen.slow_left = 1;
    const auto graphs = graphs_of(careful.graph());
    const weft::run_result result = w.sim.run(first_process(w.store, graphs, {}, careful.request("t", 3)));
    BOOST_TEST(careful.result(result) == 7);
    BOOST_TEST(seen.calls_of("flaky") == 3);
    BOOST_TEST(seen.calls_of("slow") == 2);
    BOOST_TEST((w.sim.elapsed() >= 1s + 2s + 10s + 1s));
    BOOST_TEST((w.sim.elapsed() < 15s));
}

BOOST_AUTO_TEST_CASE(M3_a_failure_says_which_function_and_why)
{
    world w;
    seen.failures_left = 5;
    const auto graphs = graphs_of(careful.graph());
    const weft::run_result result = w.sim.run(first_process(w.store, graphs, {}, careful.request("t", 2)));
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST(seen.calls_of("flaky") == 2);
    BOOST_CHECK_EXCEPTION(static_cast<void>(careful.result(result)), weft::error, [](const weft::error& e) {
        const std::string text = e.what();
        return e.code() == errc::node_failed && text.find("'careful'") != std::string::npos &&
               text.find("not yet") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(M3_a_question_waits_in_the_store_and_steps_above_it_are_not_done_again)
{
    world w;
    const auto graphs = graphs_of(asking.graph());
    const weft::run_result asked = w.sim.run(first_process(w.store, graphs, {}, asking.request("t", "Ada")));
    BOOST_REQUIRE(asked.questions.size() == 1u);
    BOOST_CHECK_EXCEPTION(static_cast<void>(asking.result(asked)), weft::error,
                          [](const weft::error& e) { return e.code() == errc::cancelled; });
    const auto answer_it = [](weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> all,
                              std::string address) -> task<weft::run_result> {
        weft::durable_engine durable{store, std::move(all)};
        co_await durable.open();
        weft::question_answers answers;
        answers.emplace(address, true);
        task<weft::run_result> resuming = durable.resume(weft::thread_key{"t"}, std::move(answers));
        weft::run_result result = co_await std::move(resuming);
        co_return result;
    };
    const weft::run_result result = w.sim.run(answer_it(w.store, graphs, asked.questions[0].address));
    BOOST_TEST(asking.result(result) == "Hello Ada");
    BOOST_TEST(seen.calls_of("greet") == 1);
}

BOOST_AUTO_TEST_CASE(M3_steps_run_side_by_side)
{
    world w;
    const auto graphs = graphs_of(parallel.graph());
    const weft::run_result result = w.sim.run(first_process(w.store, graphs, {}, parallel.request("t", 3)));
    BOOST_TEST(parallel.result(result) == 20);
    BOOST_TEST((w.sim.elapsed() < 10ms));
}

BOOST_AUTO_TEST_SUITE_END()
