#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

using namespace weft_tests;
using std::chrono_literals::operator""s;

BOOST_AUTO_TEST_SUITE(graph_spec_hive_test)

namespace {

const weft::graph_node& node_of(const weft::loaded_graph& loaded, std::string_view name)
{
    return loaded.what.node(loaded.what.find(name));
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_1_the_defaults_of_hive_hold_where_a_file_asks_for_them)
{
    const std::string graph = "'nodes': [{'name': 'a', 'kind': 'join'}, {'name': 'b', 'kind': 'join', 'retry': "
                              "{'attempts_max': 1}}], 'edges': [{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': "
                              "'b'}], 'fan_outs': [{'from': 'b', 'branch_timeout': '7s'}]";
    const weft::loaded_graph hive = weft::load_graph(spec_text("'defaults': 'hive', " + graph), {});
    const weft::retry_policy& retry = node_of(hive, "a").options->retry;
    BOOST_TEST(retry.attempts_max == 3);
    BOOST_TEST((retry.delay_before(2, 0.5) == 1s));
    BOOST_TEST((retry.delay_before(3, 0.5) == 2s));
    BOOST_TEST((retry.delay_before(12, 0.5) == 1024s));
    BOOST_TEST(node_of(hive, "a").options->visits_max == 0u);
    BOOST_TEST(node_of(hive, "b").options->retry.attempts_max == 1);
    BOOST_TEST((node_of(hive, "a").fan_out.branch_timeout == 300s));
    BOOST_TEST((node_of(hive, "b").fan_out.branch_timeout == 7s));
    BOOST_TEST((node_of(hive, "a").fan_out.on_failure == weft::branch_policy::fail_all));
    BOOST_TEST((hive.what.conflict() == weft::conflict_strategy::last_wins));
    BOOST_TEST(weft::effective_steps_max(hive.spec).value() == 100u);

    const weft::loaded_graph own = weft::load_graph(spec_text(graph), {});
    BOOST_TEST(node_of(own, "a").options->retry.attempts_max == 1);
    BOOST_TEST((node_of(own, "a").fan_out.branch_timeout == 0s));
    BOOST_TEST(!weft::effective_steps_max(own.spec));
}

BOOST_AUTO_TEST_CASE(HIV_2_a_graph_that_does_not_hold_together_is_refused)
{
    const auto refused = [](std::string_view nodes, std::string_view edges, std::vector<std::string_view> parts) {
        return lacks(mistakes_in(spec_text("'nodes': [" + std::string{nodes} + "], 'edges': [" + std::string{edges} +
            "]")),
                     std::move(parts));
    };
    const std::string a = "{'name': 'a', 'kind': 'join'}";
    const std::string both = a + ", {'name': 'b', 'kind': 'join'}";
    // The entry node.
    BOOST_TEST(refused(a, "", {"$.edges: no edge begins at '__start__'"}) == "");
    BOOST_TEST(refused(a, "{'from': '__start__', 'to': 'a'}, {'from': '__start__', 'to': 'entry'}",
                       {"$.edges[1].to: there is no node 'entry'"}) == "");
    // The endpoints of edges, and where runs end.
    BOOST_TEST(refused(a, "{'from': '__start__', 'to': 'a'}, {'from': 'gone', 'to': 'a'}",
                       {"$.edges[1].from: there is no node 'gone'"}) == "");
    BOOST_TEST(refused(a, "{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'done'}",
                       {"$.edges[1].to: there is no node 'done'"}) == "");
    BOOST_TEST(refused(a, "{'from': '__start__', 'to': 'a'}, {'from': '__end__', 'to': 'a'}",
                       {"$.edges[1].from: nothing goes on at the end"}) == "");
    BOOST_TEST(refused(a, "{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': '__start__'}",
                       {"$.edges[1].to: nothing leads to the start"}) == "");
    // Nodes.
    BOOST_TEST(refused(both, "{'from': '__start__', 'to': 'a'}", {"$.nodes[1]: node 'b' is unreachable"}) == "");
    BOOST_TEST(refused(a + ", " + a, "{'from': '__start__', 'to': 'a'}",
        {"$.nodes[1].name: there is a node 'a' already"}) == "");
    BOOST_TEST(refused("{'name': '__end__', 'kind': 'join'}", "", {"$.nodes[0].name: '__end__' is reserved"}) == "");
    BOOST_TEST(refused("", "", {"the graph has no nodes"}) == "");
    // Every entry leads somewhere that is there, and a node where runs pause is one that they come to.
    BOOST_TEST(refused(both, "{'from': '__start__', 'to': 'a'}, {'from': '__start__', 'to': 'c', 'when': '1 == 1'}",
                       {"$.edges[1].to: there is no node 'c'"}) == "");
    const auto pausing = [](bool is_reached) {
        weft::graph_builder builder{"g"};
        builder.node("a", [] {}).node("p", [] {}, {.pauses = weft::pause_point::before}).edge(weft::start, "a");
        if (is_reached) builder.edge("a", "p");
        return builder.try_build();
    };
    BOOST_REQUIRE_EQUAL(pausing(false).index(), 1u);
    BOOST_TEST(std::get<1>(pausing(false))[0].find("node 'p' is unreachable") == 0u);
    BOOST_TEST(pausing(true).index() == 0u);
    // What a node's command may name makes it reachable.
    BOOST_TEST(mistakes_in(spec_text("'nodes': [{'name': 'a', 'kind': 'join', 'goes_to': ['b']}, {'name': 'b', 'kind': "
                                     "'join'}], 'edges': [{'from': '__start__', 'to': 'a'}]"))
                   .empty());
}

BOOST_AUTO_TEST_CASE(HIV_16_a_kind_that_tries_again_by_itself_runs_once)
{
    weft::node_registry registry;
    const auto make = [](weft::node_request&) { return weft::make_node_body([] {}); };
    registry.add_kind("event_loop", {make, true}).add_kind("plain", {make, false});
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text("'defaults': 'hive', 'nodes': [{'name': 'a', 'kind': 'event_loop', 'retry': {'attempts_max': 3}}, "
                  "{'name': 'b', 'kind': 'event_loop'}, {'name': 'c', 'kind': 'plain', 'retry': {'attempts_max': 3}}], "
                  "'edges': [{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'b'}, {'from': 'b', 'to': 'c'}]"),
        registry);
    BOOST_TEST(node_of(loaded, "a").options->retry.attempts_max == 1);
    BOOST_TEST(node_of(loaded, "b").options->retry.attempts_max == 1);
    BOOST_TEST(node_of(loaded, "c").options->retry.attempts_max == 3);
    BOOST_REQUIRE(loaded.warnings.size() == 1u);
    BOOST_TEST(loaded.warnings[0].find("node 'a': retry.attempts_max is taken as 1") == 0u);
}

