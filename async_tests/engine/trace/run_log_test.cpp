#include <boost/test/unit_test.hpp>

#include "engine/run/run_logs.hpp"

#include <weft/base/random.hpp>
#include <weft/graph/node/subgraph.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_log_test)

namespace {

/** A run with everything in it: a fan-out, retries, a loop, a graph within a node, output. */
weft::graph rich_graph()
{
    auto inner = empty_graph("inner").node("x", sleeps(1s)).node("y", sleeps(2s)).edge(weft::start, "x").edge("x", "y");
    return empty_graph("rich")
        .node("a", [](weft::node_context& c) { c.emit("usage", R"({"input":3,"output":2})"); })
        .node("b", weft::subgraph{inner.build()})
        .node("c", fails(1s), tries(2))
        .node("j", [](weft::node_context& c) {
            c.emit("line\nfeed");
            return c.visit() < 2 ? weft::command::go_to("a") : weft::command::end();
        }, {.goes_to = {"a"}})
        .edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("b", "j").edge("c", "j")
        .fan_out("a", {.on_failure = weft::branch_policy::continue_others})
        .build();
}

void refuses(const std::string& lines, weft::errc code, std::string_view where, std::string_view detail = {},
             const weft::run_log_limits& limits = {})
{
    try {
        (void)read_lines(lines, limits);
        BOOST_ERROR("accepted: " + lines);
    } catch (const weft::error& e) {
        BOOST_TEST(name_of(e.code()) == name_of(code));
        BOOST_TEST(e.where() == where);
        BOOST_TEST(e.detail().find(detail) != std::string::npos, e.detail());
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back)
{
    const weft::graph graph = rich_graph();
    weft::run_log direct;
    weft::testing::simulation sim{1};
    const weft::time_point began = sim.loop().now();
    run_in(sim, graph, weft::run_request{}.on_event([&](const weft::run_event& e) { direct.add(e, began); }));
    const weft::run_log read = read_lines(log_lines(graph));
    BOOST_REQUIRE(read.header());
    BOOST_TEST(read.header()->graph == "rich");
    BOOST_TEST(read.header()->format == weft::run_log_format);
    BOOST_REQUIRE(read.events().size() == direct.events().size());
    BOOST_TEST(read.events().size() > 50u);
    for (std::size_t i = 0; i < read.events().size(); ++i) {
        const weft::run_event& r = read.events()[i];
        const weft::run_event& d = direct.events()[i];
        BOOST_TEST(to_line(r) == to_line(d));
        BOOST_TEST(weft::to_json_text(to_json(r, {})) == weft::to_json_text(to_json(d, {})));
        BOOST_TEST((r.at == d.at));
        BOOST_TEST(r.address_visits == d.address_visits);
    }
    BOOST_TEST(!read.breaks_off());
}

BOOST_AUTO_TEST_CASE(visits_tell_runs_of_one_inner_graph_apart)
{
    const weft::run_log read = read_lines(log_lines(rich_graph()));
    std::string visits;
    for (const weft::run_event& event : read.events())
        if (event.what == weft::run_event::kind::run_started) visits += event.address + event.address_visits + " ";
    BOOST_TEST(visits == " b1 b2 ");
}

BOOST_AUTO_TEST_CASE(a_log_that_was_moved_keeps_its_names)
{
    weft::run_log first = read_lines(log_lines(rich_graph()));
    const weft::run_log moved = std::move(first);
    BOOST_TEST(moved.events()[1].node == "a");
}

BOOST_AUTO_TEST_CASE(unknown_kinds_and_members_are_passed_over)
{
    const weft::run_log log = read_lines("\n{\"kind\":\"run\",\"colour\":7}\n"
                                         "{\"kind\":\"checkpoint_saved\",\"node\":3}\n"
                                         "{\"kind\":\"node_started\",\"node\":\"a\",\"mood\":[1]}\r\n"
                                         "{\"kind\":\"result\",\"status\":\"finished\"}");
    BOOST_TEST(log.skipped() == 1u);
    BOOST_REQUIRE(log.events().size() == 1u);
    BOOST_TEST(log.events()[0].node == "a");
    BOOST_REQUIRE(log.result());
    BOOST_TEST(log.result()->at("status") == "finished");
}

BOOST_AUTO_TEST_CASE(mistakes_name_their_line)
{
    const std::string good = "{\"kind\":\"run_started\"}\n";
    refuses("nonsense\n", weft::errc::invalid_json, "line 1", "column");
    refuses(good + "{\"kind\":\n" + good, weft::errc::invalid_json, "line 2");
    refuses(good + good + "[]\n", weft::errc::unexpected_json, "line 3", "expected an object");
    refuses("{}\n", weft::errc::unexpected_json, "line 1", "kind");
    refuses("{\"kind\":7}\n", weft::errc::unexpected_json, "line 1", "kind");
    refuses(good + "{\"kind\":\"node_started\",\"branch\":\"x\"}\n", weft::errc::unexpected_json, "line 2", "$.branch");
    refuses("{\"kind\":\"node_started\",\"visit\":-1}\n", weft::errc::unexpected_json, "line 1", "$.visit");
    refuses("{\"kind\":\"node_started\",\"ms\":-1}\n", weft::errc::unexpected_json, "line 1", "$.ms");
    refuses("{\"kind\":\"node_started\",\"ms\":1e13}\n", weft::errc::unexpected_json, "line 1", "$.ms");
    refuses(good + "{\"kind\":\"run\"}\n", weft::errc::unexpected_json, "line 2", "second run");
    refuses("{\"kind\":\"run\",\"format\":2}\n", weft::errc::unexpected_json, "line 1", "newer");
}

BOOST_AUTO_TEST_CASE(what_is_too_much_is_refused)
{
    const std::string good = "{\"kind\":\"run_started\"}\n";
    refuses(good + good, weft::errc::limit_reached, "line 2", "more than 1 events", {.events_max = 1});
    refuses(good + std::string(40, ' ') + "\n", weft::errc::limit_reached, "line 2", "30 bytes",
            {.line_bytes_max = 30});
    BOOST_TEST(read_lines(good, {.line_bytes_max = good.size() - 1, .events_max = 1}).events().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_last_line_that_breaks_off_is_told_not_refused)
{
    const std::string lines = log_lines(rich_graph());
    const weft::run_log whole = read_lines(lines);
    const weft::run_log cut = read_lines(lines.substr(0, lines.size() - 5));
    BOOST_TEST(cut.breaks_off());
    BOOST_TEST(cut.events().size() == whole.events().size() - 1);
    BOOST_TEST(!read_lines(lines.substr(0, lines.size() - 1)).breaks_off());
    refuses("{\"kind\":\"run_st", weft::errc::invalid_json, "line 1");
}

BOOST_AUTO_TEST_CASE(garbage_is_read_or_refused_and_does_no_harm)
{
    const std::string lines = log_lines(rich_graph());
    weft::random_source random{42};
    std::size_t refused = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string text = lines.substr(random.below(lines.size()), random.below(2000));
        for (std::uint64_t changes = random.below(8); changes > 0 && !text.empty(); --changes)
            text[random.below(text.size())] = static_cast<char>(random.below(256));
        try {
            (void)read_lines(text);
        } catch (const weft::error& e) {
            ++refused;
            BOOST_TEST(e.where().starts_with("line "));
        }
    }
    BOOST_TEST(refused > 500u);
    BOOST_TEST(refused < 2000u);
}

BOOST_AUTO_TEST_SUITE_END()
