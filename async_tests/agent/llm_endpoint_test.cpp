#include <boost/test/unit_test.hpp>

#include "agents.hpp"
#include "model/endpoint_calls.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/node/model_route_decider.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(llm_endpoint_test)

using namespace weft::testing;

// A graph file, a real model over TLS: two nodes, one bad answer that is tried again, and a decision.
BOOST_AUTO_TEST_CASE(a_graph_file_talks_with_an_endpoint_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(system_contains("You decide")).reply(text(R"({"target": "publish", "reasoning": "good enough"})"));
    endpoint.when(system_contains("You judge"))
        .reply(text("Rather good!").between_tokens(1ms))
        .reply(text("```json\n{\"score\": 0.9, \"weakness\": \"none\"}\n```").between_tokens(1ms));
    endpoint.when(user_contains("about rivers")).reply(text("Rivers flow to the sea.").between_tokens(1ms));
    const auto model = std::make_shared<weft::openai_model>(endpoint_calls::client_for(endpoint),
                                                            endpoint_calls::options_for(endpoint));
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text("'state': [{'name': 'topic', 'type': 'string'}, {'name': 'draft', 'type': 'string'}, {'name': "
                   "'score', "
                  "'type': 'number'}, {'name': 'weakness', 'type': 'string'}], 'nodes': [{'name': 'write', 'kind': "
                  "'llm', 'writes': ['draft'], 'settings': {'prompt': 'One line about {topic}.'}}, {'name': 'judge', "
                  "'kind': 'llm', 'reads': ['draft'], 'writes': ['score', 'weakness'], 'retry': {'attempts_max': 2, "
                  "'initial': '1ms'}, 'settings': {'system': 'You judge.'}}, {'name': 'publish', 'kind': 'join'}, "
                  "{'name': 'drop', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'write'}, {'from': "
                             "'write', "
                  "'to': 'judge'}, {'from': 'judge', 'kind': 'llm', 'targets': ['publish', 'drop'], 'fallback': "
                  "'drop'}]"),
        agent_registry(model));
    weft::run_options options;
    options.decider(std::make_shared<weft::model_route_decider>(model));
    std::string streamed;
    std::int64_t pieces = 0;
    const auto watch = [&](const weft::run_event& event) {
        const bool is_output = event.what == weft::run_event::kind::output && event.label == weft::agent_event::output;
        if (!is_output || event.node != "write") return;
        streamed += event.text;
        ++pieces;
    };
    boost::json::object input{{"topic", "rivers"}};
    const weft::run_result result = weft::run_blocking(
        loaded.what, weft::run_request{}.options(options).input(std::move(input)).on_event(watch));
    endpoint.check_complete();
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(draft_key) == "Rivers flow to the sea.");
    BOOST_TEST(streamed == "Rivers flow to the sea.");
    BOOST_TEST(pieces > 1);
    BOOST_TEST(result.state.get(score_key) == 0.9);
    BOOST_TEST(result.retries == 1u);
    BOOST_TEST(result.path().back() == "publish");
}

BOOST_AUTO_TEST_SUITE_END()
