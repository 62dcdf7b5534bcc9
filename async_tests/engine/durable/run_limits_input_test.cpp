#include <boost/test/unit_test.hpp>

#include "engine/durable/run_input.hpp"
#include "engine/durable/run_limits.hpp"

#include <weft/engine/run_request.hpp>

#include <boost/json/serialize.hpp>

#include <chrono>
#include <string>

BOOST_AUTO_TEST_SUITE(run_limits_input_test)

using namespace std::chrono_literals;

/** Each limit has a value that is not its default. */
weft::run_options unusual_limits()
{
    weft::run_reserve reserve;
    reserve.steps = 3;
    reserve.elapsed = 4s;
    weft::budget budget;
    budget.tokens = weft::tokens{100};
    budget.cost = weft::usd_micros{200};
    budget.model_calls = 5;
    budget.tool_calls = 6;
    budget.turns = 7;
    weft::run_options limits;
    limits.steps_max(11).in_a_row_max(12).in_flight_max(13).events_max(14).reserve(reserve).budget(budget);
    limits.at_limit(weft::step_limit_action::return_last).node_timeout(15s).elapsed_max(16s).stop_grace(17s);
    return limits.warn_blocked_after(18s);
}

BOOST_AUTO_TEST_CASE(each_number_of_the_limits_comes_back)
{
    const boost::json::object written = weft::written_limits(unusual_limits());
    const boost::json::object usual = weft::written_limits(weft::run_options{});
    for (const auto& [name, value] : written) {
        const boost::json::value* const by_default = usual.if_contains(name);
        BOOST_TEST((!by_default || *by_default != value), name);
    }
    const boost::json::object again = weft::written_limits(weft::read_limits(written, weft::run_options{}));
    BOOST_TEST(boost::json::serialize(again) == boost::json::serialize(written));
    BOOST_TEST(!weft::read_limits(usual, unusual_limits()).budget());
}

BOOST_AUTO_TEST_CASE(a_run_keeps_the_limits_of_its_request_and_one_without_has_those_of_its_graph)
{
    weft::run_request first{"t"};
    first.options(weft::run_options{}.steps_max(7)).saves_input();
    const std::string kept = weft::write_run_input(first);
    const weft::run_options of_graph = weft::run_options{}.steps_max(99).node_timeout(5s);
    weft::run_request taken_over;
    weft::give_limits_of_input(kept, of_graph, taken_over);
    BOOST_TEST(taken_over.limits().steps_max() == 7u);
    weft::run_request own;
    own.options(weft::run_options{}.steps_max(3));
    weft::give_limits_of_input(kept, of_graph, own);
    BOOST_TEST(own.limits().steps_max() == 3u);
    weft::run_request none;
    weft::give_limits_of_input(R"({"values":{"x":"\"limits\""}})", of_graph, none);
    BOOST_TEST(!none.has_options());
    weft::run_request plain{"t"};
    BOOST_TEST(weft::write_run_input(plain).empty());
}

BOOST_AUTO_TEST_SUITE_END()
