#include <boost/test/unit_test.hpp>

#include "graph/spec_samples.hpp"

#include <weft/agent/agent_kinds.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_spec_reader_test)

namespace {

/** A mistake in an otherwise right file of two nodes and two keys. */
std::string lacks_in_file(std::string_view members, std::vector<std::string_view> parts)
{
    return lacks(mistakes_in(spec_text(std::string{members} +
                                       ", 'state': [{'name': 'score', 'type': 'number'}, {'name': 'topic', 'type': "
                                       "'string'}]")),
                 std::move(parts));
}
constexpr std::string_view two_nodes = "'nodes': [{'name': 'plan', 'kind': 'join'}, {'name': 'write', 'kind': 'join'}]";
std::string edges(std::string_view more)
{
    return std::string{two_nodes} + ", 'edges': [{'from': '__start__', 'to': 'plan'}, {'from': 'plan', 'to': 'write'}" +
           (more.empty() ? "" : ", ") + std::string{more} + "]";
}
std::string node_of(std::string_view members)
{
    return "'nodes': [{'name': 'plan', " + std::string{members} + "}], 'edges': [{'from': '__start__', 'to': 'plan'}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_sample_is_a_graph)
{
    weft::node_registry registry = sample_registry();
    weft::add_agent_kinds(registry, {});
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator{graph_samples()}) {
        BOOST_TEST_CONTEXT(entry.path()) {
            BOOST_CHECK_NO_THROW((void)weft::load_graph_file(entry.path(), registry));
        }
        ++count;
    }
    BOOST_TEST(count == 13);
}

BOOST_AUTO_TEST_CASE(all_mistakes_come_at_once_with_their_places)
{
    const auto found = mistakes_in(R"({
  "name": "many",
  "state": [{"name": "topic", "type": "sting"}, {"name": "score", "type": "number"}],
  "nodes": [
    {"name": "plan", "kind": "joni"},
    {"name": "write", "kind": "join", "timeout": "20 seconds", "visit_max": 3},
    {"name": "judge", "function": "x"}
  ],
  "edges": [
    {"from": "__start__", "to": "pln"},
    {"from": "write", "to": "END"},
    {"from": "judge", "to": "write", "when": "scor < 0.8"},
    {"from": "judge", "to": "plan", "when": "score <"}
  ]
})");
    const std::vector<std::string> expected{
        "3:39 $.state[0].type: there is no type 'sting' (did you mean 'string'?)",
        "5:30 $.nodes[0].kind: there is no kind 'joni' (did you mean 'join'?)",
        "6:50 $.nodes[1].timeout: expected a whole number and a unit, such as \"250ms\", \"20s\" or \"5m\", found "
        "\"20 seconds\"",
        "6:64 $.nodes[1].visit_max: there is no member 'visit_max' here (did you mean 'visits_max'?)",
        "7:5 $.nodes[2]: there is no function 'judge'",
        "7:23 $.nodes[2].function: there is no member 'function' here",
        "10:33 $.edges[0].to: there is no node 'pln' (did you mean 'plan'?)",
        "11:29 $.edges[1].to: there is no node 'END' (did you mean '__end__'?)",
        "12:46 $.edges[2].when: in the expression: line 1, column 1: the graph has no key 'scor' (did you mean "
        "'score'?)",
        "13:45 $.edges[3].when: in the expression: line 1, column",
    };
    BOOST_REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        BOOST_TEST(found[i].substr(0, expected[i].size()) == expected[i]);
}

