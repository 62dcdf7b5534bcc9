#include "files.hpp"
#include "run/run_view.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <unistd.h>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(run_view_test)

namespace {

using kind = weft::run_event::kind;

weft::run_event event_of(kind what, std::chrono::milliseconds at, std::string_view node, std::string text = {})
{
    weft::run_event event;
    event.what = what;
    event.at = weft::time_point{} + at;
    event.node = node;
    event.visit = 1;
    event.attempt = 1;
    event.text = std::move(text);
    return event;
}

/** A view where there is no terminal, and all that it has said. */
struct plain_view {
    weft_cli::run_progress progress;
    weft_cli::run_view view{console::screen{-1}};
    std::string said;

    void take(const weft::run_event& event)
    {
        const auto* const visit = progress.take(event);
        said += view.tell(event, visit, progress);
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_terminal_lines_tell_of_beginnings_and_ends)
{
    plain_view shown;
    shown.take(event_of(kind::run_started, 0ms, ""));
    shown.take(event_of(kind::node_started, 100ms, "plan"));
    shown.take(event_of(kind::output, 200ms, "plan", "piece"));
    shown.take(event_of(kind::node_succeeded, 1'300ms, "plan"));
    BOOST_TEST(shown.said == "   [0.1 s]  plan                      started\n"
                             "   [1.3 s]  plan                      done after 1.2 s\n");
    BOOST_TEST(shown.view.draw(shown.progress, {}, "", {80, 24}) == "");
    BOOST_TEST(shown.progress.ended() == 1u);
    BOOST_TEST(shown.progress.open().empty());
}

BOOST_AUTO_TEST_CASE(failures_say_why_and_another_attempt_goes_on_with_the_visit)
{
    plain_view shown;
    shown.take(event_of(kind::node_started, 0ms, "a"));
    shown.take(event_of(kind::node_failed, 10ms, "a", "broken\x1b[31m\nbadly"));
    shown.take(event_of(kind::node_retried, 10ms, "a"));
    BOOST_REQUIRE(shown.progress.open().size() == 1u);
    BOOST_TEST(shown.progress.open()[0].phase_name() == "waiting");
    weft::run_event again = event_of(kind::node_started, 20ms, "a");
    again.attempt = 2;
    shown.take(again);
    BOOST_TEST(shown.progress.open()[0].title() == "a, attempt 2");
    shown.take(event_of(kind::node_failed, 30ms, "a", std::string{weft::run_event::stopped}));
    BOOST_TEST(has(shown.said, "failed after 10 ms: broken [31m badly\n"));
    BOOST_TEST(has(shown.said, "a, attempt 2              started\n"));
    BOOST_TEST(has(shown.said, "stopped after 30 ms\n"));
    BOOST_REQUIRE(shown.progress.stopped().size() == 1u);
    BOOST_TEST(shown.progress.ended() == 1u);
}

BOOST_AUTO_TEST_CASE(visits_within_nodes_and_in_branches_are_kept_apart)
{
    weft_cli::run_progress progress;
    for (const std::uint32_t visit : {1u, 2u}) {
        weft::run_event event = event_of(kind::node_started, 0ms, "x");
        event.address = "inner";
        event.address_visits = std::to_string(visit);
        progress.take(event);
        event.what = kind::output;
        event.text = "from " + event.address_visits;
        progress.take(event);
    }
    BOOST_REQUIRE(progress.open().size() == 2u);
    BOOST_TEST(progress.open()[0].tail == "from 1");
    BOOST_TEST(progress.open()[1].tail == "from 2");
    BOOST_TEST(progress.open()[1].title() == "inner/x");
}

BOOST_AUTO_TEST_CASE(what_was_spent_adds_up_and_what_was_retracted_is_gone)
{
    weft_cli::run_progress progress;
    progress.take(event_of(kind::node_started, 0ms, "a"));
    weft::run_event said = event_of(kind::output, 0ms, "a", "half a repl");
    progress.take(said);
    said.label = "retract";
    progress.take(said);
    BOOST_TEST(progress.open()[0].tail == "");
    said.label = "usage";
    said.text = R"({"input":5,"output":2})";
    progress.take(said);
    progress.take(said);
    BOOST_TEST(progress.spent().input.count() == 10);
    BOOST_TEST(progress.open()[0].tail == "");
    said.label = "turn_start";
    said.text = R"({"turn":1})";
    progress.take(said);
    BOOST_TEST(progress.open()[0].tail == "");
    said.label = "message_delta";
    said.text = "It rains.";
    progress.take(said);
    BOOST_TEST(progress.open()[0].tail == "It rains.");
}

BOOST_AUTO_TEST_CASE(texts_that_never_end_are_cut_at_the_front)
{
    weft_cli::run_progress progress;
    progress.take(event_of(kind::node_started, 0ms, "a"));
    for (int i = 0; i < 10'000; ++i) progress.take(event_of(kind::output, 0ms, "a", "word "));
    BOOST_TEST(progress.open()[0].tail.size() < 5'000u);
    BOOST_TEST(progress.open()[0].tail.ends_with("word "));
}

BOOST_AUTO_TEST_CASE(a_new_picture_is_drawn_over_the_old_one_below_what_stays)
{
    weft_cli::live_area area;
    BOOST_TEST(area.draw({}, {"one", "two"}, {80, 24}) == "\rone\x1b[K\ntwo\x1b[K\n\x1b[J");
    BOOST_TEST(area.draw({"stays"}, {"three"}, {80, 24}) == "\r\x1b[2Astays\x1b[K\nthree\x1b[K\n\x1b[J");
    BOOST_TEST(area.draw({}, {}, {80, 24}) == "\r\x1b[1A\x1b[J");
}

BOOST_AUTO_TEST_CASE(a_picture_keeps_to_the_height_and_knows_of_a_narrower_window)
{
    weft_cli::live_area area;
    BOOST_TEST(area.draw({}, {"1", "2", "3", "4"}, {80, 3}) == "\r3\x1b[K\n4\x1b[K\n\x1b[J");
    BOOST_TEST(area.draw({}, {"\x1b[32m12345678\x1b[0m"}, {80, 24}).starts_with("\r\x1b[2A"));
    BOOST_TEST(area.draw({}, {}, {4, 24}).starts_with("\r\x1b[2A"));
}

BOOST_AUTO_TEST_CASE(spans_are_written_for_people)
{
    BOOST_TEST(weft_cli::time_text(40ms) == "40 ms");
    BOOST_TEST(weft_cli::time_text(140ms) == "0.1 s");
    BOOST_TEST(weft_cli::time_text(12'340ms) == "12.3 s");
    BOOST_TEST(weft_cli::time_text(99'960ms) == "1 min 40 s");
    BOOST_TEST(weft_cli::time_text(245s) == "4 min 05 s");
}

BOOST_AUTO_TEST_SUITE_END()