BOOST_AUTO_TEST_CASE(kinds_of_a_program_read_their_settings_and_say_what_is_wrong)
{
    weft::node_registry registry;
    registry.add_kind("routes", {[](weft::node_request& request) -> std::shared_ptr<const weft::node_body> {
                                     const auto settings = request.settings<weft::router_settings>();
                                     if (!settings) return nullptr;
                                     if (settings->otherwise.empty()) request.mistake("otherwise", "is needed");
                                     request.warn("be careful");
                                     request.options().visits_max = 5;
                                     return weft::make_node_body([] {});
                                 },
                                 false});
    const auto text = [](std::string_view settings) {
        return spec_text("'nodes': [{'name': 'a', 'kind': 'routes', 'settings': {" + std::string{settings} +
                         "}}], 'edges': [{'from': '__start__', 'to': 'a'}]");
    };
    BOOST_TEST(lacks(mistakes_in(text(""), registry), {"$.nodes[0].settings: the member 'routes' is missing"}) == "");
    BOOST_TEST(lacks(mistakes_in(text("'routes': 3"), registry), {"$.nodes[0].settings.routes: expected an array"})
        == "");
    BOOST_TEST(lacks(mistakes_in(text("'routes': []"), registry), {"$.nodes[0].settings.otherwise: is needed"}) == "");
    const weft::loaded_graph loaded = weft::load_graph(text("'routes': [], 'otherwise': 'x'"), registry);
    BOOST_TEST(node_of(loaded, "a").options->visits_max == 5u);
    BOOST_TEST(loaded.warnings.at(0) == "node 'a': be careful");
    BOOST_CHECK_THROW(registry.add_kind("set", {}), weft::error);
    registry.add_kind("mute", {[](weft::node_request&) { return nullptr; }, false});
    BOOST_TEST(lacks(mistakes_in(spec_text("'nodes': [{'name': 'a', 'kind': 'mute'}], 'edges': []"), registry),
                     {"the kind 'mute' made nothing of it"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
