#include <boost/test/unit_test.hpp>

#include "agent/guards.hpp"

#include <weft/agent/guard/guarded_model.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::guard_verdict;
using weft::guardrails;
using weft::testing::scripted_turn;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(guarded_model_test)

namespace {

weft::chat_request saying(std::string text)
{
    weft::chat_request request;
    request.system("Be brief.").user(std::move(text));
    return request;
}

struct asked {
    std::optional<weft::chat_reply> reply;
    std::optional<weft::guard_trip> trip;
    std::string error;
    std::string heard;
    std::chrono::milliseconds elapsed{};

    [[nodiscard]] std::string text() const { return reply ? reply->message.text() : "nothing"; }
};

asked ask(const std::shared_ptr<weft::testing::scripted_model>& model, guardrails guards,
          weft::chat_request request = saying("Hello"))
{
    simulation sim{1};
    weft::guarded_model guarded{model, std::move(guards)};
    noting_sink sink{&sim};
    asked result;
    try {
        result.reply = sim.run(guarded.reply(std::move(request), sink));
    } catch (const weft::error& e) {
        result.error = e.what();
        if (const weft::guard_trip* const trip = weft::find_trip(std::current_exception())) result.trip = *trip;
    }
    result.heard = sink.heard;
    result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(sim.elapsed());
    return result;
}

std::shared_ptr<weft::testing::scripted_model> model_that(scripted_turn turn)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(std::move(turn));
    return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(guardrails_of_the_input_look_beside_the_call_and_hold_it_back)
{
    const auto model = model_that(scripted_turn{}.wait(100ms).text("Good ").wait(200ms).text("day.").wait(900ms));
    const auto seen = std::make_shared<std::vector<std::string>>();
    guardrails guards;
    guards.input = {guard_that("a", 500ms, guard_verdict::pass(), seen),
                    guard_that("b", 1s, guard_verdict::pass(), seen)};
    const asked result = ask(model, std::move(guards));
    BOOST_TEST(result.text() == "Good day.");
    BOOST_TEST(result.heard == "start@1000 'Good day.'@1000");
    BOOST_TEST(result.elapsed.count() == 1200);  // one after the other it would be 2,700
    const std::vector<std::string> expected{"a: Hello", "b: Hello"};
    BOOST_TEST(*seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(P50_a_guardrail_that_trips_stops_the_call_and_nothing_gets_out)
{
    const auto model = model_that(scripted_turn{}.call("delete_all").wait(10s).text("Done."));
    guardrails guards;
    guards.input = {guard_that("harm", 1s, guard_verdict::trip("wants harm")),
                    guard_that("slow", 5s, guard_verdict::trip("too late"))};
    const asked result = ask(model, std::move(guards));
    BOOST_REQUIRE(result.trip);
    BOOST_TEST(result.trip->guardrail == "harm");
    BOOST_TEST(result.trip->stage == weft::guard_stage::input);
    BOOST_TEST(result.trip->reason == "wants harm");
    BOOST_TEST(!result.trip->has_failed);
    BOOST_TEST(result.error == "scripted: a guardrail stopped the work: input guardrail 'harm': wants harm");
    BOOST_TEST(result.heard == "");
    BOOST_TEST(result.elapsed.count() == 1000);
    BOOST_TEST(model->requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_call_whose_guardrail_trips_at_once_is_not_made)
{
    const auto model = model_that(scripted_turn{"Hi"});
    guardrails guards;
    guards.input = {weft::make_guardrail("no", [](const weft::guard_subject&) { return guard_verdict::trip("no"); })};
    BOOST_TEST(ask(model, guards).trip->guardrail == "no");
    guards.input = {no_word("first", "Hello")};
    BOOST_TEST(ask(model, guards).trip->guardrail == "first");
    BOOST_TEST(model->requests().empty());
}

BOOST_AUTO_TEST_CASE(those_that_come_first_are_over_before_the_call_begins)
{
    const auto model = model_that(scripted_turn{}.wait(1s).text("Hi"));
    guardrails guards;
    guards.input = {guard_that("a", 1s, guard_verdict::pass()), guard_that("b", 1s, guard_verdict::pass())};
    for (weft::guardrail& guard : guards.input) guard.timing = weft::guard_timing::first;
    const asked result = ask(model, std::move(guards));
    BOOST_TEST(result.heard == "start@2000 'Hi'@3000");
}

BOOST_AUTO_TEST_CASE(a_check_that_fails_trips_unless_it_is_told_otherwise)
{
    const auto throws = [](const weft::guard_subject&) -> guard_verdict { throw std::runtime_error{"no line"}; };
    guardrails guards;
    guards.input = {weft::make_guardrail("broken", throws)};
    const asked closed = ask(model_that(scripted_turn{"Hi"}), guards);
    BOOST_REQUIRE(closed.trip);
    BOOST_TEST(closed.trip->has_failed);
    BOOST_TEST(closed.trip->reason == "no line");
    guards.input[0].on_failure = weft::guard_failure::pass;
    BOOST_TEST(ask(model_that(scripted_turn{"Hi"}), guards).text() == "Hi");
    guards.input = {guard_that("slow", 1h, guard_verdict::pass())};
    const asked late = ask(model_that(scripted_turn{}.wait(1min).text("Hi")), guards);
    BOOST_REQUIRE(late.trip);
    BOOST_TEST(late.trip->has_failed);
    BOOST_TEST(late.elapsed.count() == 10'000);
    guards.input[0].on_failure = weft::guard_failure::pass;
    BOOST_TEST(ask(model_that(scripted_turn{"Hi"}), guards).text() == "Hi");
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_ends_the_checks_with_its_own_error)
{
    guardrails guards;
    guards.input = {guard_that("slow", 5s, guard_verdict::trip("no"))};
    const asked result = ask(model_that(scripted_turn{}.wait(1s).fails(weft::errc::connection_lost)), guards);
    BOOST_TEST(!result.trip);
    BOOST_TEST(result.error.find("connection") != std::string::npos, result.error);
    BOOST_TEST(result.elapsed.count() == 1000);
}

BOOST_AUTO_TEST_CASE(a_turn_that_ends_with_results_of_tools_has_no_input)
{
    guardrails guards;
    guards.input = {guard_that("never", 0s, guard_verdict::trip("no"))};
    weft::chat_request request = saying("Look");
    request.add(weft::message::assistant("")).add(weft::message::tool_result("1", "rain"));
    BOOST_TEST(ask(model_that(scripted_turn{"It rains."}), guards, request).text() == "It rains.");
}

BOOST_AUTO_TEST_CASE(an_input_is_not_replaced)
{
    guardrails guards;
    guards.input = {masks("Hello")};
    const asked result = ask(model_that(scripted_turn{"Hi"}), guards);
    BOOST_REQUIRE(result.trip);
    BOOST_TEST(result.trip->has_failed);
    BOOST_TEST(result.trip->reason.find("let a node do that before") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_output_is_told_when_the_whole_has_passed)
{
    const auto turn = scripted_turn{}.text("The code ").wait(1s).text("is 1234.").call("note");
    guardrails guards;
    guards.output = {masks("1234"), guard_that("b", 2s, guard_verdict::pass())};
    const asked result = ask(model_that(turn), guards);
    BOOST_TEST(result.text() == "The code is ***.");
    BOOST_TEST(result.heard == "start@3000 'The code is ***.'@3000 call note@3000");
    guards.output[1] = guard_that("b", 2s, guard_verdict::trip("secret"));
    const asked tripped = ask(model_that(turn), guards);
    BOOST_REQUIRE(tripped.trip);
    BOOST_TEST(tripped.trip->stage == weft::guard_stage::output);
    BOOST_TEST(tripped.heard == "");
}

BOOST_AUTO_TEST_CASE(one_that_looks_beside_others_replaces_nothing)
{
    guardrails guards;
    guards.output = {masks("Hi")};
    guards.output[0].timing = weft::guard_timing::beside;
    BOOST_TEST(ask(model_that(scripted_turn{"Hi"}), guards).trip->has_failed);
}

BOOST_AUTO_TEST_CASE(pieces_get_out_as_they_pass_and_the_model_is_stopped_at_the_first_that_does_not)
{
    const auto turn =
        scripted_turn{}.text("One two ").wait(1s).text("three four ").wait(1s).text("bomb five ").wait(9s).text("six");
    guardrails guards;
    guards.output = {no_word("word", "bomb")};
    guards.release = weft::guard_release::pieces;
    guards.piece_bytes = 8;
    const asked result = ask(model_that(turn), guards);
    BOOST_REQUIRE(result.trip);
    BOOST_TEST(result.heard == "start@0 'One two '@0 'three '@1000 'four '@2000 retract@2000");
    BOOST_TEST(result.elapsed.count() == 2000);
    guards.output = {masks("two"), masks("bomb")};
    guards.output[1].name = "mask more";
    const asked masked = ask(model_that(turn), guards);
    BOOST_TEST(masked.text() == "One *** three four *** five six");
    BOOST_TEST(masked.heard == "start@0 'One *** '@0 'three '@1000 'four '@2000 '*** '@2000 'five six'@11000");
}

BOOST_AUTO_TEST_CASE(pieces_wait_for_the_input_too)
{
    guardrails guards;
    guards.input = {guard_that("a", 2s, guard_verdict::pass())};
    guards.output = {no_word("word", "bomb")};
    guards.release = weft::guard_release::pieces;
    guards.piece_bytes = 4;
    const asked result = ask(model_that(scripted_turn{}.text("One two ").wait(1s).text("three")), guards);
    BOOST_TEST(result.text() == "One two three");
    BOOST_TEST(result.heard == "start@2000 'One '@2000 'two '@2000 'three'@2000");
}

BOOST_AUTO_TEST_CASE(what_was_told_at_once_is_taken_back)
{
    guardrails guards;
    guards.output = {no_word("word", "bomb")};
    guards.release = weft::guard_release::at_once;
    const auto turn = scripted_turn{}.text("A bomb ").wait(1s).text("ticks.");
    BOOST_TEST(ask(model_that(turn), guards).heard == "start@0 'A bomb '@0 'ticks.'@1000 retract@1000");
    guards.output = {masks("bomb")};
    BOOST_TEST(ask(model_that(turn), guards).heard ==
               "start@0 'A bomb '@0 'ticks.'@1000 retract@1000 'A *** ticks.'@1000");
}

BOOST_AUTO_TEST_CASE(a_gated_call_takes_as_long_as_the_longer_of_both)
{
    guardrails guards;
    guards.input = {guard_that("a", 800ms, guard_verdict::pass())};
    const auto turn = scripted_turn{}.wait(1s).text("Hi");
    const auto beside = ask(model_that(turn), guards).elapsed;
    guards.input[0].timing = weft::guard_timing::first;
    const auto after = ask(model_that(turn), guards).elapsed;
    BOOST_TEST(beside.count() == 1000);
    BOOST_TEST(after.count() == 1800);
}

BOOST_AUTO_TEST_CASE(guardrails_that_cannot_be_told_apart_are_refused)
{
    const auto fault = [](guardrails guards) {
        try {
            weft::guarded_model made{model_that(scripted_turn{"x"}), std::move(guards)};
        } catch (const weft::error& e) {
            BOOST_TEST((e.code() == weft::errc::invalid_configuration));
            return e.detail();
        }
        return std::string{};
    };
    guardrails guards;
    guards.output = {no_word("a", "x"), no_word("a", "y")};
    BOOST_TEST(fault(guards) == "a guardrail of the stage output has the name of another: a");
    guards.output = {no_word("", "x")};
    BOOST_TEST(fault(guards) == "a guardrail of the stage output has no name");
    guards.output = {weft::guardrail{.name = "a"}};
    BOOST_TEST(fault(guards) == "a guardrail of the stage output has no check: a");
    guards.output.clear();
    guards.piece_bytes = 0;
    BOOST_TEST(fault(guards) == "piece_bytes is 0: a piece has at least one");
    guards.piece_bytes = 100;
    guards.held_bytes_max = 99;
    BOOST_TEST(fault(guards) == "");
    guards.release = weft::guard_release::pieces;
    BOOST_TEST(fault(guards) == "held_bytes_max is less than piece_bytes: no piece would ever be whole");
}

namespace {

weft::task<void> ask_with_everything(weft::guard_release release)
{
    const auto model = model_that(scripted_turn{}.text("One two ").wait(1s).text("three four ").wait(1s).text("five"));
    guardrails guards;
    guards.input = {guard_that("a", 500ms, guard_verdict::pass()), guard_that("b", 700ms, guard_verdict::pass())};
    guards.output = {guard_that("c", 100ms, guard_verdict::pass()), guard_that("d", 50ms, guard_verdict::pass())};
    guards.release = release;
    guards.piece_bytes = 6;
    weft::guarded_model guarded{model, std::move(guards)};
    noting_sink sink;
    weft::chat_request request = saying("Hello");
    const weft::chat_reply reply = co_await guarded.reply(std::move(request), sink);
    BOOST_REQUIRE(reply.message.text() == "One two three four five");
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    for (const auto release :
         {weft::guard_release::whole, weft::guard_release::pieces, weft::guard_release::at_once}) {
        const auto make = [release] { return ask_with_everything(release); };
        BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 5u);
        BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 5u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
