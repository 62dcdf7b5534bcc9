#include <boost/test/unit_test.hpp>

#include <weft/model/decorator/rate_gate.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(rate_gate_test)

namespace {

using namespace std::chrono_literals;
using weft::model_rate_limits;
using weft::rate_gate;
using weft::time_point;

const time_point start{1h};

struct call : weft::rate_place {
    explicit call(std::string of = "", double amount = 0) : tenant{std::move(of)} { tokens = amount; }
    std::string tenant;
};

/** When each of many equal calls is served, each as early as possible; all end at once. */
std::vector<time_point> served_at(rate_gate& gate, int calls, double tokens, double used)
{
    std::deque<call> all;
    for (int i = 0; i < calls; ++i) gate.enter(all.emplace_back("", tokens), "", 1);
    std::vector<time_point> times;
    time_point now = start;
    while (const auto ready = gate.ready_at()) {
        now = std::max(now, *ready);
        while (gate.serve(now)) {
            times.push_back(now);
            gate.release();
            gate.correct(0, used - tokens, now);
        }
    }
    return times;
}

/** The most in any span of a minute. */
std::size_t most_in_a_minute(const std::vector<time_point>& times)
{
    std::size_t most = 0;
    for (std::size_t first = 0, next = 0; first < times.size(); ++first) {
        while (next < times.size() && times[next] - times[first] < 60s) ++next;
        most = std::max(most, next - first);
    }
    return most;
}

/** Who is served, when calls wait for each of some tenants all the time. */
std::map<std::string, int> shares(const std::map<std::string, double>& weights, int rounds,
                                  const std::map<std::string, double>& tokens)
{
    rate_gate gate{{.requests_per_minute = 1e6, .tokens_per_minute = 60'000}, start};
    std::deque<call> all;
    const auto join = [&](const std::string& tenant) {
        const auto size = tokens.find(tenant);
        gate.enter(all.emplace_back(tenant, size == tokens.end() ? 10 : size->second), tenant, weights.at(tenant));
    };
    for (const auto& [tenant, weight] : weights)
        for (int i = 0; i < 3; ++i) join(tenant);
    std::map<std::string, int> got;
    for (int round = 0; round < rounds; ++round) {
        auto* const served = static_cast<call*>(gate.serve(gate.ready_at().value()));
        gate.release();
        ++got[served->tenant];
        join(served->tenant);
    }
    return got;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_minute_holds_more_requests_than_the_limit_and_few_less)
{
    for (const double limit : {30.0, 60.0, 600.0, 3'500.0}) {
        rate_gate gate{{.requests_per_minute = limit}, start};
        const auto times = served_at(gate, static_cast<int>(limit) * 5, 0, 0);
        BOOST_TEST(static_cast<double>(most_in_a_minute(times)) <= limit);
        const double minutes = std::chrono::duration<double>(times.back() - times.front()).count() / 60;
        BOOST_TEST(static_cast<double>(times.size()) / minutes >= limit * 0.95);
    }
}

BOOST_AUTO_TEST_CASE(tokens_are_limited_by_what_was_really_used)
{
    for (const double estimate : {50.0, 100.0, 200.0}) {
        rate_gate gate{{.tokens_per_minute = 60'000}, start};
        const auto times = served_at(gate, 3'000, estimate, 100);
        BOOST_TEST(most_in_a_minute(times) <= 601U);
        BOOST_TEST((times.back() - times.front() < 330s));
    }
}

BOOST_AUTO_TEST_CASE(a_call_that_is_larger_than_the_bucket_waits_until_it_is_full)
{
    rate_gate gate{{.tokens_per_minute = 6'000}, start};
    call large{"", 3'000};
    call next{"", 10};
    gate.enter(large, "", 1);
    gate.enter(next, "", 1);
    BOOST_TEST(gate.serve(start) == &large);
    BOOST_TEST(!gate.serve(start));
    BOOST_TEST((*gate.ready_at() > start + 29s));
    BOOST_TEST((*gate.ready_at() < start + 31s));
}

BOOST_AUTO_TEST_CASE(only_so_many_are_in_flight)
{
    rate_gate gate{{.in_flight_max = 2}, start};
    std::deque<call> all(3);
    for (call& one : all) gate.enter(one, "", 1);
    BOOST_TEST(gate.serve(start));
    BOOST_TEST(gate.serve(start));
    BOOST_TEST(!gate.serve(start));
    BOOST_TEST(!gate.ready_at().has_value());
    gate.release();
    BOOST_TEST(gate.serve(start) == &all[2]);
}

BOOST_AUTO_TEST_CASE(tenants_get_shares_by_weight_whatever_the_size_of_their_calls)
{
    const auto equal = shares({{"a", 1}, {"b", 1}, {"c", 1}}, 300, {});
    for (const auto& [tenant, got] : equal) BOOST_TEST(got == 100, tenant << " got " << got);
    const auto weighted = shares({{"a", 1}, {"b", 3}}, 400, {});
    BOOST_TEST(weighted.at("a") == 100);
    BOOST_TEST(weighted.at("b") == 300);
    const auto sized = shares({{"large", 1}, {"small", 1}}, 1'100, {{"large", 100}, {"small", 10}});
    BOOST_TEST(sized.at("large") == 100);
}

BOOST_AUTO_TEST_CASE(a_new_tenant_does_not_wait_behind_the_line_of_another)
{
    rate_gate gate{{.requests_per_minute = 60}, start};
    std::deque<call> many;
    for (int i = 0; i < 100; ++i) gate.enter(many.emplace_back("many"), "many", 1);
    call one{"one"};
    for (int i = 0; i < 10; ++i) BOOST_TEST(gate.serve(start + 1min * (i + 1)));
    gate.enter(one, "one", 1);
    bool was_served = false;
    for (int i = 0; i < 2; ++i) was_served |= gate.serve(start + 1min * (i + 20)) == &one;
    BOOST_TEST(was_served);
}

BOOST_AUTO_TEST_CASE(who_leaves_holds_up_nobody)
{
    rate_gate gate{{.requests_per_minute = 60}, start};
    call a{"a"};
    call b{"b"};
    call c{"b"};
    gate.enter(a, "a", 1);
    gate.enter(b, "b", 1);
    gate.enter(c, "b", 1);
    gate.leave(a);
    gate.leave(b);
    BOOST_TEST(gate.waiting() == 1U);
    BOOST_TEST(gate.first() == &c);
    BOOST_TEST(gate.serve(start) == &c);
    BOOST_TEST(!gate.first());
}

BOOST_AUTO_TEST_CASE(a_pause_holds_and_is_never_shortened)
{
    rate_gate gate{{}, start};
    call one;
    gate.enter(one, "", 1);
    gate.pause_until(start + 10s);
    gate.pause_until(start + 5s);
    BOOST_TEST((gate.ready_at() == start + 10s));
    BOOST_TEST(!gate.serve(start + 9s));
    BOOST_TEST(gate.serve(start + 10s) == &one);
}

BOOST_AUTO_TEST_CASE(what_the_endpoint_reports_lowers_the_limit_and_what_is_left)
{
    rate_gate gate{{.requests_per_minute = 6'000}, start};
    weft::rate_limits reported;
    reported.requests.limit = 60;
    reported.requests.remaining = 0;
    gate.learn(reported, start);
    call one;
    gate.enter(one, "", 1);
    BOOST_TEST((*gate.ready_at() > start + 1s));
    BOOST_TEST((*gate.ready_at() < start + 1'100ms));
    reported.requests.limit = 1'000'000;  // more than was configured
    reported.requests.remaining = {};
    gate.learn(reported, start);
    rate_gate configured{{.requests_per_minute = 6'000}, start};
    BOOST_TEST(served_at(gate, 600, 0, 0).size() == 601U);
    BOOST_TEST(most_in_a_minute(served_at(gate, 12'000, 0, 0)) <= 6'000U);
}

BOOST_AUTO_TEST_CASE(limits_that_nobody_configured_are_learned)
{
    rate_gate gate{{}, start};
    BOOST_TEST(most_in_a_minute(served_at(gate, 1'000, 0, 0)) == 1'000U);
    weft::rate_limits reported;
    reported.requests.limit = 60;
    gate.learn(reported, start);
    BOOST_TEST(most_in_a_minute(served_at(gate, 200, 0, 0)) <= 60U);
}

BOOST_AUTO_TEST_SUITE_END()
