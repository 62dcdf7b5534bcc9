#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/wait/local_rates.hpp>
#include <weft/model/decorator/rate_limiter.hpp>
#include <weft/testing/async_test_case.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

BOOST_AUTO_TEST_SUITE(shared_limits_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::rate_limiter;
using weft::task;
using weft::time_point;
namespace this_task = weft::this_task;

const weft::rate_limit_key key{"provider", "team", "model"};

/** Rates that may be away: then they refuse, or do not answer. */
class faulty_rates final : public weft::shared_rates {
public:
    enum class state { there, refuses, is_silent };

    task<weft::rate_standing> claim(weft::rate_claim what) override
    {
        ++claims;
        if (is == state::is_silent) co_await weft::sleep_for(1h);
        if (is != state::there) throw weft::error{errc::store_unavailable, "rates", "they are away"};
        co_return co_await inner_.claim(std::move(what));
    }

    state is = state::there;
    std::size_t claims = 0;

private:
    weft::local_rates inner_;
};

/** A call that has begun. */
struct begun {
    time_point at;
    int process;
    std::int64_t tokens;
};

rate_limiter process_on(const std::shared_ptr<weft::shared_rates>& rates, double requests, double tokens = 0)
{
    weft::rate_limiter_options options;
    options.limits.requests_per_minute = requests;
    options.limits.tokens_per_minute = tokens;
    rate_limiter limiter{options};
    limiter.share(rates);
    return limiter;
}

weft::rate_request request_for(std::int64_t tokens)
{
    weft::rate_request request;
    request.key = key;
    request.input = weft::tokens{tokens};
    request.output_max = weft::tokens{0};
    return request;
}

/** A call that takes `tokens`, and uses so many, or `used_up`. */
task<void> call(rate_limiter by, int process, std::int64_t tokens, std::vector<begun>& all,
                std::optional<std::int64_t> used_up = std::nullopt)
{
    weft::serial_loop& loop = co_await this_task::loop();
    rate_limiter::permit permit = co_await by.admit(request_for(tokens));
    all.push_back({loop.now(), process, tokens});
    permit.settle(used(used_up.value_or(tokens), 0), weft::rate_limits{});
    by.report(key, loop);
    co_await weft::sleep_for(1ms);  // others come when the rates know it
}

/** The most in any span of a minute, wherever it begins. */
template <class Amount>
std::int64_t most_in_a_minute(const std::vector<begun>& all, Amount amount)
{
    std::int64_t most = 0;
    std::int64_t sum = 0;
    for (std::size_t first = 0, next = 0; first < all.size(); ++first) {
        for (; next < all.size() && all[next].at - all[first].at < 60s; ++next) sum += amount(all[next]);
        most = std::max(most, sum);
        sum -= amount(all[first]);
    }
    return most;
}
std::int64_t most_calls(const std::vector<begun>& all)
{
    return most_in_a_minute(all, [](const begun&) { return 1; });
}
std::int64_t most_tokens(const std::vector<begun>& all)
{
    return most_in_a_minute(all, [](const begun& one) { return one.tokens; });
}

std::ptrdiff_t of_process(const std::vector<begun>& all, int process)
{
    return std::count_if(all.begin(), all.end(), [&](const begun& one) { return one.process == process; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_minute_holds_more_than_the_limit_whatever_is_claimed)
{
    using std::chrono::microseconds;
    std::mt19937 dice{7};
    for (const double limit : {1.0, 2.0, 7.0, 100.0, 1e5}) {
        for (const double headroom : {0.0, 0.02, 0.3}) {
            microseconds full{0};
            microseconds now{0};
            std::vector<std::pair<microseconds, double>> spent;
            for (int i = 0; i < 400; ++i) {
                now += microseconds{dice() % 4 == 0 ? dice() % 60'000'000 : 0};
                const double usual = std::max(1.0, limit / (1 + dice() % 100));
                const double amount = dice() % 9 == 0 ? limit : usual;
                const weft::rate_price price = weft::price_of(amount, limit, headroom);
                full = std::max(full, now) + price.cost;
                const microseconds begins = std::max(now, full - price.depth);
                // A slice may be spent late.
                spent.emplace_back(begins + microseconds{dice() % 1'000'000}, amount);
            }
            std::sort(spent.begin(), spent.end());
            for (std::size_t first = 0; first < spent.size(); ++first) {
                double sum = 0;
                for (auto next = spent.begin() + static_cast<std::ptrdiff_t>(first);
                     next != spent.end() && next->first - spent[first].first < 60s; ++next)
                    sum += next->second;
                BOOST_TEST_REQUIRE(sum <= limit * (1 + 1e-9), "limit " << limit << ", headroom " << headroom);
            }
        }
    }
}

WEFT_ASYNC_TEST_CASE(processes_keep_one_limit_together_and_take_turns)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<faulty_rates>();
    std::vector<begun> all;
    weft::scope children{context};
    for (int process = 0; process < 4; ++process) {
        const rate_limiter limiter = process_on(rates, 600);
        for (int i = 0; i < 300; ++i) children.spawn(call(limiter, process, 1, all));
    }
    co_await children.join();
    BOOST_TEST(all.size() == 1'200u);
    BOOST_TEST(most_calls(all) <= 600);
    BOOST_TEST((all.back().at - all.front().at <= 126s));  // two minutes of it
    const std::vector<begun> first_minutes(all.begin(), all.begin() + 800);
    for (int process = 0; process < 4; ++process) {
        BOOST_TEST(of_process(first_minutes, process) >= 180);
        BOOST_TEST(of_process(first_minutes, process) <= 220);
    }
    // Each asks about once a second.
    BOOST_TEST(rates->claims <= 4u * 170u);
}

WEFT_ASYNC_TEST_CASE(tokens_are_shared_too_and_a_large_call_gets_its_turn)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<weft::local_rates>();
    std::vector<begun> all;
    weft::scope children{context};
    for (int process = 0; process < 3; ++process) {
        const rate_limiter limiter = process_on(rates, 0, 60'000);
        for (int i = 0; i < 100; ++i) children.spawn(call(limiter, process, 100 + 14 * i, all));
        children.spawn(call(limiter, process, 20'000, all));
    }
    co_await children.join();
    BOOST_TEST(all.size() == 303u);
    BOOST_TEST(most_tokens(all) <= 60'000);
    BOOST_TEST((all.back().at - all.front().at <= 8min));  // 298,000 tokens in five minutes at best
}

WEFT_ASYNC_TEST_CASE(one_process_alone_has_all_of_the_limit_and_asks_little)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<faulty_rates>();
    std::vector<begun> all;
    {
        // Another one dies while its calls wait, with a slice in its hands.
        const rate_limiter dead = process_on(rates, 600);
        weft::scope dying{context, weft::failure_policy::keep_going};
        for (int i = 0; i < 500; ++i) dying.spawn(call(dead, 0, 1, all));
        co_await weft::sleep_for(20s);
        dying.request_stop();
        co_await dying.join();
    }
    const std::size_t claims = rates->claims;
    weft::serial_loop& loop = co_await this_task::loop();
    const time_point began = loop.now();
    const rate_limiter limiter = process_on(rates, 600);
    weft::scope children{context};
    for (int i = 0; i < 600; ++i) children.spawn(call(limiter, 1, 1, all));
    co_await children.join();
    BOOST_TEST(of_process(all, 1) == 600);
    BOOST_TEST((loop.now() - began <= 64s));  // a minute of it: the share of the dead one has come back
    BOOST_TEST(most_calls(all) <= 600);
    BOOST_TEST(rates->claims - claims <= 150u);
}

WEFT_ASYNC_TEST_CASE(a_refusal_that_one_process_meets_holds_all_of_them)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const auto rates = std::make_shared<weft::local_rates>();
    const rate_limiter first = process_on(rates, 600);
    const rate_limiter second = process_on(rates, 600);
    std::vector<begun> all;
    co_await call(second, 1, 1, all);
    rate_limiter::permit permit = co_await first.admit(request_for(1));
    const time_point refused = loop.now();
    permit.settle(status(429, 30s));
    first.report(key, loop);
    co_await weft::sleep_for(1ms);
    co_await call(second, 1, 1, all);
    BOOST_TEST((all.back().at - refused >= 30s));
    BOOST_TEST((all.back().at - refused <= 31s));
}

WEFT_ASYNC_TEST_CASE(a_call_does_not_wait_until_the_rates_know_what_it_has_used)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const auto rates = std::make_shared<faulty_rates>();
    const rate_limiter limiter = process_on(rates, 0, 60'000);
    rate_limiter::permit permit = co_await limiter.admit(request_for(100));
    const std::size_t before = rates->claims;
    rates->is = faulty_rates::state::refuses;
    permit.settle(used(30'000, 0), weft::rate_limits{});
    limiter.report(key, loop);
    BOOST_TEST(rates->claims == before);
    co_await weft::sleep_for(1ms);
    BOOST_TEST(rates->claims == before + 1);
}

WEFT_ASYNC_TEST_CASE(what_a_call_used_beyond_its_estimate_is_taken_from_all)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const auto rates = std::make_shared<weft::local_rates>();
    const rate_limiter first = process_on(rates, 0, 60'000);
    const rate_limiter second = process_on(rates, 0, 60'000);
    std::vector<begun> all;
    co_await call(first, 0, 100, all, 30'000);
    const time_point told = loop.now();
    co_await call(second, 1, 100, all);
    BOOST_TEST((all.back().at - told >= 28s));  // half of a minute's tokens, less what goes at once
    BOOST_TEST((all.back().at - told <= 32s));
}

WEFT_ASYNC_TEST_CASE(without_the_rates_each_process_goes_on_with_its_share)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<faulty_rates>();
    const rate_limiter first = process_on(rates, 600);
    const rate_limiter second = process_on(rates, 600);
    std::vector<begun> all;
    weft::scope children{context};
    for (int i = 0; i < 700; ++i) {
        children.spawn(call(first, 0, 1, all));
        children.spawn(call(second, 1, 1, all));
    }
    co_await weft::sleep_for(5s);
    rates->is = faulty_rates::state::refuses;
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    co_await weft::sleep_for(30s);
    rates->is = faulty_rates::state::is_silent;
    co_await weft::sleep_for(30s);
    const std::vector<begun> away(all.begin() + before, all.end());
    for (int process = 0; process < 2; ++process) {
        BOOST_TEST(of_process(away, process) >= 240);  // 300 in a minute
        BOOST_TEST(of_process(away, process) <= 310);
    }
    rates->is = faulty_rates::state::there;
    const std::size_t claims = rates->claims;
    co_await children.join();
    BOOST_TEST(all.size() == 1'400u);
    BOOST_TEST(most_calls(all) <= 600);
    BOOST_TEST(rates->claims > claims + 60);  // they share again
}

WEFT_ASYNC_TEST_CASE(rates_that_never_answered_leave_a_process_its_limit)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<faulty_rates>();
    rates->is = faulty_rates::state::refuses;
    const rate_limiter limiter = process_on(rates, 60);
    std::vector<begun> all;
    weft::scope children{context};
    for (int i = 0; i < 90; ++i) children.spawn(call(limiter, 0, 1, all));
    co_await children.join();
    BOOST_TEST(most_calls(all) <= 60);
    BOOST_TEST((all.back().at - all.front().at <= 100s));
}

WEFT_ASYNC_TEST_CASE(a_call_that_is_stopped_while_it_asks_leaves_the_asking_to_the_next_one)
{
    const weft::task_context& context = co_await this_task::context();
    const auto rates = std::make_shared<faulty_rates>();
    rates->is = faulty_rates::state::is_silent;
    const rate_limiter limiter = process_on(rates, 600);
    std::vector<begun> all;
    weft::scope stopped{context, weft::failure_policy::keep_going};
    stopped.spawn(call(limiter, 0, 1, all));
    weft::scope children{context};
    children.spawn(call(limiter, 1, 1, all));
    co_await weft::sleep_for(100ms);
    BOOST_TEST(rates->claims == 1u);
    rates->is = faulty_rates::state::there;
    stopped.request_stop();
    co_await stopped.join();
    co_await children.join();
    BOOST_TEST(all.size() == 1u);
    BOOST_TEST(of_process(all, 1) == 1);
    BOOST_TEST(limiter.waiting(key) == 0u);
    BOOST_TEST(limiter.in_flight(key) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
