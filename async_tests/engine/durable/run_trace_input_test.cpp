#include <boost/test/unit_test.hpp>

#include "engine/durable/run_input.hpp"

#include <weft/engine/run_request.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(run_trace_input_test)

BOOST_AUTO_TEST_CASE(the_trace_of_a_run_is_kept_with_its_input)
{
    const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    weft::run_request first;
    first.trace(*weft::trace_context::read(parent, "vendor=1"));
    const std::string kept = weft::write_run_input(first);
    weft::run_request taken_over;
    weft::give_trace_of_input(kept, taken_over);
    BOOST_REQUIRE(taken_over.trace_of());
    BOOST_TEST(taken_over.trace_of()->parent == parent);
    BOOST_TEST(taken_over.trace_of()->state == "vendor=1");
    // A request that names a trace keeps it.
    weft::run_request own;
    own.trace(weft::trace_context::begun_by("k"));
    weft::give_trace_of_input(kept, own);
    BOOST_TEST(own.trace_of()->parent == weft::trace_context::begun_by("k").parent);
    weft::run_request none;
    weft::give_trace_of_input("", none);
    weft::give_trace_of_input(R"({"values":{"trace":"\"trace\""}})", none);
    BOOST_TEST(!none.trace_of());
}

BOOST_AUTO_TEST_SUITE_END()
