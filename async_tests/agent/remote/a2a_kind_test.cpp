#include <boost/test/unit_test.hpp>

#include "agent/remote/a2a_kind.hpp"
#include "http_services.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(a2a_kind_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;
using namespace weft_tests::http_services;
using weft::errc;

namespace {

/** An agent: its card, and what it answers to the calls behind it, in their order. */
answer_function agent_with(std::string ways, std::vector<weft::http_reply> answers, bool streams = false)
{
    return [=](weft::http_call& call, std::size_t) {
        if (call.path().ends_with("agent-card.json")) {
            std::string card = R"({"name":"other","capabilities":{"streaming":)";
            card.append(streams ? "true" : "false").append("},").append(ways).append("}");
            const std::string host = "http://" + std::string{call.head().host};
            for (std::size_t at = card.find("$HOST"); at != card.npos; at = card.find("$HOST"))
                card.replace(at, 5, host);
            return reply_with(call, weft::http_reply{200, card, "application/json"});
        }
        return reply_with(call, answers.front());
    };
}

const std::string rpc_way =
    R"("supportedInterfaces":[{"url":"$HOST/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}])";

weft::http_reply rpc_result(std::string_view result)
{
    return weft::http_reply{200, R"({"jsonrpc":"2.0","id":"1","result":)" + std::string{result} + "}",
                            "application/json"};
}

/** A file with one node that asks the agent. */
std::string file_asking(const service& agent, std::string_view more_settings = "",
                        std::string_view more = "'retry': {'attempts_max': 1}", std::string_view writes = "'answer'")
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'Rome'}, {'name': 'answer', 'type': 'string'}, "
           "{'name': 'talk', 'type': 'string'}, {'name': 'score', 'type': 'number'}], 'nodes': [{'name': 'ask', "
           "'kind': 'a2a', 'reads': ['topic', 'talk'], 'writes': [" +
           std::string{writes} + "], " + std::string{more} + ", 'settings': {'agent': '" + agent.url("/other") + "'" +
           std::string{more_settings} + "}}], 'edges': [{'from': '__start__', 'to': 'ask'}]";
}

boost::json::value sent(const service& agent, std::size_t number)
{
    return boost::json::parse(agent.seen.at(number).body).at("params").at("message");
}

errc code_of(const weft::run_result& result)
{
    BOOST_REQUIRE(result.why);
    return result.why->code;
}

bool has(const std::string& text, std::string_view part)
{
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) BOOST_TEST_MESSAGE(text);
    return is_there;
}

constexpr std::string_view done = R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},
    "artifacts":[{"artifactId":"a","parts":[{"text":"It is old."}]}]}})";

