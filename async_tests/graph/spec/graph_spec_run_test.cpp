#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

#include <weft/engine/engine.hpp>
#include <weft/engine/run/spec_options.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_spec_run_test)

namespace {

weft::run_result run_loaded(const weft::loaded_graph& loaded, boost::json::object input = {})
{
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    return sim.run(engine.run(
        weft::run_request{}.input(std::move(input)).options(weft::run_options_of(loaded.spec))));
}
weft::run_result run_sample(const std::string& name, boost::json::object input = {})
{
    return run_loaded(weft::load_graph_file(graph_samples() / name, sample_registry()), std::move(input));
}
weft::run_result run_text(std::string_view members, const weft::node_registry& registry = {},
                          boost::json::object input = {})
{
    return run_loaded(weft::load_graph(spec_text(members), registry), std::move(input));
}
std::string path_of(const weft::run_result& result)
{
    std::string text;
    for (const std::string_view node : result.path()) text.append(text.empty() ? "" : " ").append(node);
    return text;
}
std::string text_at(const weft::run_result& result, std::string_view key)
{
    const boost::json::object values = result.state.to_json();
    const boost::json::value* const found = values.if_contains(key);
    return found ? boost::json::serialize(*found) : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_sample_greets)
{
    BOOST_TEST(text_at(run_sample("hello.json"), "text") == "\"Hello, world!\"");
    BOOST_TEST(text_at(run_sample("hello.json", {{"who", "Ada"}}), "text") == "\"Hello, Ada!\"");
}

BOOST_AUTO_TEST_CASE(a_router_takes_the_first_route_that_holds)
{
    BOOST_TEST(path_of(run_sample("triage.json", {{"request", "my invoice"}})) == "classify route billing");
    BOOST_TEST(path_of(run_sample("triage.json", {{"request", "an ERROR"}})) == "classify route technical");
    BOOST_TEST(path_of(run_sample("triage.json", {{"request", "hello"}})) == "classify route general");
    const auto fire = run_sample("triage.json", {{"request", "fire"}});
    BOOST_TEST(path_of(fire) == "classify route page");
    BOOST_TEST(text_at(fire, "log") == "[\"paged\"]");
}

BOOST_AUTO_TEST_CASE(cpp_functions_and_files_share_keys_by_name_and_type)
{
    const auto result = run_sample("review_loop.json", {{"topic", "rivers"}});
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(path_of(result) == "write judge count write judge count write judge count publish");
    BOOST_TEST(result.state.get(score_key) > 0.89);
    BOOST_TEST(text_at(result, "rounds") == "3");
    BOOST_TEST(result.state.get(remarks_key).size() == 3u);
}

BOOST_AUTO_TEST_CASE(inner_graphs_run_with_mapped_and_shared_keys)
{
    const auto result = run_sample("report.json", {{"topic", "rivers"}});
    BOOST_TEST((result.status == weft::run_status::finished));
    const std::string web = text_at(result, "web_summary");
    const std::string papers = text_at(result, "paper_summary");
    const std::string data = text_at(result, "data_summary");
    BOOST_TEST((web == "nothing") + (papers == "nothing") + (data == "nothing") <= 1);  // two of three are enough
    BOOST_TEST((web == "\"1 source\"" || papers == "\"1 source\""));
    BOOST_TEST(text_at(result, "reader") == "\"editor\"");  // no model is there to decide
    BOOST_TEST(text_at(result, "meta") == R"({"language":"en","topic":"rivers"})");
}

BOOST_AUTO_TEST_CASE(limits_of_the_file_hold_for_its_runs)
{
    const std::string loop = "'nodes': [{'name': 'a', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'a'}, "
                             "{'from': 'a', 'to': 'a'}]";
    const auto cut = run_text(loop + ", 'limits': {'steps_max': 7, 'at_limit': 'return_with_flag'}");
    BOOST_TEST(cut.was_cut_short);
    BOOST_TEST(cut.path().size() == 7u);
    const auto failed = run_text(loop + ", 'defaults': 'hive'");
    BOOST_TEST((failed.why->code == weft::errc::steps_exceeded));
    BOOST_TEST(failed.path().size() == 100u);
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_its_key_fails_the_node)
{
    const auto result = run_text("'state': [{'name': 'n', 'type': 'integer'}], 'nodes': [{'name': 'a', 'kind': 'set', "
                                 "'settings': {'expressions': {'n': '1 / 2'}}}], 'edges': [{'from': '__start__', 'to': "
                                 "'a'}]");
    BOOST_TEST((result.why->code == weft::errc::state_conversion));
    BOOST_TEST(result.message().find("key 'n'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_9_mapped_values_in_a_file)
{
    const auto run_with = [](std::string_view map, boost::json::object input) {
        return run_text("'state': [{'name': 'a', 'type': 'string'}, {'name': 'b', 'type': 'string'}], 'nodes': "
                        "[{'name': 'x', 'kind': 'set', 'settings': {'values': {'a': 'output'}}}, {'name': 'y', 'kind': "
                        "'join'}], 'edges': [{'from': '__start__', 'to': 'x'}, {'from': 'x', 'to': 'y'" +
                            std::string{map} + "}]",
                        {}, std::move(input));
    };
    BOOST_TEST(text_at(run_with(", 'map': {'b': 'a'}", {{"a", "memory"}}), "b") == "\"output\"");
    BOOST_TEST(text_at(run_with(", 'map': {'a': 'b'}", {}), "a") == "\"output\"");  // b is missing: skipped
    BOOST_TEST(text_at(run_with("", {{"b", "memory"}}), "b") == "\"memory\"");      // no mapping: all is there
}

BOOST_AUTO_TEST_CASE(conditions_of_a_file_see_what_the_node_wrote)
{
    const auto path_with = [](std::string_view when) {
        return path_of(run_text("'state': [{'name': 'a', 'type': 'integer'}, {'name': 'b', 'type': 'integer', "
                                "'initial': 1}], 'nodes': [{'name': 'x', 'kind': 'set', 'settings': {'values': "
                                "{'a': 7}}}, {'name': 'y', 'kind': 'join'}, {'name': 'z', 'kind': 'join'}], 'edges': "
                                "[{'from': '__start__', 'to': 'x'}, {'from': 'x', 'to': 'z'}, "
                                "{'from': 'x', 'to': 'y', 'when': '" + std::string{when} + "'}]"));
    };
    BOOST_TEST(path_with("output[\\\"a\\\"] == 7") == "x y");
    BOOST_TEST(path_with("output.get(\\\"a\\\") == 8") == "x z");
    BOOST_TEST(path_with("\\\"b\\\" in output") == "x z");
}

BOOST_AUTO_TEST_CASE(an_answer_with_a_label_moves_values)
{
    weft::node_registry registry;
    registry.add_function("ask", [] { return weft::command::label("yes"); });
    const auto result = run_text("'state': [{'name': 'a', 'type': 'string', 'initial': 'x'}, {'name': 'b', 'type': "
                                 "'string'}], 'nodes': [{'name': 'ask'}, {'name': 'y', 'kind': 'join'}], 'edges': "
                                 "[{'from': '__start__', 'to': 'ask'}, {'from': 'ask', 'to': 'y', 'kind': 'labelled', "
                                 "'label': 'yes', 'map': {'b': 'a'}}]", registry);
    BOOST_TEST(path_of(result) == "ask y");
    BOOST_TEST(text_at(result, "b") == "\"x\"");
}

BOOST_AUTO_TEST_CASE(a_file_deals_the_items_of_a_list_to_branches)
{
    const auto dealt = run_sample("batch.json", {{"texts", {"fog", "dew"}}});
    BOOST_TEST(text_at(dealt, "sums") == R"(["FOG: 3 letters","DEW: 3 letters"])");
    BOOST_TEST(text_at(dealt, "count") == "2");
    BOOST_TEST(text_at(run_sample("batch.json", {{"texts", boost::json::array{}}}), "count") == "0");

    const auto wrong = run_sample("batch.json", {{"texts", {"fog", 7}}});
    BOOST_TEST((wrong.why->code == weft::errc::state_conversion));
    BOOST_TEST(wrong.message().find("item 1") != std::string::npos);
    BOOST_TEST(wrong.message().find("it does not fit the key 'text'") != std::string::npos);
    const auto no_list = run_text("'state': [{'name': 'n', 'type': 'integer', 'initial': 3}], 'nodes': [{'name': 'a', "
                                  "'kind': 'send', 'settings': {'items': 'n', 'to': 'b', 'as': 'n'}}, {'name': 'b', "
                                  "'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'a'}]");
    BOOST_TEST(no_list.message().find("'n' gives no list but 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_10_scopes_of_a_file)
{
    weft::node_registry registry;
    registry.add_function("writes", [](weft::node_context& context) { context.set(answer_key, "x"); });
    registry.add_function("reads", [](weft::node_context& context) { (void)context.find(answer_key); });
    const auto code_of = [&](std::string_view node) {
        const auto result = run_text("'state': [{'name': 'answer', 'type': 'string'}, {'name': 'category', 'type': "
                                     "'string'}], 'nodes': [{'name': 'n', " + std::string{node} + "}], 'edges': "
                                     "[{'from': '__start__', 'to': 'n'}]", registry);
        return result.why ? weft::name_of(result.why->code) : "";
    };
    BOOST_TEST(code_of("'settings': {'function': 'writes'}, 'writes': ['category']") == "key_out_of_scope");
    BOOST_TEST(code_of("'settings': {'function': 'reads'}, 'reads': ['category']") == "key_out_of_scope");
    BOOST_TEST(code_of("'settings': {'function': 'writes'}, 'writes': ['answer']") == "");
    BOOST_TEST(code_of("'settings': {'function': 'writes'}") == "");
}

BOOST_AUTO_TEST_CASE(HIV_11_and_HIV_12_revisits_of_a_file)
{
    weft::node_registry registry;
    std::vector<bool> had;
    registry.add_function("look", [&](weft::node_context& context) {
        had.push_back(context.find(answer_key) != nullptr);
        context.set(answer_key, "x");
    });
    const auto result = run_text("'state': [{'name': 'answer', 'type': 'string'}], 'nodes': [{'name': 'a', 'settings': "
                                 "{'function': 'look'}, 'clears': ['answer'], 'visits_max': 2}, {'name': 'b', 'kind': "
                                 "'join'}], 'edges': [{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'b'}, "
                                 "{'from': 'b', 'to': 'a'}], 'limits': {'steps_max': 10, 'at_limit': 'return_last'}",
                                 registry);
    BOOST_TEST((had == std::vector<bool>{false, false}));
    BOOST_TEST(path_of(result).substr(0, 7) == "a b a b");
    BOOST_TEST(path_of(result).find("a", 7) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_13_outputs_of_a_file_are_checked_and_tried_again)
{
    const auto run_with = [](std::string_view outputs, int& attempts) {
        weft::node_registry registry;
        registry.add_function("work", [&attempts](weft::node_context& context) {
            context.set(answer_key, std::string(static_cast<std::size_t>(++attempts), 'x'));
        });
        return run_text("'state': [{'name': 'answer', 'type': 'string'}, {'name': 'category', 'type': 'string'}], "
                        "'nodes': [{'name': 'work', 'writes': ['answer', 'category'], 'retry': {'attempts_max': 3}, "
                        "'outputs': {" + std::string{outputs} + "}}], 'edges': [{'from': '__start__', 'to': 'work'}]",
                        registry);
    };
    int attempts = 0;
    BOOST_TEST((run_with("'required': true", attempts).why->code == weft::errc::invalid_output));
    BOOST_TEST(attempts == 3);
    attempts = 0;
    BOOST_TEST(!run_with("'required': true, 'nullable': ['category']", attempts).why);
    BOOST_TEST(attempts == 1);
    attempts = 0;
    const auto checked = run_with("'check': 'len(answer) == 2'", attempts);
    BOOST_TEST(!checked.why);
    BOOST_TEST(attempts == 2);
    attempts = 0;
    const auto wrong = run_with("'check': 'answer + 1'", attempts);
    BOOST_TEST(wrong.message().find("the check 'answer + 1' went wrong") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_13_schemas_of_outputs_in_a_file_are_enforced_and_written_again)
{
    int attempts = 0;
    std::vector<std::string> seen;
    weft::node_registry registry;
    registry.add_function("work", [&](weft::node_context& context) {
        boost::json::object answer{{"city", "Rome"}};
        if (++attempts == 1) answer = {{"citty", "Rome"}};
        if (attempts == 2) answer["sure"] = "yes";
        context.set(weft::state_key<boost::json::object>{"answer"}, answer);
    });
    const std::string text =
        spec_text("'state': [{'name': 'answer', 'type': 'object'}], 'nodes': [{'name': 'work', 'retry': "
                  "{'attempts_max': 3}, 'outputs': {'schemas': {'answer': {'required': ['city'], "
                  "'additionalProperties': false, 'properties': {'city': {'type': 'string'}, "
                  "'sure': {'type': 'number'}}}}}}], 'edges': [{'from': '__start__', 'to': 'work'}]");
    const auto loaded = weft::load_graph(text, registry);
    const auto watch = [&seen](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::node_failed) seen.push_back(event.text);
    };
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    const auto result = sim.run(engine.run(weft::run_request{}.on_event(watch)));
    BOOST_TEST(!result.why);
    BOOST_TEST(attempts == 3);
    BOOST_REQUIRE(seen.size() == 2U);
    BOOST_TEST(seen[0].find("key 'answer': lacks the member 'city'; key 'answer': has the unknown member 'citty' "
                            "(did you mean 'city'?)") != std::string::npos);
    BOOST_TEST(seen[1].find("key 'answer' at $.sure: expected a number, got the string 'yes'") != std::string::npos);

    const weft::graph_spec said = weft::spec_of(loaded.what, registry);
    BOOST_TEST((said.nodes.at(0).outputs.schemas == loaded.spec.nodes.at(0).outputs.schemas));
    BOOST_TEST((weft::read_graph_spec(weft::to_text(said)) == said));
}

BOOST_AUTO_TEST_CASE(HIV_8_a_condition_of_a_file_that_goes_wrong_is_told)
{
    const auto loaded = weft::load_graph(
        spec_text("'state': [{'name': 'n', 'type': 'integer', 'initial': 1}], "
                  "'nodes': [{'name': 'a', 'kind': 'join'}, {'name': 'b', 'kind': 'join'}, "
                  "{'name': 'c', 'kind': 'join'}], "
                  "'edges': [{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'b', 'when': 'n / 0 > 1'}, "
                  "{'from': 'a', 'to': 'c'}]"),
        {});
    std::string told;
    const auto watch = [&told](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::edge_condition_error) told = event.label + ": " + event.text;
    };
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    BOOST_TEST(path_of(sim.run(engine.run(weft::run_request{}.on_event(watch)))) == "a c");
    BOOST_TEST(told.starts_with("n / 0 > 1: line 1"));
    BOOST_TEST(told.find("ZeroDivisionError") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_43_a_file_has_a_goal)
{
    const auto billing = run_sample("triage.json", {{"request", "my invoice"}});
    BOOST_REQUIRE(billing.goal);
    BOOST_TEST(billing.goal->is_met);
    BOOST_TEST(billing.goal->weight_met == 1.0);
    const auto unread = run_sample("triage.json");
    BOOST_TEST((unread.goal->violated == std::vector<std::string>{"no_apology"}));
    BOOST_TEST((unread.goal->unmet == std::vector<std::string>{"has_category"}));
    BOOST_TEST(unread.goal->is_met);  // two thirds of the weight, and the constraint is soft
}

BOOST_AUTO_TEST_CASE(HIV_46_a_file_says_after_which_end_of_a_node_a_condition_is_asked)
{
    const auto text = [](const std::string& after) {
        return R"("state": [{"name": "n", "type": "integer", "initial": 0}],
                  "nodes": [{"name": "a", "kind": "set", "settings": {"expressions": {"n": "1 // 0"}}},
                            {"name": "b", "kind": "set", "settings": {"values": {"n": 5}}}],
                  "edges": [{"from": "__start__", "to": "a"}, {"from": "a", "to": "b", "when": "n == 0")" +
               after + "}]";
    };
    BOOST_TEST((run_text(text("")).status == weft::run_status::failed));
    BOOST_TEST((run_text(text(R"(, "after": "success")")).status == weft::run_status::failed));
    for (const char* const after : {R"(, "after": "failure")", R"(, "after": "any")"}) {
        const auto loaded = weft::load_graph(spec_text(text(after)), weft::node_registry{});
        BOOST_TEST(path_of(run_loaded(loaded)) == "a b");
        const weft::graph_spec again = weft::spec_of(loaded.what, weft::node_registry{});
        BOOST_TEST((again.edges[1].after == loaded.spec.edges[1].after));
    }
}

BOOST_AUTO_TEST_CASE(P13_P51_P45_a_file_says_until_reserve_and_idle_max)
{
    const std::string text = R"(
        "state": [{"name": "items", "type": "list", "initial": [1, 2, 3, 4]}, {"name": "n", "type": "integer"},
                  {"name": "sum", "type": "integer", "reducer": "add"}],
        "nodes": [{"name": "split", "kind": "send", "settings": {"items": "items", "to": "w", "as": "n"},
                   "goes_to": ["w"]},
                  {"name": "w", "kind": "set", "settings": {"expressions": {"sum": "n"}}, "idle_max": "5s"},
                  {"name": "j", "kind": "join"}],
        "edges": [{"from": "__start__", "to": "split"}, {"from": "w", "to": "j"}],
        "fan_outs": [{"from": "split", "concurrency_max": 1, "until": "sum >= 3"}],
        "limits": {"reserve": {"steps": 3, "elapsed": "2s"}})";
    const auto loaded = weft::load_graph(spec_text(text), weft::node_registry{});
    BOOST_TEST(text_at(run_loaded(loaded), "sum") == "3");
    const weft::graph_spec again = weft::spec_of(loaded.what, weft::node_registry{});
    BOOST_REQUIRE_EQUAL(again.fan_outs.size(), 1u);
    BOOST_TEST(again.fan_outs[0].until == "sum >= 3");
    BOOST_TEST((again.nodes[1].idle_max == loaded.spec.nodes[1].idle_max));
    BOOST_TEST(again.nodes[1].idle_max.has_value());
    const weft::run_options limits = weft::run_options_of(loaded.spec);
    BOOST_TEST(limits.reserve().steps == 3u);
    BOOST_TEST((limits.reserve().elapsed == std::chrono::seconds{2}));
}

BOOST_AUTO_TEST_CASE(P11_what_nodes_of_the_kind_set_write_is_known)
{
    const auto conflicts = [](std::string_view second) {
        const weft::loaded_graph loaded = weft::load_graph(
            spec_text("'state': [{'name': 'n', 'type': 'integer'}, {'name': 'm', 'type': 'integer'}], 'nodes': ["
                      "{'name': 's', 'kind': 'join'}, "
                      "{'name': 'a', 'kind': 'set', 'settings': {'values': {'n': 1}}}, "
                      "{'name': 'b', 'kind': 'set', 'settings': " + std::string{second} + "}], 'edges': ["
                      "{'from': '__start__', 'to': 's'}, {'from': 's', 'to': 'a'}, {'from': 's', 'to': 'b'}]"),
            {});
        return loaded.what.warnings().size();
    };
    BOOST_TEST(conflicts("{'expressions': {'n': '1 + 1'}}") == 1u);
    BOOST_TEST(conflicts("{'values': {'n': 2}}") == 1u);
    BOOST_TEST(conflicts("{'values': {'m': 2}}") == 0u);
}

BOOST_AUTO_TEST_CASE(HIV_49_a_file_pauses_before_and_after_its_nodes)
{
    weft::node_registry registry;
    int works = 0;
    registry.add_function("work", [&works] { ++works; });
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text("'nodes': [{'name': 'a', 'settings': {'function': 'work'}, 'pauses': 'both'}, "
                  "{'name': 'b', 'settings': {'function': 'work'}, 'pauses': 'before'}], 'edges': ["
                  "{'from': '__start__', 'to': 'a'}, {'from': 'a', 'to': 'b'}]"),
        registry);
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    weft::run_result result = sim.run(engine.run(weft::run_request{}));
    std::vector<int> works_at_pause;
    for (; result.status == weft::run_status::paused && works_at_pause.size() < 10;
         result = sim.run(engine.run(weft::run_request{}.resume(result.paused_at))))
        works_at_pause.push_back(works);
    const std::vector<int> expected{0, 1, 1};
    BOOST_TEST(works_at_pause == expected, boost::test_tools::per_element());
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(works == 2);
}

BOOST_AUTO_TEST_SUITE_END()
