#include "files.hpp"
#include "run/trace_text.hpp"

#include <weft/engine/trace/run_log.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <sstream>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(trace_text_test)

namespace {

/** A plan, two branches of which one fails once, and what comes after. The second part ends the run. */
const std::string first_part =
    R"({"kind":"run","format":1,"graph":"research","at":"2026-03-01T12:00:00Z"}
{"sequence":1,"kind":"run_started","ms":0.0}
{"sequence":2,"kind":"node_started","ms":0.0,"node":"plan","branch":0,"visit":1,"attempt":1}
{"sequence":3,"kind":"node_succeeded","ms":1000.0,"node":"plan","branch":0,"visit":1,"attempt":1}
{"sequence":4,"kind":"edge_taken","ms":1000.0,"source":"plan","node":"web","edge":1}
{"sequence":5,"kind":"edge_taken","ms":1000.0,"source":"plan","node":"papers","edge":2}
{"sequence":6,"kind":"branches_started","ms":1000.0,"node":"plan","number":2}
{"sequence":7,"kind":"node_started","ms":1000.0,"node":"web","branch":1,"visit":1,"attempt":1}
{"sequence":8,"kind":"node_started","ms":1000.0,"node":"papers","branch":2,"visit":1,"attempt":1}
{"sequence":9,"kind":"node_failed","ms":2000.0,"node":"web","branch":1,"visit":1,"attempt":1,"text":"\u001b[31mbusy"}
{"sequence":10,"kind":"node_retried","ms":2000.0,"node":"web","branch":1,"number":2}
{"sequence":11,"kind":"output","ms":2500.0,"node":"papers","visit":1,"attempt":1,"label":"usage","text":"{\"input\":7}"}
{"sequence":12,"kind":"node_succeeded","ms":3000.0,"node":"papers","branch":2,"visit":1,"attempt":1}
{"sequence":13,"kind":"branch_ended","ms":3000.0,"node":"papers","branch":2,"number":1}
{"sequence":14,"kind":"node_started","ms":3000.0,"node":"web","branch":1,"visit":1,"attempt":2}
)";
const std::string second_part =
    R"({"sequence":15,"kind":"node_succeeded","ms":5000.0,"node":"web","branch":1,"visit":1,"attempt":2}
{"sequence":16,"kind":"branch_ended","ms":5000.0,"node":"web","branch":1}
{"sequence":17,"kind":"branches_joined","ms":5000.0,"node":"__end__"}
{"sequence":18,"kind":"run_finished","ms":5000.0,"text":"finished"}
)";

std::string told(const std::string& lines, std::size_t columns = 80)
{
    std::istringstream from{lines};
    return weft_cli::trace_text(weft::trace_of(weft::read_run_log(from)), console::screen{-1}, columns);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_trace_tells_visits_failures_edges_and_the_critical_path)
{
    const std::string text = told(first_part + second_part);
    const std::string_view expected =
        R"(research, 2026-03-01T12:00:00Z: finished, 5.00 s, 3 visits, 1 retry, 7 tokens read and 0 written

  node    branch   start    time  tries  outcome
  plan         0    0 us  1.00 s      1  succeeded  ██████
  web          1  1.00 s  4.00 s      2  succeeded       ██████████████████████
  papers       2  1.00 s  2.00 s      1  succeeded       ████████████

Failures
  web, attempt 1:  [31mbusy

Edges taken
  plan -> web
  plan -> papers

Critical path
   20.0 %       1.00 s  plan
   20.0 %       1.00 s  web
   20.0 %       1.00 s  waiting for web
   40.0 %       2.00 s  web
)";
    BOOST_TEST(text == expected);
}

BOOST_AUTO_TEST_CASE(a_log_that_ends_early_is_told)
{
    const std::string text = told(first_part);
    BOOST_TEST(has(text, "research, 2026-03-01T12:00:00Z: the log ends before the run does, 3.00 s"), text);
    BOOST_TEST(has(text, "unfinished"));
}

BOOST_AUTO_TEST_CASE(lines_are_as_wide_as_they_may_be_and_bars_are_never_gone)
{
    for (const std::size_t columns : {0u, 20u, 60u, 200u}) {
        std::istringstream lines{told(first_part + second_part, columns)};
        for (std::string line; std::getline(lines, line);)
            if (line.find("█") != std::string::npos)
                BOOST_TEST(console::columns_of(line) <= std::max<std::size_t>(columns, 62));
    }
}

BOOST_AUTO_TEST_CASE(bars_stand_where_the_time_went)
{
    BOOST_TEST(weft_cli::time_bar(0, 1, 4) == "████");
    BOOST_TEST(weft_cli::time_bar(0.5, 0.75, 4) == "  █");
    BOOST_TEST(weft_cli::time_bar(1, 1, 4) == "   █");
    BOOST_TEST(weft_cli::time_bar(-3, 9, 2) == "██");
    BOOST_TEST(weft_cli::time_bar(0, 0, 1) == "█");
}

BOOST_AUTO_TEST_CASE(spans_have_the_unit_that_suits_them)
{
    BOOST_TEST(weft_cli::span_text(340us) == "340 us");
    BOOST_TEST(weft_cli::span_text(12'500us) == "12.5 ms");
    BOOST_TEST(weft_cli::span_text(3'200ms) == "3.20 s");
    BOOST_TEST(weft_cli::span_text(245s) == "4 min 05 s");
}

BOOST_AUTO_TEST_SUITE_END()
