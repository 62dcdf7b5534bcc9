#include "serve/auth/caller_gate.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(caller_gate_test)

using namespace std::chrono_literals;
using weft::principal;
using weft::serve_detail::caller_gate;

const weft::time_point begin{1000s};

BOOST_AUTO_TEST_CASE(requests_come_as_fast_as_the_limit_says_for_each_caller_alone)
{
    caller_gate gate{{.requests_per_second = 2, .burst = 3}};
    const principal ann{.name = "ann", .tenant = "acme"};
    const principal bob{.name = "bob", .tenant = "acme"};
    for (int i = 0; i < 3; ++i) (void)gate.enter(ann, begin);
    BOOST_CHECK_EXCEPTION((void)gate.enter(ann, begin), weft::http_error, [](const weft::http_error& e) {
        return e.status() == 429 && e.headers().find("retry-after") == "1";
    });
    BOOST_CHECK_NO_THROW((void)gate.enter(bob, begin));
    BOOST_CHECK_NO_THROW((void)gate.enter(ann, begin + 500ms));
    BOOST_CHECK_THROW((void)gate.enter(ann, begin + 501ms), weft::http_error);
}

BOOST_AUTO_TEST_CASE(an_open_request_holds_its_place_until_it_ends)
{
    caller_gate gate{{.open_requests_max = 2}};
    const principal ann{.name = "ann"};
    caller_gate::pass first = gate.enter(ann, begin);
    const caller_gate::pass second = gate.enter(ann, begin);
    BOOST_CHECK_THROW((void)gate.enter(ann, begin), weft::http_error);
    first.reset();
    BOOST_CHECK_NO_THROW((void)gate.enter(ann, begin));
}

BOOST_AUTO_TEST_CASE(runs_are_counted_by_tenant)
{
    caller_gate gate{{.runs_max = 1}};
    caller_gate::pass run = gate.begin_run("acme");
    BOOST_CHECK_THROW((void)gate.begin_run("acme"), weft::http_error);
    BOOST_CHECK_NO_THROW((void)gate.begin_run("other"));
    run.reset();
    BOOST_CHECK_NO_THROW((void)gate.begin_run("acme"));
}

BOOST_AUTO_TEST_CASE(callers_that_are_idle_are_forgotten)
{
    caller_gate gate{{.requests_per_second = 1000, .burst = 1}};
    for (int i = 0; i < 100'000; ++i)
        (void)gate.enter({.name = std::to_string(i)}, begin + i * 1ms);
    BOOST_TEST(gate.callers() < 5000U);
}

BOOST_AUTO_TEST_SUITE_END()
