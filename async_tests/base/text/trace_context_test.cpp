#include <boost/test/unit_test.hpp>

#include <weft/base/text/trace_context.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(trace_context_test)

using weft::trace_context;

namespace {

const std::string example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}  // namespace

BOOST_AUTO_TEST_CASE(headers_are_read_as_the_standard_says)
{
    const auto read = trace_context::read(example, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    BOOST_REQUIRE(read);
    BOOST_TEST(read->parent == example);
    BOOST_TEST(read->state == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    // Of a later version what this one knows.
    const auto later = trace_context::read("cc" + example.substr(2) + "-what", "");
    BOOST_REQUIRE(later);
    BOOST_TEST(later->parent == example);
    for (const std::string& wrong :
         {std::string{}, "ff" + example.substr(2), example + "-extra", example + "x", example.substr(0, 54),
          " " + example, std::string{"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"},
          std::string{"00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
          std::string{"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"}})
        BOOST_TEST(!trace_context::read(wrong, "a=b"), wrong);
}

BOOST_AUTO_TEST_CASE(a_state_that_is_too_long_is_left_out)
{
    std::string many = "a=1";
    for (int i = 0; i < 32; ++i) many += ",a=1";
    BOOST_TEST(trace_context::read(example, many)->state == "");
    BOOST_TEST(trace_context::read(example, std::string(513, 'a'))->state == "");
    BOOST_TEST(trace_context::read(example, "a=\r\nx: y")->state == "");
}

BOOST_AUTO_TEST_CASE(a_call_has_a_span_of_its_own_that_its_key_makes)
{
    const trace_context context = *trace_context::read(example, "");
    const std::string first = context.parent_of_call("a key");
    BOOST_TEST(first == context.parent_of_call("a key"));
    BOOST_TEST(first != context.parent_of_call("another key"));
    BOOST_TEST(first.substr(0, 36) == example.substr(0, 36));
    BOOST_TEST(trace_context::read(first, "").has_value());
    BOOST_TEST(context.parent_of_call("") == example);
}

BOOST_AUTO_TEST_CASE(a_trace_that_begins_with_a_call_has_the_name_of_its_key)
{
    const trace_context begun = trace_context::begun_by("01890a5d-ac96-774b-bcce-b302099a8057");
    BOOST_TEST(begun.parent.substr(3, 32) == "01890a5dac96774bbcceb302099a8057");
    BOOST_TEST(trace_context::read(begun.parent, "").has_value());
    BOOST_TEST(trace_context::read(trace_context::begun_by("no uuid").parent, "").has_value());
}

BOOST_AUTO_TEST_CASE(spans_follow_from_what_they_are_of)
{
    const auto caller = *trace_context::read(example, "a=b");
    const trace_context first = trace_context::of_run(&caller, "r", 1);
    BOOST_TEST(first.parent == trace_context::of_run(&caller, "r", 1).parent);
    BOOST_TEST(first.place().trace_high == 0x4bf92f3577b34da6u);
    BOOST_TEST(first.place().trace_low == 0xa3ce929d0e0e4736u);
    BOOST_TEST(first.place().span != caller.place().span);
    BOOST_TEST(first.place().span != trace_context::of_run(&caller, "r", 2).place().span);
    BOOST_TEST(first.state == "a=b");
    BOOST_TEST(first.within(0xabc).parent == "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000abc-01");
    // Without a caller the run names the trace, in all its parts.
    const std::string run = "01890a5d-ac96-774b-bcce-b302099a8057";
    BOOST_TEST(trace_context::of_run(nullptr, run, 1).parent.substr(3, 32) == "01890a5dac96774bbcceb302099a8057");
    BOOST_TEST(trace_context::of_run(nullptr, run, 2).place().trace_low ==
               trace_context::of_run(nullptr, run, 1).place().trace_low);
    BOOST_TEST(weft::span_within(1, "n", 1, 1) != weft::span_within(1, "n", 1, 2));
    BOOST_TEST(weft::span_within(1, "n", 1, 1) != weft::span_within(1, "n", 2, 1));
    BOOST_TEST(weft::span_within(1, "n", 1, 1) != weft::span_within(2, "n", 1, 1));
}

BOOST_AUTO_TEST_CASE(a_trace_without_a_parent_goes_along_with_nothing)
{
    const trace_context none;
    BOOST_TEST(none.parent_of_call("k") == "");
    BOOST_TEST(none.within(7).parent == "");
    BOOST_TEST(none.place().is_none());
    BOOST_TEST(!none.is_sampled());
    BOOST_TEST(trace_context::of_call(&none, "k").parent == trace_context::begun_by("k").parent);
    BOOST_TEST(trace_context::of_run_or_call(nullptr, "k")->parent == trace_context::begun_by("k").parent);
    trace_context some = trace_context::begun_by("k");
    BOOST_TEST(some.is_sampled());
    some.set_sampled(false);
    BOOST_TEST(!some.is_sampled());
    BOOST_TEST(some.parent.ends_with("-00"));
}

BOOST_AUTO_TEST_SUITE_END()