/** Answers with these, one after another, and with the last one again. */
answer_function agent_answering(std::vector<weft::http_reply> answers, bool streams = false)
{
    const auto count = std::make_shared<std::size_t>(0);
    const answer_function card = agent_with(rpc_way, {weft::http_reply{404}}, streams);
    return [=](weft::http_call& call, std::size_t number) {
        if (call.path().ends_with("agent-card.json")) return card(call, number);
        const std::size_t which = std::min((*count)++, answers.size() - 1);
        return reply_with(call, answers[which]);
    };
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_is_asked_by_its_card_and_its_output_is_written)
{
    service other{agent_answering({rpc_result(done)})};
    const weft::run_result result =
        other.run(file_asking(other, ", 'message': 'About {topic}', 'context': 'talk', 'skill': 'towns'",
                              "'retry': {'attempts_max': 1}", "'answer', 'talk'"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is old.");
    BOOST_TEST(value_of(result, "talk").as_string() == "c");
    BOOST_REQUIRE(other.seen.size() == 2u);
    BOOST_TEST(other.seen[0].line == "GET /other/.well-known/agent-card.json");
    BOOST_TEST(other.seen[1].line == "POST /rpc");
    const boost::json::value message = sent(other, 1);
    BOOST_TEST(boost::json::serialize(message.at("parts")) == R"([{"text":"About Rome"}])");
    BOOST_TEST(message.at("metadata").at("skill") == "towns");
    BOOST_TEST(message.at("messageId").as_string() == other.seen[1].key);
    BOOST_TEST(other.told == (std::vector<std::string>{"output: It is old."}), boost::test_tools::per_element());
    // Without a message the agent gets what the node reads; the members of data are writes.
    service data{agent_answering({rpc_result(R"({"message":{"messageId":"m","parts":[{"data":{"score":2}}]}})")})};
    const weft::run_result counted = data.run(file_asking(data, "", "'retry': {'attempts_max': 1}", "'score'"));
    BOOST_TEST(counted.message() == "finished");
    BOOST_TEST(value_of(counted, "score").as_double() == 2);
    BOOST_TEST(boost::json::serialize(sent(data, 1).at("parts")) == R"([{"data":{"topic":"Rome"}}])");
}

BOOST_AUTO_TEST_CASE(what_an_agent_asks_is_a_question_of_the_run_and_the_answer_goes_back)
{
    service other{agent_answering(
        {rpc_result(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":
            {"messageId":"q","parts":[{"text":"Which one?"},{"data":{"questions":[{"id":"x#1/ask#0","text":"Which one?",
            "kind":"selection","options":["old","new"],"schema":{}}]}}]}}}})"),
         rpc_result(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":
            {"messageId":"q","parts":[{"text":"Why?"}]}}}})"),
         rpc_result(done)})};
    const weft::node_registry known = other.registry();
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_asking(other)), known);
    const weft::engine engine{loaded.what};
    started starting{other.loop(), engine.start(other.request().on_questions(weft::interrupts::park))};
    weft::run_handle run = starting.result();
    std::vector<std::string> asked;
    for (const char* const answer : {"old", "because"}) {
        std::vector<weft::open_question> open;
        other.loop().run_until([&] {
            open = run.questions();
            return !open.empty() && (asked.empty() || open[0].asked.text != asked.back());
        });
        asked.push_back(open[0].asked.text);
        if (asked.size() == 1) BOOST_TEST(open[0].asked.options.size() == 2u);
        started answering{other.loop(), run.answer(open[0].address, boost::json::value(answer))};
        (void)answering.result();
    }
    started waiting{other.loop(), run.result()};
    BOOST_TEST(waiting.result().message() == "finished");
    BOOST_TEST(asked == (std::vector<std::string>{"Which one?", "Why?"}), boost::test_tools::per_element());
    BOOST_TEST(boost::json::serialize(sent(other, 2).at("parts")) == R"([{"data":{"answers":{"x#1/ask#0":"old"}}}])");
    BOOST_TEST(sent(other, 2).at("taskId") == "t");
    BOOST_TEST(boost::json::serialize(sent(other, 3).at("parts")) == R"([{"text":"because"}])");
    // Each message has an id of its own.
    BOOST_TEST(sent(other, 1).at("messageId") != sent(other, 2).at("messageId"));
}

BOOST_AUTO_TEST_CASE(a_stream_that_breaks_off_is_no_failure)
{
    const weft::http_reply half{200,
                                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"t\",\"contextId\":"
                                "\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n"
                                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"artifactUpdate\":{\"taskId\":\"t\","
                                "\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"It \"}]}}}}\n\n",
                                "text/event-stream"};
    service other{agent_answering({half, rpc_result(R"({"id":"t","contextId":"c","status":
        {"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"It is old."}]}]})")}, true)};
    const weft::run_result result = other.run(file_asking(other));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is old.");
    BOOST_TEST(boost::json::parse(other.seen.at(1).body).at("method") == "SendStreamingMessage");
    BOOST_TEST(boost::json::parse(other.seen.at(2).body).at("method") == "GetTask");
    BOOST_TEST(other.told == (std::vector<std::string>{"output: It ", "output: is old."}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_an_agent_refuses_fails_the_node_with_its_words)
{
    constexpr std::string_view quick = "'retry': {'attempts_max': 3, 'initial': '1ms', 'jitter': 'none'}";
    service fails{agent_answering({rpc_result(R"({"task":{"id":"t","status":{"state":"TASK_STATE_FAILED","message":
        {"parts":[{"text":"out of ink"}]}}}})")})};
    const weft::run_result failed = fails.run(file_asking(fails, "", quick));
    BOOST_TEST((code_of(failed) == errc::agent_refused));
    BOOST_TEST(has(failed.message(), "node 'ask', the agent at http://127.0.0.1:"));
    BOOST_TEST(has(failed.message(), "its task t is failed: out of ink"));
    BOOST_TEST(fails.seen.size() == 2u);  // not tried again
    service refuses{agent_answering({weft::http_reply{
        200, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"message.parts: none"}})",
        "application/json"}})};
    BOOST_TEST(has(refuses.run(file_asking(refuses, "", quick)).message(), "it says: message.parts: none"));
    service busy{agent_answering({weft::http_reply{503, "busy"}, rpc_result(done)})};
    BOOST_TEST(busy.run(file_asking(busy, "", quick)).message() == "finished");
    BOOST_REQUIRE(busy.seen.size() == 3u);
    BOOST_TEST(sent(busy, 1).at("messageId") == sent(busy, 2).at("messageId"));
    service silent{agent_answering({rpc_result("{}")})};
    BOOST_TEST((code_of(silent.run(file_asking(silent))) == errc::unexpected_json));
    constexpr std::string_view wants_key = R"({"task":{"id":"t","status":{"state":"TASK_STATE_AUTH_REQUIRED"}}})";
    service closed{agent_answering({rpc_result(wants_key)})};
    BOOST_TEST(has(closed.run(file_asking(closed)).message(), "credentials"));
}

