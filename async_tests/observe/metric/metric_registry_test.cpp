#include <boost/test/unit_test.hpp>

#include <weft/observe/metric/metric_registry.hpp>

#include <string>
#include <thread>
#include <vector>

using weft::metric_format;
using weft::metric_kind;
using weft::metric_registry;

BOOST_AUTO_TEST_SUITE(metric_registry_test)

BOOST_AUTO_TEST_CASE(metrics_are_written_as_prometheus_reads_them)
{
    metric_registry registry;
    registry.family({"weft_runs", "Runs.", metric_kind::counter, {"graph"}}).at({"a\"\\\n"}).add(2);
    registry.family({"weft_lag_seconds", "Lag \"now\".", metric_kind::histogram, {}, {0.5, 1}}).at({}).observe(0.5);
    registry.family({"weft_lag_seconds", "", metric_kind::counter}).at({}).observe(7);
    registry.family({"weft_open", "Open.", metric_kind::gauge}).at({}).set(0.25);
    registry.family({"weft_unused", "No series.", metric_kind::gauge});
    const std::string histogram = "weft_lag_seconds_bucket{le=\"0.5\"} 1\n"
                                  "weft_lag_seconds_bucket{le=\"1.0\"} 1\n"
                                  "weft_lag_seconds_bucket{le=\"+Inf\"} 2\n"
                                  "weft_lag_seconds_sum 7.5\n"
                                  "weft_lag_seconds_count 2\n";
    BOOST_TEST(weft::metric_text(registry, metric_format::prometheus) ==
               "# HELP weft_runs_total Runs.\n"
               "# TYPE weft_runs_total counter\n"
               "weft_runs_total{graph=\"a\\\"\\\\\\n\"} 2\n"
               "# HELP weft_lag_seconds Lag \"now\".\n"
               "# TYPE weft_lag_seconds histogram\n" +
                   histogram +
                   "# HELP weft_open Open.\n"
                   "# TYPE weft_open gauge\n"
                   "weft_open 0.25\n");
    BOOST_TEST(weft::metric_text(registry, metric_format::openmetrics) ==
               "# HELP weft_runs Runs.\n"
               "# TYPE weft_runs counter\n"
               "weft_runs_total{graph=\"a\\\"\\\\\\n\"} 2\n"
               "# HELP weft_lag_seconds Lag \\\"now\\\".\n"
               "# TYPE weft_lag_seconds histogram\n"
               "# UNIT weft_lag_seconds seconds\n" +
                   histogram +
                   "# HELP weft_open Open.\n"
                   "# TYPE weft_open gauge\n"
                   "weft_open 0.25\n"
                   "# EOF\n");
}

BOOST_AUTO_TEST_CASE(series_beyond_the_bound_are_counted_together)
{
    metric_registry registry;
    weft::metric_family& family = registry.family({"weft_calls", "Calls.", metric_kind::counter, {"tool", "error"}});
    constexpr std::size_t most = weft::metric_family::series_max;
    for (std::size_t i = 0; i < most + 50; ++i) family.at({std::to_string(i), "x"}).add();
    family.at({"7", "x"}).add();
    BOOST_TEST(family.series().size() == most + 1);
    BOOST_TEST(family.at({"7", "x"}).value() == 2);
    BOOST_TEST(family.at({"9999", "x"}).value() == 50);
    BOOST_TEST(family.at({"9999", "x"}).values().front() == "other");
}

BOOST_AUTO_TEST_CASE(several_os_threads_make_and_count_the_same_series)
{
    metric_registry registry;
    weft::metric_family& family = registry.family({"weft_nodes", "Nodes.", metric_kind::counter, {"node"}});
    std::vector<std::jthread> counting;
    for (int i = 0; i < 4; ++i)
        counting.emplace_back([&family] {
            for (int j = 0; j < 5000; ++j) family.at({std::to_string(j % 150)}).add();
        });
    counting.clear();
    BOOST_TEST(family.series().size() == 150u);
    double sum = 0;
    for (const weft::metric_series* const one : family.series()) sum += one->value();
    BOOST_TEST(sum == 20'000);
}

BOOST_AUTO_TEST_CASE(the_process_says_what_it_uses)
{
    metric_registry registry;
    weft::note_process(registry);
    const std::string text = weft::metric_text(registry, weft::metric_format_for("text/plain, */*;q=0.1"));
    for (const char* const name : {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds ",
                                   "process_max_fds ", "process_start_time_seconds "})
        BOOST_TEST(text.find(std::string{"\n"} + name) != text.npos, name << text);
    BOOST_TEST(registry.family({"process_resident_memory_bytes", "", metric_kind::gauge}).at({}).value() > 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()