BOOST_AUTO_TEST_CASE(what_follows_from_a_mistake_of_shape_is_not_told)
{
    BOOST_TEST(lacks(mistakes_in(spec_text("'nodez': [{'name': 'a'}], 'nodes': [{'name': 'b', 'kind': 'join'}], "
                                           "'edges': [{'from': '__start__', 'to': 'a'}, {'from': '__start__', 'to': "
                                           "'b'}]")),
                     {"$.nodez", "did you mean 'nodes'?"}) == "");
    BOOST_TEST(lacks(mistakes_in(spec_text("'nodes': [{'name': 3, 'kind': 'join'}], "
                                           "'edges': [{'from': '__start__', 'to': 'a'}]")),
                     {"$.nodes[0].name", "expected a string, found 3"}) == "");
    BOOST_TEST(lacks(mistakes_in(spec_text("'edges': [{'from': '__start__', 'to': 'a'}]")),
                     {"1:1 $: the member 'nodes' is missing"}) == "");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_no_json_has_line_and_column)
{
    BOOST_TEST(lacks(mistakes_in("{\"name\": \"a\",\n  \"nodes\" []}"), {"2:11 $: this is no JSON"}) == "");
    BOOST_TEST(lacks(mistakes_in("[]"), {"1:1 $: expected an object"}) == "");
    BOOST_TEST(lacks(mistakes_in(""), {"this is no JSON: the text ends too early"}) == "");
    BOOST_TEST(lacks(mistakes_in(std::string(100'000, '[')), {"nested deeper than 64"}) == "");
}

BOOST_AUTO_TEST_CASE(a_member_that_is_there_twice_is_a_mistake)
{
    BOOST_TEST(lacks(mistakes_in("{\"name\": \"a\", \"nodes\": [{\"name\": \"x\", \"kind\": \"join\",\n \"k\\u0069nd\""
                                 ": \"join\"}], \"edges\": [{\"from\": \"__start__\", \"to\": \"x\"}]}"),
                     {"2:2 $.nodes[0].kind: there is a member 'kind' already"}) == "");
}

BOOST_AUTO_TEST_CASE(size_and_number_of_mistakes_are_bounded)
{
    BOOST_TEST(lacks(mistakes_in(spec_text(two_nodes), {}, {.bytes_max = 10}), {"more than 10 bytes"}) == "");
    std::string nodes = "'nodes': [";
    for (int i = 0; i < 500; ++i) nodes += "{'name': 'n" + std::to_string(i) + "', 'kind': 'nope'},";
    nodes.back() = ']';
    const auto found = mistakes_in(spec_text(nodes), {}, {.mistakes_max = 5});
    BOOST_REQUIRE(found.size() == 6u);
    BOOST_TEST(found.back().find("and 495 more mistakes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(keys_have_a_type_a_reducer_that_fits_and_a_fitting_initial_value)
{
    const auto mistake = [](std::string_view key) {
        return mistakes_in(spec_text(edges("") + ", 'state': [{'name': 'k', " + std::string{key} + "}]"));
    };
    BOOST_TEST(lacks(mistake("'type': 'integr'"), {"$.state[0].type", "did you mean 'integer'?"}) == "");
    BOOST_TEST(lacks(mistake("'type': 'boolean', 'reducer': 'add'"),
                     {"$.state[0].reducer: 'add' has no meaning for the type 'boolean'; possible: replace"}) == "");
    BOOST_TEST(lacks(mistake("'type': 'integer', 'initial': 1.5"), {"$.state[0].initial: is no value of the type"})
        == "");
    BOOST_TEST(lacks(mistake("'type': 'unnamed C++ type'"), {"`add_type`"}) == "");
    BOOST_TEST(mistake("'type': 'integer', 'initial': 2, 'reducer': 'max', 'conflict': 'error'").empty());
    BOOST_TEST(lacks(mistakes_in(spec_text(edges("") + ", 'state': [{'name': 'k'}, {'name': 'k', 'type': 'string'}]")),
                     {"$.state[1].name: there is a key 'k' already"}) == "");
}

BOOST_AUTO_TEST_CASE(edges_say_what_their_kind_needs_and_nothing_else)
{
    const auto lacks_edge = [](std::string_view edge, std::vector<std::string_view> parts) {
        return lacks_in_file(edges(edge), std::move(parts));
    };
    BOOST_TEST(lacks_edge("{'from': 'plan'}", {"$.edges[2]: the edge leads nowhere"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'when'}", {"no 'when'"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'labelled'}", {"no 'label'"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'labelled', 'label': 'x', 'priority': 1}",
                          {"$.edges[2].priority"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'always', 'when': 'score'}", {"$.edges[2].when"})
        == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'when': 'score', 'fallback': 'plan'}",
                          {"$.edges[2].fallback: belongs to an edge of the kind 'llm'"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'kind': 'llm', 'targets': ['write']}", {"no 'fallback'"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'kind': 'llm', 'targets': ['wriet'], 'fallback': 'plan'}",
                          {"$.edges[2].targets[0]", "did you mean 'write'?"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'on_failure', 'map': {'scor': 'score'}}",
                          {"$.edges[2].map.scor: there is no key 'scor' (did you mean 'score'?)"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'kind': 'on_failure', 'map': {'score': 'topic'}}",
                          {"different types"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'when': 'outpt'}", {"did you mean 'output'"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write', 'when': 'unnamed C++ predicate'}", {"C++ program"}) == "");
    BOOST_TEST(lacks_edge("{'from': 'plan', 'to': 'write'}", {"$.edges[2]: edge[2] 'plan' -> 'write' repeats"}) == "");
}

BOOST_AUTO_TEST_CASE(a_server_is_a_program_or_a_url_with_a_name_for_tools_and_no_secret)
{
    const auto lacks_server = [](std::string_view servers, std::vector<std::string_view> parts) {
        return lacks_in_file(edges("") + ", 'mcp': {" + std::string{servers} + "}", std::move(parts));
    };
    const std::string right = edges("") + ", 'mcp': {'files': {'command': ['srv', '--root', '${ROOT}'], 'tools': "
                              "['read'], 'timeout': '5s'}, 'shop-2': {'url': 'https://x', 'headers': "
                              "{'Authorization': 'Bearer ${TOKEN}', 'X-Kind': 'a'}}}";
    BOOST_TEST(mistakes_in(spec_text(right)).empty());
    BOOST_TEST(lacks_server("'a__b': {'url': 'x'}", {"$.mcp.a__b: a server's name"}) == "");
    BOOST_TEST(lacks_server("'a b': {'url': 'x'}", {"a server's name"}) == "");
    BOOST_TEST(lacks_server("'a': {}", {"$.mcp.a: a server is a program or a URL"}) == "");
    BOOST_TEST(lacks_server("'a': {'command': ['x'], 'url': 'x'}", {"a program or a URL"}) == "");
    BOOST_TEST(lacks_server("'a': {'command': ['']}", {"$.mcp.a.command: begins with an empty text"}) == "");
    BOOST_TEST(lacks_server("'a': {'url': 'x', 'environment': {'K': 'v'}}", {"$.mcp.a.environment"}) == "");
    BOOST_TEST(lacks_server("'a': {'command': ['x'], 'headers': {'K': 'v'}}", {"$.mcp.a.headers"}) == "");
    BOOST_TEST(lacks_server("'a': {'url': 'x', 'headers': {'authorization': 'Bearer 123'}}",
                            {"$.mcp.a.headers.authorization: a secret does not stand in a file"}) == "");
    BOOST_TEST(lacks_server("'a': {'url': 'x', 'timeout': '0s'}", {"$.mcp.a.timeout"}) == "");
    const std::string inner = "'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': {'name': 'i', "
                              "'nodes': [{'name': 'x', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'x'}], "
                              "'mcp': {'a': {'url': 'x'}}}}}], 'edges': [{'from': '__start__', 'to': 'in'}]";
    BOOST_TEST(lacks(mistakes_in(spec_text(inner)), {"mcp: servers belong to the outermost graph"}) == "");
}

BOOST_AUTO_TEST_CASE(entry_points_say_how_they_begin_and_what_of)
{
    const auto lacks_entry = [](std::string_view entries, std::vector<std::string_view> parts) {
        return lacks_in_file(edges("") + ", 'entry_points': [" + std::string{entries} + "]", std::move(parts));
    };
    BOOST_TEST(mistakes_in(spec_text(edges("") +
                                     ", 'state': [{'name': 'score', 'type': 'number'}], 'entry_points': ["
                                     "{'id': 'early', 'timer': {'cron': '30 7 * * mon-fri', 'time_zone': "
                                     "'Europe/Berlin'}}, {'id': 'often', 'timer': {'every': '5m'}, 'input': {'score': "
                                     "1}}, {'id': 'orders', 'webhook': {'path': '/hooks/orders', 'secret_env': "
                                     "'ORDERS_SECRET'}, 'input': {'score': '$payload.score'}}]"))
                   .empty());
    const std::string at = "$.entry_points[0]";
    BOOST_TEST(lacks_entry("{'timer': {'every': '5m'}}", {at, "id"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a b', 'timer': {'every': '5m'}}", {at + ".id: an id is 1 to 64"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'every': '5m'}}, {'id': 'a', 'timer': {'every': '5m'}}",
                           {"$.entry_points[1].id: 'a' is there already"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a'}", {at + ": nothing begins it"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {}}", {at + ".timer: a timer has"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'cron': '0 9 * * *', 'every': '5m'}}", {at + ".timer: has"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'cron': '0 25 * * *'}}", {at + ".timer.cron: the hour '25'"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'every': '1500ms'}}", {at + ".timer.every: is a number"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'every': '5m', 'time_zone': 'UTC'}}",
                           {at + ".timer.time_zone: belongs to a"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'webhook': {'path': 'hook?', 'secret_env': 'A'}}",
                           {at + ".webhook.path: begins with"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'webhook': {'path': '/a', 'secret_env': 'a-b'}}",
                           {at + ".webhook.secret_env: is the name"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'webhook': {'path': '/a'}}", {at + ".webhook", "secret_env"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'webhook': {'path': '/a', 'secret_env': 'A'}}, "
                           "{'id': 'b', 'webhook': {'path': '/a', 'secret_env': 'A'}}",
                           {"$.entry_points[1].webhook.path: another entry point has it"}) == "");
    BOOST_TEST(lacks_entry("{'id': 'a', 'timer': {'every': '5m'}, 'input': {'scor': 1}}",
                           {at + ".input.scor", "score"}) == "");
    const std::string inner = "'nodes': [{'name': 'in', 'kind': 'subgraph', 'settings': {'graph': {'name': 'i', "
                              "'nodes': [{'name': 'a', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'a'}], "
                              "'entry_points': [{'id': 'a', 'timer': {'every': '5m'}}]}}}], "
                              "'edges': [{'from': '__start__', 'to': 'in'}]";
    const std::string_view said = "entry_points: entry points belong to the outermost graph";
    BOOST_TEST(lacks(mistakes_in(spec_text(inner)), {said}) == "");
}

BOOST_AUTO_TEST_CASE(M4_a_server_with_oauth_has_a_url_and_a_secret_that_goes_to_one_issuer)
{
    const auto lacks_oauth = [](std::string_view server, std::string_view oauth, std::vector<std::string_view> parts) {
        return lacks_in_file(edges("") + ", 'mcp': {'a': {" + std::string{server} + ", 'oauth': {" +
                                 std::string{oauth} + "}}}",
                             std::move(parts));
    };
    const std::string right =
        edges("") + ", 'mcp': {'a': {'url': 'https://x', 'oauth': {}}, 'b': {'url': 'https://x', 'oauth': {'grant': "
                    "'client_credentials', 'client_id': 'i', 'client_secret': '${S}', 'issuer': 'https://y', 'scopes': "
                    "['read']}}, 'c': {'url': 'https://x', 'oauth': {'client_id': '${ID}'}}}";
    BOOST_TEST(mistakes_in(spec_text(right)).empty());
    BOOST_TEST(lacks_oauth("'command': ['x']", "", {"$.mcp.a.oauth: is for a server with a \"url\""}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x', 'headers': {'authorization': '${T}'}", "", {"Authorization is given"}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x'", "'client_id': 'i', 'issuer': 'x', 'client_secret': 'a ${S}'",
                           {"$.mcp.a.oauth.client_secret: a secret does not stand in a file"}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x'", "'client_id': 'i', 'client_secret': '${S}'", {"give its \"issuer\""}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x'", "'issuer': 'x', 'client_secret': '${S}'", {"to a \"client_id\""}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x'", "'grant': 'client_credentials'", {"$.mcp.a.oauth.grant", "give both"}) == "");
    BOOST_TEST(lacks_oauth("'url': 'x'", "'scope': 'a'", {"scopes"}) == "");
}

BOOST_AUTO_TEST_CASE(items_are_sent_to_a_node_by_a_key)
{
    const auto lacks_send = [](std::string_view settings, std::vector<std::string_view> parts) {
        return lacks_in_file(node_of("'kind': 'send', 'settings': {" + std::string{settings} + "}"), std::move(parts));
    };
    BOOST_TEST(lacks_send("'items': '[1]', 'to': 'plan'", {"the member 'as' is missing"}) == "");
    BOOST_TEST(lacks_send("'items': '[1', 'to': 'plan', 'as': 'score'", {"settings.items: in the expression"}) == "");
    BOOST_TEST(lacks_send("'items': '', 'to': 'plan', 'as': 'score'", {"settings.items: is empty"}) == "");
    BOOST_TEST(lacks_send("'items': '[1]', 'to': 'paln', 'as': 'score'", {"settings.to", "did you mean 'plan'"}) == "");
    BOOST_TEST(lacks_send("'items': '[1]', 'to': '__end__', 'as': 'score'", {"settings.to"}) == "");
    BOOST_TEST(lacks_send("'items': '[1]', 'to': 'plan', 'as': 'scor'", {"settings.as", "did you mean 'score'"}) == "");
}

BOOST_AUTO_TEST_CASE(retry_on_takes_the_name_of_every_error)
{
    const weft::node_registry registry;
    // From the first code to the last: `errc_named` ends the loop.
    for (int code = 1; weft::errc_named(weft::name_of(static_cast<weft::errc>(code))); ++code) {
        const std::string name{weft::name_of(static_cast<weft::errc>(code))};
        const weft::loaded_graph loaded = weft::load_graph(
            spec_text(node_of("'kind': 'join', 'retry': {'retry_on': ['" + name + "']}")), registry);
        BOOST_TEST((loaded.what.node(1).options->retry.retry_on == std::vector{static_cast<weft::errc>(code)}), name);
    }
    BOOST_TEST(lacks_in_file(node_of("'kind': 'join', 'retry': {'retry_on': ['guardrail_triped']}"),
                             {"$.nodes[0].retry.retry_on[0]", "'guardrail_tripped'?"}) == "");
}

BOOST_AUTO_TEST_CASE(nodes_name_keys_nodes_and_errors_that_there_are)
{
    const auto lacks_node = [](std::string_view members, std::vector<std::string_view> parts) {
        return lacks_in_file(node_of(members), std::move(parts));
    };
    BOOST_TEST(lacks_node("'kind': 'join', 'reads': ['topic', 'scroe']", {"$.nodes[0].reads[1]", "'score'?"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'goes_to': ['plam']", {"$.nodes[0].goes_to[0]", "'plan'?"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'retry': {'retry_on': ['node_timeuot']}",
                          {"$.nodes[0].retry.retry_on[0]", "'node_timeout'?"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'retry': {'factor': 0.5}", {"$.nodes[0].retry.factor"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'outputs': {'required': true}", {"give the node writes"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'outputs': {'schemas': {'scroe': true}}",
                          {"$.nodes[0].outputs.schemas.scroe", "'score'?"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'writes': ['topic'], 'outputs': {'schemas': {'score': true}}",
                          {"$.nodes[0].outputs.schemas.score", "does not write 'score'"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'outputs': {'schemas': {'topic': {'items': {'type': 'strin'}}}}",
                          {"$.nodes[0].outputs.schemas.topic.items.type", "in the JSON Schema", "'string'?"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'outputs': {'schemas': {'topic': 3}}",
                          {"$.nodes[0].outputs.schemas.topic", "is no schema"}) == "");
    BOOST_TEST(lacks_node("'kind': 'join', 'settings': {'x': 1}", {"$.nodes[0].settings.x"}) == "");
    BOOST_TEST(lacks_node("'kind': 'llm'", {"this program does not register it"}) == "");
    BOOST_TEST(lacks_node("'settings': {'function': 'unnamed C++ function'}", {"`add_function`"}) == "");
    BOOST_TEST(lacks_node("'kind': 'set', 'settings': {'values': {'score': 'high'}}",
                          {"$.nodes[0].settings.values.score", "does not fit the key"}) == "");
    BOOST_TEST(lacks_node("'kind': 'set', 'writes': ['topic'], 'settings': {'values': {'score': 1}}", {"writes"})
        == "");
    BOOST_TEST(lacks_node("'kind': 'set', 'reads': [], 'settings': {'expressions': {'score': 'len(topic)'}}",
                          {"the node's reads do not name 'topic'"}) == "");
    BOOST_TEST(lacks_node("'kind': 'router', 'settings': {'routes': [{'when': 'score > 1', 'to': 'plna'}]}",
                          {"$.nodes[0].settings.routes[0].to", "'plan'?"}) == "");
}

BOOST_AUTO_TEST_CASE(the_rest_of_the_graph_is_checked_too)
{
    const auto lacks_more = [](std::string_view members, std::vector<std::string_view> parts) {
        return lacks_in_file(edges("") + ", " + std::string{members}, std::move(parts));
    };
    BOOST_TEST(lacks_more("'fan_outs': [{'from': 'pan'}]", {"$.fan_outs[0].from", "'plan'?"}) == "");
    BOOST_TEST(lacks_more("'fan_outs': [{'from': 'plan', 'policy': 'quorum'}]", {"at least 1"}) == "");
    BOOST_TEST(lacks_more("'fan_outs': [{'from': 'plan', 'quorum': 2}]", {"$.fan_outs[0].quorum"}) == "");
    BOOST_TEST(lacks_more("'fan_outs': [{'from': 'plan', 'policy': 'quorum', 'quorum': 9}]",
                          {"$.fan_outs[0]: fan_out of 'plan' needs 9 successes"}) == "");
    BOOST_TEST(lacks_more("'goal': {'name': 'g', 'criteria': [{'id': 'a', 'met_when': 'scoer'}]}",
                          {"$.goal.criteria[0].met_when", "'score'?"}) == "");
    BOOST_TEST(lacks_more("'goal': {'name': 'g', 'weight_needed': 2}", {"$.goal.weight_needed"}) == "");
    for (const char* const weight : {"-1", "1e300"})
        BOOST_TEST(lacks_more("'goal': {'name': 'g', 'criteria': [{'id': 'a', 'met_when': 'True', 'weight': " +
                                  std::string{weight} + "}]}",
                              {"$.goal.criteria[0].weight: is out of range: a weight is 0 to 1000000000"}) == "");
    BOOST_TEST(lacks_more("'budgets': {'tokens': 5}", {"$.budgets: there is no member 'budgets' here"}) == "");
    BOOST_TEST(lacks_more("'limits': {'step_max': 5}", {"$.limits.step_max", "'steps_max'?"}) == "");
    BOOST_TEST(lacks_more("'limits': {'budget': {'model_call': 3}}",
                          {"$.limits.budget.model_call", "'model_calls'?"}) == "");
    BOOST_TEST(lacks_more("'limits': {'budget': {'tokens': -1}}", {"$.limits.budget.tokens", "0 or more"}) == "");
    BOOST_TEST(lacks_more("'limits': {'budget': {'usd': -0.5}}", {"$.limits.budget.usd", "from 0"}) == "");
}

BOOST_AUTO_TEST_CASE(words_of_other_tools_are_known)
{
    BOOST_TEST(lacks(mistakes_in(spec_text(edges("") + ", 'state': [{'name': 'a', 'type': 'int'}]")),
                     {"$.state[0].type: there is no type 'int' (did you mean 'integer'?)"}) == "");
    BOOST_TEST(lacks_in_file(edges("{'from': 'plan', 'to': '__end__', 'condition': 'score > 1'}"),
                             {"$.edges[2].condition", "(did you mean 'when'?)"}) == "");
    BOOST_TEST(lacks_in_file(edges("{'from': 'plan', 'to': '__end__', 'kind': 'conditional'}"),
                             {"$.edges[2].kind: 'conditional' is not possible here (did you mean 'when'?)"}) == "");
    BOOST_TEST(lacks_in_file(edges("{'from': 'plan', 'to': 'END'}"), {"(did you mean '__end__'?)"}) == "");
    BOOST_TEST(lacks_in_file(edges("") + ", 'limits': {'elapsed_max': 20}",
                             {"$.limits.elapsed_max: expected a whole number and a unit, such as \"250ms\", \"20s\" or "
                              "\"5m\", found 20"}) == "");
}

BOOST_AUTO_TEST_CASE(json_with_what_others_allow_says_what_is_wrong)
{
    BOOST_TEST(lacks(mistakes_in("{\"name\": \"a\",\n \"nodes\": [1,],\n}"), {"2:14 $", "a ',' too many"}) == "");
    BOOST_TEST(lacks(mistakes_in("{\n  // the name\n  \"name\": \"a\"}"), {"2:3 $", "no comments"}) == "");
    BOOST_TEST(lacks(mistakes_in("{'name': 'a'}"), {"1:2 $", "double quotes"}) == "");
    BOOST_TEST(lacks(mistakes_in("{\"name\": True}"), {"1:10 $", "write true, false or null"}) == "");
}

BOOST_AUTO_TEST_CASE(a_mistake_of_shape_hides_no_other_and_brings_no_other)
{
    // What cannot be read is not missing.
    BOOST_TEST(lacks_in_file(edges("{'from': 'plan', 'to': ['write', '__end__']}"),
                             {"$.edges[2].to: expected a string, found an array of 2 items"}) == "");
    BOOST_TEST(lacks_in_file(edges("") + ", 'mcp': {'books': {'command': 'books --stdio'}}",
                             {"$.mcp.books.command: expected an array"}) == "");
    const auto found = mistakes_in(spec_text(
        "'state': [{'name': 'score', 'type': 'number', 'reducer': 'append'}, {'name': 'score'}], 'limits': "
        "{'steps_max': -1}, 'fan_outs': [{'from': 'pan'}], 'edges': [{'from': '__start__', 'to': 'plan'}], 'nodes': "
        "[{'name': 'plan', 'kind': 'router', 'settings': {'else': '__end__', 'routes': [{'when': 'scoer > 1', 'to': "
        "'paln'}, {'to': '__end__'}]}}]"));
    const std::vector<std::string_view> expected{
        "$.state[0].reducer: 'append' has no meaning",
        "$.state[1].name: there is a key 'score' already",
        "$.limits.steps_max: expected an integer",
        "$.fan_outs[0].from: there is no node 'pan'",
        "$.nodes[0].settings.else: there is no member 'else' here (did you mean 'otherwise'?)",
        "$.nodes[0].settings.routes[0].when: in the expression: line 1, column 1: the graph has no key 'scoer'",
        "$.nodes[0].settings.routes[0].to: there is no node 'paln'",
        "$.nodes[0].settings.routes[1]: the member 'when' is missing",
    };
    std::string all;
    for (const std::string& mistake : found) all += mistake + "\n";
    BOOST_TEST(found.size() == expected.size(), all);
    for (const std::string_view part : expected)
        BOOST_TEST((all.find(part) != all.npos), part << " is not in\n" << all);
}

BOOST_AUTO_TEST_SUITE_END()