BOOST_AUTO_TEST_CASE(agents_that_are_not_trusted_are_not_reached_at_home_and_get_no_secrets)
{
    service other{agent_answering({rpc_result(done)})};
    other.environment["TOKEN"] = "secret7";
    BOOST_TEST(other.run(file_asking(other, ", 'headers': {'Authorization': 'Bearer ${TOKEN}'}")).message() ==
               "finished");
    BOOST_TEST(other.seen.at(1).token == "Bearer secret7");
    service stranger{agent_answering({rpc_result(done)})};
    stranger.is_trusted = false;
    BOOST_TEST((code_of(stranger.run(file_asking(stranger))) == errc::address_refused));
    BOOST_TEST(stranger.seen.empty());
    const weft::run_result secret =
        stranger.run(file_asking(stranger, ", 'headers': {'Authorization': 'Bearer ${TOKEN}'}"));
    BOOST_TEST((code_of(secret) == errc::invalid_configuration));
    // A card that leads to another host leads to one that is not trusted.
    const std::string elsewhere = R"("supportedInterfaces":[{"url":"http://127.0.0.2:9/","protocolBinding":"JSONRPC",
        "protocolVersion":"1.0"}])";
    service leads{agent_with(elsewhere, {weft::http_reply{404}})};
    BOOST_TEST((code_of(leads.run(file_asking(leads))) == errc::address_refused));
}

BOOST_AUTO_TEST_CASE(a_message_counts_as_a_tool_call)
{
    service other{agent_answering({rpc_result(done)})};
    other.budget.tool_calls = 0;
    BOOST_TEST((code_of(other.run(file_asking(other))) == errc::budget_exhausted));
    BOOST_TEST(other.seen.empty());
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_file_are_told_with_their_place)
{
    service other{agent_answering({rpc_result(done)})};
    const weft::node_registry known = other.registry();
    const auto mistakes = [&](std::string_view settings) { return all_mistakes(file_asking(other, settings), known); };
    BOOST_TEST(mistakes("") == "");
    BOOST_TEST(has(mistakes(", 'timeout': '0s'"), "timeout"));
    BOOST_TEST(has(mistakes(", 'message': '{nothing}'"), "message"));
    BOOST_TEST(has(mistakes(", 'context': 'talk'"), "context"));
    BOOST_TEST(has(mistakes(", 'headers': {'Authorization': 'Bearer abc'}"), "a secret does not stand in a file"));
    BOOST_TEST(has(mistakes(", 'reply_bytes_max': 0"), "reply_bytes_max"));
    BOOST_TEST(survives_writing(file_asking(other, ", 'message': 'About {topic}', 'timeout': '2m'"), known));
}

BOOST_AUTO_TEST_CASE(a_tool_gives_the_words_of_the_agent_and_its_question)
{
    service other{agent_answering(
        {rpc_result(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":
            {"messageId":"q","parts":[{"text":"Which one?"}]}}}})"),
         rpc_result(done)})};
    weft::a2a_tool_options options;
    options.name = "ask_historian";
    options.agent.agent = other.url("/other");
    options.program.trusts = weft::trust_hosts({"127.0.0.1"});
    const std::shared_ptr<weft::tool> historian = weft::a2a_tool(std::move(options));
    BOOST_TEST(historian->spec().name == "ask_historian");
    BOOST_TEST(historian->traits().is_idempotent);
    weft::tool_invocation first;
    first.arguments = {{"message", "How old?"}};
    first.context.idempotency_key = "k1";
    started asking{other.loop(), historian->call(std::move(first))};
    const weft::tool_result asked = asking.result();
    BOOST_TEST(asked.readable() == R"({"asks": "Which one?", "task": "t", "context": "c"})");
    weft::tool_invocation second;
    second.arguments = {{"message", "The old one"}, {"task", "t"}};
    second.context.idempotency_key = "k2";
    started answering{other.loop(), historian->call(std::move(second))};
    BOOST_TEST(answering.result().readable() == "It is old.");
    BOOST_TEST(sent(other, 1).at("messageId") == "k1");
    BOOST_TEST(sent(other, 2).at("taskId") == "t");
    BOOST_TEST(other.seen.size() == 3u);  // the card was read once
}

BOOST_AUTO_TEST_SUITE_END()
