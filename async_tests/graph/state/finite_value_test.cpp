#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

#include <weft/engine/engine.hpp>
#include <weft/engine/run/spec_options.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/state/branch_state.hpp>
#include <weft/graph/state/finite_value.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/json/serialize.hpp>

#include <limits>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(finite_value_test)

namespace {

namespace json = boost::json;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr weft::state_key<double, weft::add> sum{"sum"};
constexpr weft::state_key<double> ratio{"ratio"};
constexpr weft::state_key<json::value> anything{"anything"};
constexpr weft::state_key<json::array, weft::append> list{"list"};
constexpr weft::state_key<double> scratch{"scratch", weft::transient};

std::shared_ptr<weft::state_layout> all_keys()
{
    auto keys = std::make_shared<weft::state_layout>();
    keys->add(sum);
    keys->add(ratio);
    keys->add(anything);
    keys->add(list);
    keys->add(scratch);
    return keys;
}

template <class T, class Key>
std::string refusal_of(const Key& key, T value)
{
    const auto keys = all_keys();
    try {
        weft::require_finite(weft::make_box<T>(std::move(value)), (*keys)[keys->find(key.name(), key.hash())], "n");
        return {};
    } catch (const weft::error& e) {
        return e.code() == weft::errc::state_conversion ? e.where() : "another code";
    }
}

weft::run_result run(const weft::graph& what, weft::run_request request = weft::run_request{})
{
    weft::testing::simulation sim{1};
    const weft::engine engine{what};
    return sim.run(engine.run(std::move(request)));
}

weft::run_result run_set(std::string_view type, std::string_view expression)
{
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text("'state': [{'name': 'z', 'type': '" + std::string{type} +
                  "'}], 'nodes': [{'name': 'n', 'kind': 'set', 'settings': {'expressions': {'z': '" +
                  std::string{expression} + "'}}}], 'edges': [{'from': '__start__', 'to': 'n'}]"),
        {});
    return run(loaded.what);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

weft::graph_builder builder()
{
    weft::graph_builder made{"g"};
    made.state(sum, ratio, anything, list, scratch);
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(W6_a_number_that_is_not_finite_is_named_with_node_key_and_path)
{
    BOOST_TEST(refusal_of(ratio, infinity) == "node 'n', key 'ratio'");
    BOOST_TEST(refusal_of(ratio, std::numeric_limits<double>::quiet_NaN()) == "node 'n', key 'ratio'");
    BOOST_TEST(refusal_of(ratio, std::numeric_limits<double>::max()) == "");
    BOOST_TEST(refusal_of(anything, json::value{1, {{"a b", -infinity}}}) ==
               "node 'n', key 'anything' at $[1][\"a b\"]");
    BOOST_TEST(refusal_of(anything, json::value(infinity)) == "node 'n', key 'anything'");
    BOOST_TEST(refusal_of(list, json::array{1, infinity}) == "node 'n', key 'list' at $[1]");
    BOOST_TEST(refusal_of(scratch, infinity) == "");
}

BOOST_AUTO_TEST_CASE(W6_a_node_that_writes_such_a_number_fails_and_leaves_nothing)
{
    for (const auto& [type, expression] : std::initializer_list<std::pair<const char*, const char*>>{
             {"number", "1e308 * 10"}, {"any", "1e308 * 10"}, {"any", "[1, 1e308 * 10]"}, {"list", "[1e308 * 10]"},
             {"list", "[[float(\\\"nan\\\")]]"}}) {
        const weft::run_result result = run_set(type, expression);
        BOOST_TEST((result.status == weft::run_status::failed), expression);
        BOOST_TEST_REQUIRE(result.why);
        BOOST_TEST((result.why->code == weft::errc::state_conversion), result.why->message);
        BOOST_TEST(result.why->node == "n");
        BOOST_TEST(has(result.why->message, "key 'z'"), result.why->message);
        BOOST_TEST(result.state.to_json().empty(), json::serialize(result.state.to_json()));
    }
    BOOST_TEST((run_set("any", "[1e308, -1e308]").status == weft::run_status::finished));
}

BOOST_AUTO_TEST_CASE(W6_such_a_node_is_tried_again_and_its_failure_edge_is_taken)
{
    int attempts = 0;
    const weft::graph again = builder()
                                  .node("n", [&](weft::node_context& context) {
                                      context.set(ratio, ++attempts == 1 ? infinity : 2.0);
                                  }, {.retry = {.attempts_max = 2}})
                                  .edge(weft::start, "n")
                                  .build();
    const weft::run_result mended = run(again);
    BOOST_TEST((mended.status == weft::run_status::finished), mended.message());
    BOOST_TEST(mended.state.get(ratio) == 2.0);
    const weft::graph plain = builder()
                                  .node("n", [](weft::node_context& context) { context.set(anything, infinity); })
                                  .node("m", [](weft::node_context& context) { context.set(ratio, 1.0); })
                                  .edge(weft::start, "n")
                                  .edge_on_failure("n", "m")
                                  .build();
    BOOST_TEST(run(plain).state.get(ratio) == 1.0);
}

BOOST_AUTO_TEST_CASE(W6_a_sum_beyond_the_largest_number_fails_the_node_or_the_join)
{
    const auto adds = [](double by) { return [by](weft::node_context& context) { context.set(sum, by); }; };
    const weft::graph in_a_row = builder().node("a", adds(1e308)).node("b", adds(1e308)).edge(weft::start, "a")
                                          .edge("a", "b").build();
    const weft::run_result row = run(in_a_row);
    BOOST_TEST((row.status == weft::run_status::failed));
    BOOST_TEST(row.why->node == "b");
    BOOST_TEST(row.state.get(sum) == 1e308);
    const weft::graph twice = builder().node("a", [](weft::node_context& context) {
                                           context.set(sum, 1e308);
                                           context.set(sum, 1e308);
                                       }).edge(weft::start, "a").build();
    BOOST_TEST((run(twice).status == weft::run_status::failed));
    BOOST_TEST(!run(twice).state.find(sum));
    const weft::graph side_by_side = builder()
                                         .node("s", [] {})
                                         .node("a", adds(1e308))
                                         .node("b", adds(1e308))
                                         .node("z", [] {})
                                         .edge(weft::start, "s")
                                         .edge("s", "a")
                                         .edge("s", "b")
                                         .edge("a", "z")
                                         .edge("b", "z")
                                         .build();
    const weft::run_result joined = run(side_by_side);
    BOOST_TEST((joined.status == weft::run_status::failed), joined.message());
    BOOST_TEST(has(joined.message(), "key 'sum'"), joined.message());
    BOOST_CHECK_NO_THROW((void)joined.state.to_json());
}

BOOST_AUTO_TEST_CASE(W6_input_with_such_a_number_is_refused)
{
    const weft::graph what = builder().node("n", [] {}).edge(weft::start, "n").build();
    const auto refused = [&](weft::run_request request) {
        const weft::run_result result = run(what, std::move(request));
        return (result.status == weft::run_status::failed ? "failed: " : "") + result.message();
    };
    const std::string of_json = refused(weft::run_request{}.input({{"anything", {{"a", infinity}}}}));
    BOOST_TEST(has(of_json, "failed: "), of_json);
    BOOST_TEST(has(of_json, "key 'anything' at $.a"), of_json);
    const std::string of_values = refused(weft::run_request{}.input(weft::state_update{}.set(ratio, infinity)));
    BOOST_TEST(has(of_values, "failed: "), of_values);
    BOOST_TEST(has(of_values, "key 'ratio'"), of_values);
    BOOST_TEST(has(refused(weft::run_request{}.input(weft::state_update{}.set(sum, -infinity))), "key 'sum'"));
}

BOOST_AUTO_TEST_CASE(W6_items_with_such_a_number_are_not_sent)
{
    const weft::graph what = builder()
                                 .node("n", [](weft::node_context&) {
                                     std::vector<weft::send> items;
                                     items.push_back(weft::send{"m"}.input(ratio, infinity));
                                     return weft::command::fan_out(std::move(items));
                                 }, {.goes_to = {"m"}})
                                 .node("m", [] {})
                                 .edge(weft::start, "n")
                                 .build();
    const weft::run_result result = run(what);
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST(has(result.message(), "key 'ratio'"), result.message());
}

BOOST_AUTO_TEST_CASE(W6_a_graph_file_with_such_a_number_is_a_mistake_with_its_place)
{
    const std::string text =
        spec_text("'state': [{'name': 'k', 'type': 'any', 'initial': [1, 1e999]}],\n"
                  "'nodes': [{'name': 'n', 'kind': 'set', 'settings': {'values': {'k': -1e999}}}],\n"
                  "'edges': [{'from': '__start__', 'to': 'n'}], 'limits': {'budget': {'usd': 1e999}}");
    const std::vector<std::string> found = mistakes_in(text);
    BOOST_TEST_REQUIRE(found.size() == 3U);
    BOOST_TEST(found[0] == "1:72 $.state[0].initial[1]: the number is too large: "
                        "the largest is 1.7976931348623157e308");
    BOOST_TEST(has(found[1], "2:69 $.nodes[0].settings.values.k: the number is too large"), found[1]);
    BOOST_TEST(has(found[2], "$.limits.budget.usd: the number is too large"), found[2]);
    weft::spec_reader_options yaml;
    yaml.format = weft::graph_file_format::yaml;
    const std::string with = "name: g\nstate: [{name: k, type: any, initial: .NaN}]\nnodes: [{name: n, kind: join}]\n"
                             "edges: [{from: __start__, to: n}]\n";
    BOOST_TEST(lacks(mistakes_in(with, {}, yaml), {"2:39 $.state[0].initial: '.nan' is no number here"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
