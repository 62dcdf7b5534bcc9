#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <stop_token>
#include <utility>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_request_test)

namespace {

weft::graph adds_to_value()
{
    const auto add = [](weft::node_context& context) { context.set(total, context.get(value)); };
    return empty_graph().node("a", add).chain({weft::start, "a", weft::end}).build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_request_is_made_in_steps_or_in_one_expression)
{
    const weft::graph graph = adds_to_value();
    weft::run_request steps{"a thread"};
    steps.input(value, 2).input(total, 3);
    steps.options(weft::run_options{}.steps_max(1));
    const weft::run_request whole =
        weft::run_request{"a thread"}.input(value, 2).input(total, 3).options(weft::run_options{}.steps_max(1));
    for (const weft::run_request& request : {steps, whole}) {
        BOOST_TEST(request.thread() == "a thread");
        BOOST_TEST(request.limits().steps_max() == 1u);
        BOOST_TEST(simulate(graph, request).get(total) == 5);
    }
    BOOST_TEST(simulate(graph, {value, 4}).get(total) == 4);
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_request_is_changed_alone)
{
    weft::run_request first{value, 1};
    first.options(weft::run_options{}.steps_max(7));
    weft::run_request second = first.input(total, 10);
    second.input(value, 2).options(weft::run_options{}.steps_max(8));
    const weft::graph graph = adds_to_value();
    BOOST_TEST(first.limits().steps_max() == 7u);
    BOOST_TEST(simulate(graph, first).get(total) == 11);
    BOOST_TEST(simulate(graph, second).get(total) == 12);
    BOOST_TEST(simulate(graph, std::move(first)).get(total) == 11);
}

BOOST_AUTO_TEST_SUITE_END()
