#include <boost/test/unit_test.hpp>

#include "serve/metric_reading.hpp"
#include "serve/top_view.hpp"

#include <chrono>
#include <string>

BOOST_AUTO_TEST_SUITE(top_view_test)

using weft_cli::metric_reading;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(values_are_read_with_their_labels_and_the_rest_is_left_out)
{
    const metric_reading read = metric_reading::of("# HELP a Text.\n# TYPE a counter\n"
                                                   "a_total{node=\"x \\\"}\\\\\\n\",graph=\"g\"} 2.5\n"
                                                   "a_total{graph=\"g\"} 1e3\n"
                                                   "plain 7\nbroken{x=\"\n broken 2\nworse{} \n{} 3\n");
    BOOST_TEST(read.sum("a_total") == 1002.5);
    BOOST_TEST(read.sum("a_total", {{"node", "x \"}\\\n"}}) == 2.5);
    BOOST_TEST(read.sum("plain") == 7);
    BOOST_TEST(read.max("a_total", {{"graph", "g"}}) == 1000);
    BOOST_TEST(read.sum("broken") == 0);
    BOOST_TEST(read.all("a_total").size() == 2u);
}

BOOST_AUTO_TEST_CASE(several_processes_are_added_up_but_for_the_store_that_they_share)
{
    metric_reading all = metric_reading::of("weft_runs_open{graph=\"g\"} 2\nweft_workers{state=\"alive\"} 3\n");
    all.join(metric_reading::of("weft_runs_open{graph=\"g\"} 5\nweft_runs_open{graph=\"h\"} 1\n"
                                "weft_workers{state=\"alive\"} 3\n"));
    BOOST_TEST(all.sum("weft_runs_open") == 8);
    BOOST_TEST(all.sum("weft_workers") == 3);
}

BOOST_AUTO_TEST_CASE(a_page_shows_what_happened_between_two_readings)
{
    const metric_reading before =
        metric_reading::of("weft_runs_total{graph=\"g\",outcome=\"failed\"} 10\n"
                           "weft_node_seconds_count{graph=\"g\",node=\"n\"} 4\n"
                           "weft_node_seconds_sum{graph=\"g\",node=\"n\"} 4\n"
                           "weft_tokens_total{model=\"m\",kind=\"output\"} 1000\nprocess_cpu_seconds_total 9\n");
    const metric_reading now =
        metric_reading::of("weft_runs_total{graph=\"g\",outcome=\"failed\"} 14\nweft_runs_open{graph=\"g\"} 3\n"
                           "weft_node_seconds_count{graph=\"g\",node=\"n\"} 8\n"
                           "weft_node_seconds_sum{graph=\"g\",node=\"n\"} 6\n"
                           "weft_node_seconds_count{graph=\"g\",node=\"busy\"} 2\n"
                           "weft_node_seconds_sum{graph=\"g\",node=\"busy\"} 30\n"
                           "weft_node_seconds_count{graph=\"h\",node=\"idle\"} 0\n"
                           // A process that was started anew.
                           "weft_tokens_total{model=\"m\",kind=\"output\"} 400\nprocess_cpu_seconds_total 10\n");
    const std::string text = weft_cli::top_text(before, now, 2s, 10);
    for (const char* const part :
         {"runs    3 under way   2.0/s come to rest   2.0/s fail", "out 200/s", "CPU 50 %",
          "GRAPH  NODE  ATTEMPTS  MEAN    FAIL   AT WORK\n  g      busy  1.0/s     15.0 s  0.0/s  15.0\n"
          "  g      n     2.0/s     500 ms  0.0/s  1.0\n"})
        BOOST_TEST((text.find(part) != text.npos), part << " is not in\n" << text);
    BOOST_TEST(text.find("idle") == text.npos);
    BOOST_TEST(weft_cli::top_text(now, now, 2s, 10).find("No node has ended since.") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
