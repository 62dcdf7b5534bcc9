#include "files.hpp"
#include "run/run_report.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/test/unit_test.hpp>

#include <csignal>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_report_test)

namespace {

constexpr weft::state_key<std::string> text{"text"};
constexpr weft::state_key<std::int64_t> kept{"kept"};

weft_cli::ended_run run_of(std::string written, bool fails = false)
{
    const auto graph = weft::graph_builder{"test"}.state(text, kept)
                           .node("a", [written, fails](weft::node_context& c) {
                               c.set(text, written);
                               if (fails) throw weft::error{weft::errc::model_unauthorized, "test"};
                           })
                           .edge(weft::start, "a")
                           .goal({.name = "short", .criteria = {{.id = "is_short", .is_met = [](const auto& s) {
                               return s.get(text).size() < 5;
                           }}}})
                           .build();
    weft_cli::ended_run ended;
    ended.result = weft::run_blocking(graph, weft::run_request{}.input(kept, 3));
    ended.before = {{"kept", 3}};
    return ended;
}

std::string text_of(const weft_cli::ended_run& run) { return result_text(run, console::screen{-1}); }

}  // namespace

BOOST_AUTO_TEST_CASE(people_are_told_what_changed_and_how_it_went)
{
    const std::string told = text_of(run_of("ok"));
    BOOST_TEST(has(told, "text      ok\n"), told);
    BOOST_TEST(has(told, "status    finished\n"));
    BOOST_TEST(has(told, "path      a\n"));
    BOOST_TEST(has(told, "goal      met, 100 % of the weight\n"));
    BOOST_TEST(has(told, "1 step\n"));
    BOOST_TEST(!has(told, "kept"));
    BOOST_TEST(!has(told, "tokens"));
}

BOOST_AUTO_TEST_CASE(a_goal_that_is_not_met_fails_only_if_that_is_asked_for)
{
    const weft_cli::ended_run run = run_of("too long");
    BOOST_TEST(has(text_of(run), "goal      not met, 0 % of the weight; not met: is_short\n"));
    BOOST_TEST(exit_code_of(run, false) == weft_cli::all_good);
    BOOST_TEST(exit_code_of(run, true) == weft_cli::has_failed);
    BOOST_TEST(exit_code_of(run_of("ok"), true) == weft_cli::all_good);
}

BOOST_AUTO_TEST_CASE(values_are_harmless_and_long_ones_are_cut)
{
    const std::string told = text_of(run_of("\x1b[2J" + std::string(700, 'x')));
    BOOST_TEST(!has(told, "\x1b"));
    BOOST_TEST(has(told, "x… (104 columns more; --json has all)"), told);
    BOOST_TEST(has(text_of(run_of("two\nlines")), "text      two\n          lines\n"));
}

BOOST_AUTO_TEST_CASE(the_last_line_of_a_log_has_everything)
{
    weft_cli::ended_run run = run_of("ok");
    run.spent.input = weft::tokens{5};
    const boost::json::object line = result_json(run);
    BOOST_TEST(line.at("kind") == "result");
    BOOST_TEST(line.at("status") == "finished");
    BOOST_TEST(line.at("quality") == "clean");
    BOOST_TEST(weft::to_json_text(line.at("state")) == R"({"text":"ok","kept":3})");
    BOOST_TEST(weft::to_json_text(line.at("path")) == R"(["a"])");
    BOOST_TEST(line.at("steps") == 1);
    BOOST_TEST(line.at("goal").at("met").as_bool());
    BOOST_TEST(line.at("usage").at("input") == 5);
    BOOST_TEST(!line.contains("error"));
}

BOOST_AUTO_TEST_CASE(a_failure_has_its_code_and_a_remedy)
{
    const weft_cli::ended_run run = run_of("x", true);
    BOOST_TEST(exit_code_of(run, false) == weft_cli::has_failed);
    const boost::json::object line = result_json(run);
    BOOST_TEST(line.at("error").at("code") == "model_unauthorized");
    BOOST_TEST(line.at("error").at("node") == "a");
    BOOST_TEST(has(weft_cli::remedy_for(run.result.why->code), "WEFT_LLM_API_KEY"));
    for (const weft::errc scheme : {weft::errc::tls_failed, weft::errc::connection_lost})
        BOOST_TEST(has(weft_cli::remedy_for(scheme), "others want http://"));
}

BOOST_AUTO_TEST_CASE(the_status_says_what_the_program_ends_with)
{
    weft_cli::ended_run run;
    run.result.status = weft::run_status::paused;
    BOOST_TEST(exit_code_of(run, false) == 3);
    run.result.status = weft::run_status::cancelled;
    run.signal = SIGINT;
    BOOST_TEST(exit_code_of(run, false) == 130);
    run.signal = SIGTERM;
    BOOST_TEST(exit_code_of(run, false) == 143);
    run.result.status = weft::run_status::finished;
    BOOST_TEST(exit_code_of(run, false) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
