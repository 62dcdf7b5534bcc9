#include <boost/test/unit_test.hpp>

#include "agent/remote/openai_agent_kind.hpp"
#include "http_services.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

BOOST_AUTO_TEST_SUITE(openai_agent_kind_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;
using namespace weft_tests::http_services;
using weft::errc;

namespace {

constexpr std::string_view one_attempt = "'retry': {'attempts_max': 1}";
constexpr std::string_view quick = "'retry': {'attempts_max': 3, 'initial': '1ms', 'jitter': 'none'}";

/** A file with one node that asks the agent. */
std::string file_asking(const service& agent, std::string_view more_settings = "",
                        std::string_view more = one_attempt, std::string_view writes = "'answer'")
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'Rome'}, {'name': 'answer', 'type': 'string'}, "
           "{'name': 'talk', 'type': 'string'}, {'name': 'score', 'type': 'number'}, "
           "{'name': 'said', 'type': 'messages', 'reducer': 'append'}], 'nodes': [{'name': 'ask', "
           "'kind': 'openai_agent', 'reads': ['topic', 'talk', 'said'], 'writes': [" +
           std::string{writes} + "], " + std::string{more} + ", 'settings': {'url': '" + agent.url("/v1") +
           "', 'model': 'guide'" + std::string{more_settings} + "}}], 'edges': [{'from': '__start__', 'to': 'ask'}]";
}

std::string event(std::string_view data) { return "data: " + std::string{data} + "\n\n"; }

std::string response_json(std::string_view id, std::string_view status, std::string_view output,
                          std::string_view more = "")
{
    return R"({"id":")" + std::string{id} + R"(","object":"response","status":")" + std::string{status} +
           R"(","output":[)" + std::string{output} + R"(],"usage":{"input_tokens":7,"output_tokens":3})" +
           std::string{more} + "}";
}

std::string text_item(std::string_view text)
{
    return R"({"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text",)"
           R"("text":")" + std::string{text} + R"("}]})";
}

std::string question_item(std::string_view arguments)
{
    std::string text{arguments};
    for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 2)) text.insert(at, 1, '\\');
    return R"({"type":"function_call","id":"f1","call_id":"q1","name":"weft_question","status":"completed",)"
           R"("arguments":")" + text + R"("})";
}

weft::http_reply stream_of(std::string_view text)
{
    return weft::http_reply{200, std::string{text}, "text/event-stream"};
}

/** A whole response as a stream, its text in two pieces. */
std::string streamed(std::string_view id, std::string_view first, std::string_view second)
{
    const std::string delta = R"({"type":"response.output_text.delta","item_id":"m1","output_index":0,"delta":")";
    return event(R"({"type":"response.created","sequence_number":0,"response":)" +
                 response_json(id, "in_progress", "") + "}") +
           event(delta + std::string{first} + R"(","sequence_number":1})") +
           event(delta + std::string{second} + R"(","sequence_number":2})") +
           event(R"({"type":"response.completed","sequence_number":3,"response":)" +
                 response_json(id, "completed", text_item(std::string{first} + std::string{second})) + "}");
}

weft::http_reply answer_stream(std::string_view id = "resp_1") { return stream_of(streamed(id, "It is ", "old.")); }

weft::http_reply ended(std::string_view how, std::string_view response)
{
    return stream_of(event(R"({"type":"response.)" + std::string{how} + R"(","sequence_number":9,"response":)" +
                           std::string{response} + "}"));
}

/** Answers with these, one after another, and with the last one again. */
answer_function agent_answering(std::vector<weft::http_reply> answers)
{
    return [=](weft::http_call& call, std::size_t number) {
        return reply_with(call, answers[std::min(number, answers.size() - 1)]);
    };
}

boost::json::value body_of(const service& agent, std::size_t number)
{
    return boost::json::parse(agent.seen.at(number).body);
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

/** Runs a file, and answers its questions. @return  What was asked. */
std::vector<weft::question> run_answering(service& agent, const std::string& file, std::vector<std::string> answers)
{
    const weft::node_registry known = agent.registry();
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file), known);
    const weft::engine engine{loaded.what};
    started starting{agent.loop(), engine.start(agent.request().on_questions(weft::interrupts::park))};
    weft::run_handle run = starting.result();
    std::vector<weft::question> asked;
    for (const std::string& answer : answers) {
        std::vector<weft::open_question> open;
        agent.loop().run_until([&] {
            open = run.questions();
            return !open.empty() && (asked.empty() || open[0].asked.text != asked.back().text);
        });
        asked.push_back(open[0].asked);
        started answering{agent.loop(), run.answer(open[0].address, boost::json::parse(answer))};
        (void)answering.result();
    }
    started waiting{agent.loop(), run.result()};
    BOOST_TEST(waiting.result().message() == "finished");
    return asked;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_agent_is_asked_and_its_answer_is_heard_and_written)
{
    service other{agent_answering({answer_stream()})};
    const weft::run_result result = other.run(
        file_asking(other, ", 'message': 'About {topic}', 'instructions': 'Be brief.', 'conversation': 'talk'",
                    one_attempt, "'answer', 'talk'"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is old.");
    BOOST_TEST(value_of(result, "talk").as_string() == "resp_1");
    BOOST_REQUIRE(other.seen.size() == 1u);
    BOOST_TEST(other.seen[0].line == "POST /v1/responses");
    BOOST_TEST(!other.seen[0].key.empty());
    const boost::json::value asked = body_of(other, 0);
    BOOST_TEST(asked.at("model") == "guide");
    BOOST_TEST(asked.at("store") == true);
    BOOST_TEST(asked.at("instructions") == "Be brief.");
    BOOST_TEST(boost::json::serialize(asked.at("input")) ==
               R"([{"type":"message","role":"user","content":"About Rome"}])");
    BOOST_TEST(!asked.as_object().contains("previous_response_id"));
    BOOST_TEST(other.told == (std::vector<std::string>{"output: It is ", "output: old.",
                                                       R"(usage: {"input":7,"output":3})"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_further_visit_goes_on_behind_the_response_before)
{
    service other{agent_answering({answer_stream("resp_8")})};
    std::string file = file_asking(other, ", 'conversation': 'talk'", one_attempt, "'answer', 'talk'");
    const std::string known = "{'name': 'talk', 'type': 'string'";
    file.replace(file.find(known), known.size(), known + ", 'initial': 'resp_7'");
    BOOST_TEST(value_of(other.run(file), "talk").as_string() == "resp_8");
    BOOST_TEST(body_of(other, 0).at("previous_response_id") == "resp_7");
    // Chat completions have no memory: all that was said goes along.
    const weft::http_reply chat = stream_of(
        event(R"({"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"Old."}}]})") +
        event(R"({"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") + "data: [DONE]\n\n");
    service talker{agent_answering({chat})};
    std::string loop = file_asking(talker, ", 'api': 'chat', 'message': '{topic}?', 'conversation': 'said'",
                                   one_attempt, "'answer', 'said'");
    loop.replace(loop.find("'edges': ["), 10,
                 "'edges': [{'from': 'ask', 'to': 'ask', 'when': 'len(said) < 4'}, {'from': 'ask', 'to': '__end__'}, ");
    const weft::run_result result = talker.run(loop);
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "said").as_array().size() == 4u);
    BOOST_REQUIRE(talker.seen.size() == 2u);
    BOOST_TEST(talker.seen[1].line == "POST /v1/chat/completions");
    BOOST_TEST(boost::json::serialize(body_of(talker, 1).at("messages")) ==
               R"([{"role":"user","content":"Rome?"},{"role":"assistant","content":"Old."},)"
               R"({"role":"user","content":"Rome?"}])");
}

BOOST_AUTO_TEST_CASE(what_an_agent_asks_is_a_question_of_the_run_and_the_answer_goes_back)
{
    const std::string choice =
        question_item(R"({"question":"Which?","help":"Look.","answer_schema":{"type":"string","enum":["old","12"]}})");
    const std::string yes_no = question_item(R"({"question":"Sure?","answer_schema":{"type":"boolean"}})");
    const std::string form = question_item(
        R"({"question":"When?","answer_schema":{"type":"object","properties":{"day":{"type":"integer"}}}})");
    service other{agent_answering({ended("completed", response_json("resp_1", "completed", choice)),
                                   ended("completed", response_json("resp_2", "completed", yes_no)),
                                   ended("completed", response_json("resp_3", "completed", form)),
                                   answer_stream("resp_4")})};
    const std::vector<weft::question> asked =
        run_answering(other, file_asking(other), {R"("12")", "true", R"({"day":3})"});
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST((asked[0].kind == weft::question_kind::selection));
    BOOST_TEST(asked[0].help == "Look.");
    BOOST_TEST((asked[1].kind == weft::question_kind::approval));
    BOOST_TEST((asked[2].kind == weft::question_kind::structured));
    BOOST_REQUIRE(other.seen.size() == 4u);
    const auto output = [&](std::size_t number) {
        return boost::json::serialize(body_of(other, number).at("input"));
    };
    BOOST_TEST(output(1) == R"([{"type":"function_call_output","call_id":"q1","output":"\"12\""}])");
    BOOST_TEST(output(2) == R"([{"type":"function_call_output","call_id":"q1","output":"true"}])");
    BOOST_TEST(output(3) == R"([{"type":"function_call_output","call_id":"q1","output":"{\"day\":3}"}])");
    BOOST_TEST(body_of(other, 3).at("previous_response_id") == "resp_3");
    // Each answer has a key of its own.
    BOOST_TEST(other.seen[0].key != other.seen[1].key);
}

BOOST_AUTO_TEST_CASE(what_an_agent_refuses_fails_the_node_with_its_place)
{
    const auto told = [&](weft::http_reply answer, errc code, std::string_view part, std::size_t requests = 1) {
        service other{agent_answering({answer})};
        const weft::run_result result = other.run(file_asking(other, "", quick));
        BOOST_TEST((code_of(result) == code), part);
        BOOST_TEST(has(result.message(), "node 'ask', the agent at http://127.0.0.1:"));
        BOOST_TEST(has(result.message(), part));
        BOOST_TEST(other.seen.size() == requests, part);
    };
    const std::string no = R"({"type":"message","id":"m1","role":"assistant","status":"completed","content":[)"
                           R"({"type":"refusal","refusal":"I do not do that."}]})";
    told(ended("completed", response_json("r", "completed", no)), errc::agent_refused, "I do not do that.");
    told(ended("incomplete", response_json("r", "incomplete", text_item("It"),
                                           R"(,"incomplete_details":{"reason":"max_output_tokens"})")),
         errc::agent_refused, "incomplete: max_output_tokens");
    const std::string tool = R"({"type":"function_call","id":"f","call_id":"c","name":"get_weather",)"
                             R"("status":"completed","arguments":"{}"})";
    told(ended("completed", response_json("r", "completed", tool)), errc::agent_refused, "'get_weather'");
    // What may pass is tried again.
    told(ended("failed", response_json("r", "failed", "", R"(,"error":{"code":"server_error","message":"no ink"})")),
         errc::model_overloaded, "no ink", 3);
    told(weft::http_reply{503, R"({"error":{"message":"busy"}})", "application/json"}, errc::model_overloaded, "busy",
         3);
    told(stream_of(event(R"({"type":"response.created","response":{"id":"r"}})")), errc::response_truncated,
         "the stream ended", 3);
    told(stream_of(event("{not json")), errc::invalid_model_reply, "not JSON", 3);
}

BOOST_AUTO_TEST_CASE(what_an_agent_asks_to_wait_is_waited)
{
    weft::http_reply full{429, R"({"error":{"message":"slowly"}})", "application/json"};
    full.headers.set("Retry-After", "1");
    service other{agent_answering({full, answer_stream()})};
    const weft::time_point before = other.loop().loop().now();
    BOOST_TEST(other.run(file_asking(other, "", quick)).message() == "finished");
    BOOST_TEST((other.loop().loop().now() - before >= std::chrono::seconds{1}));
    BOOST_REQUIRE(other.seen.size() == 2u);
    BOOST_TEST(other.seen[0].key == other.seen[1].key);
}

BOOST_AUTO_TEST_CASE(a_response_in_the_background_is_ordered_and_followed_over_broken_streams)
{
    const std::string whole = streamed("resp_1", "It is ", "old.");
    const std::string half = whole.substr(0, whole.find(R"("old.)"));
    service other{agent_answering({stream_of(whole.substr(0, whole.find("\n\n") + 2)), stream_of(half),
                                   weft::http_reply{503, "busy"}, stream_of(whole)})};
    const weft::run_result result = other.run(file_asking(other, ", 'background': true"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is old.");
    BOOST_REQUIRE(other.seen.size() == 4u);
    BOOST_TEST(body_of(other, 0).at("background") == true);
    BOOST_TEST(other.seen[1].line == "GET /v1/responses/resp_1?stream=true");
    BOOST_TEST(other.seen[2].line == "GET /v1/responses/resp_1?stream=true&starting_after=1");
    for (const seen_request& one : other.seen) BOOST_TEST(one.trace.size() == 55u, one.line);
    BOOST_TEST(other.seen[3].trace == other.seen[1].trace);
    // What was heard before is not told again.
    BOOST_TEST(other.told == (std::vector<std::string>{"output: It is ", "output: old.",
                                                       R"(usage: {"input":7,"output":3})"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_agent_that_does_not_stream_its_background_is_asked_again)
{
    const auto document = [](std::string_view status, std::string_view output) {
        return weft::http_reply{200, response_json("resp_1", status, output), "application/json"};
    };
    service other{agent_answering({document("queued", ""), weft::http_reply{400, "no stream"},
                                   document("in_progress", ""), document("completed", text_item("It is old."))})};
    const weft::run_result result = other.run(file_asking(other, ", 'background': true"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "It is old.");
    BOOST_REQUIRE(other.seen.size() == 4u);
    BOOST_TEST(other.seen[3].line == "GET /v1/responses/resp_1");
}

BOOST_AUTO_TEST_CASE(a_response_that_takes_too_long_is_cancelled)
{
    service other{[](weft::http_call& call, std::size_t) {
        return reply_with(call, weft::http_reply{200, response_json("resp_1", "in_progress", ""), "application/json"});
    }};
    const weft::run_result result = other.run(file_asking(other, ", 'background': true, 'timeout': '3s'"));
    BOOST_TEST((code_of(result) == errc::timeout));
    BOOST_TEST(other.seen.back().line == "POST /v1/responses/resp_1/cancel");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_cancels_its_response)
{
    service other{[](weft::http_call& call, std::size_t) {
        return reply_with(call, weft::http_reply{200, response_json("resp_1", "in_progress", ""), "application/json"});
    }};
    const weft::node_registry known = other.registry();
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_asking(other, ", 'background': true")), known);
    const weft::engine engine{loaded.what};
    std::stop_source stop;
    const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    weft::run_request request = other.request().stop(stop.get_token());
    request.trace(*weft::trace_context::read(parent, "vendor=1"));
    started going{other.loop(), engine.run(std::move(request))};
    other.loop().run_until([&] { return other.seen.size() >= 3; });
    stop.request_stop();
    BOOST_TEST((going.result().status == weft::run_status::cancelled));
    BOOST_TEST(other.seen.back().line == "POST /v1/responses/resp_1/cancel");
    // The order, the looks and the cancel belong to the trace of the run, each call with a span of its own.
    for (const seen_request& one : other.seen) {
        BOOST_TEST(one.trace.substr(0, 36) == parent.substr(0, 36), one.line);
        BOOST_TEST(one.trace_state == "vendor=1", one.line);
    }
    BOOST_TEST(other.seen.back().trace == other.seen[1].trace);
}

BOOST_AUTO_TEST_CASE(keys_go_to_trusted_agents_only)
{
    service other{agent_answering({answer_stream()})};
    other.environment["TOKEN"] = "secret7secret7";
    BOOST_TEST(other.run(file_asking(other, ", 'key': 'TOKEN'")).message() == "finished");
    BOOST_TEST(other.seen.at(0).token == "Bearer secret7secret7");
    BOOST_TEST(has(other.run(file_asking(other, ", 'key': 'NONE'")).message(), "the variable NONE is not set"));
    // An agent that repeats what it was sent does not bring the key into a message.
    service parrot{agent_answering({weft::http_reply{400, R"({"error":{"message":"no: secret7secret7"}})",
                                                     "application/json"}})};
    parrot.environment["TOKEN"] = "secret7secret7";
    BOOST_TEST(!has(parrot.run(file_asking(parrot, ", 'key': 'TOKEN'")).message(), "secret7"));
    service stranger{agent_answering({answer_stream()})};
    stranger.is_trusted = false;
    stranger.environment["TOKEN"] = "secret7";
    BOOST_TEST((code_of(stranger.run(file_asking(stranger))) == errc::address_refused));
    const weft::run_result secret = stranger.run(file_asking(stranger, ", 'key': 'TOKEN'"));
    BOOST_TEST((code_of(secret) == errc::invalid_configuration));
    BOOST_TEST(has(secret.message(), "--allow http=127.0.0.1"));
    BOOST_TEST(stranger.seen.empty());
}

BOOST_AUTO_TEST_CASE(an_answer_is_paid_from_the_budget_of_the_run)
{
    service other{agent_answering({answer_stream()})};
    other.budget.tool_calls = 0;
    BOOST_TEST((code_of(other.run(file_asking(other))) == errc::budget_exhausted));
    other.budget = weft::budget{};
    other.budget.cost = weft::usd_micros{1};
    // Its cost is limited: an agent without prices is not asked.
    BOOST_TEST((code_of(other.run(file_asking(other))) == errc::invalid_configuration));
    BOOST_TEST((code_of(other.run(file_asking(other, ", 'input_price': 2, 'output_price': 8"))) ==
                errc::budget_exhausted));
    BOOST_TEST(other.seen.empty());
    other.budget.cost = weft::usd_micros{1'000'000};
    const weft::run_result paid = other.run(file_asking(other, ", 'input_price': 2, 'output_price': 8"));
    BOOST_TEST(paid.message() == "finished");
    BOOST_TEST(paid.spent->tokens.count() == 10);
    BOOST_TEST(paid.spent->tool_calls == 1);
    BOOST_TEST(paid.spent->cost.count() == 38);
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_file_are_told_with_their_place)
{
    service other{agent_answering({answer_stream()})};
    const weft::node_registry known = other.registry();
    const auto mistakes = [&](std::string_view settings) { return all_mistakes(file_asking(other, settings), known); };
    BOOST_TEST(mistakes("") == "");
    BOOST_TEST(has(mistakes(", 'api': 'completions'"), "api"));
    BOOST_TEST(has(mistakes(", 'api': 'chat', 'background': true"), "background"));
    BOOST_TEST(has(mistakes(", 'timeout': '0s'"), "timeout"));
    BOOST_TEST(has(mistakes(", 'message': '{nothing}'"), "message"));
    BOOST_TEST(has(mistakes(", 'conversation': 'talk'"), "conversation"));
    BOOST_TEST(has(mistakes(", 'headers': {'Authorization': 'Bearer abc'}"), "a secret does not stand in a file"));
    BOOST_TEST(has(mistakes(", 'headers': {'X-Who': '${NAME}'}"), "key_header"));
    BOOST_TEST(has(mistakes(", 'reply_bytes_max': 0"), "reply_bytes_max"));
    BOOST_TEST(survives_writing(
        file_asking(other, ", 'message': 'About {topic}', 'timeout': '2m', 'background': true, 'input_price': 2.5"),
        known));
}

BOOST_AUTO_TEST_CASE(a_tool_gives_the_words_of_the_agent_and_its_question)
{
    const std::string asks = question_item(R"({"question":"Which one?","answer_schema":{"type":"string"}})");
    service other{agent_answering({ended("completed", response_json("resp_1", "completed", asks)),
                                   answer_stream("resp_2")})};
    weft::openai_agent_tool_options options;
    options.name = "ask_historian";
    options.agent.url = other.url("/v1");
    options.agent.model = "guide";
    options.program.trusts = weft::trust_hosts({"127.0.0.1"});
    const std::shared_ptr<weft::tool> historian = weft::openai_agent_tool(std::move(options));
    BOOST_TEST(historian->spec().name == "ask_historian");
    weft::tool_invocation first;
    first.arguments = {{"message", "How old?"}};
    first.context.idempotency_key = "k1";
    started asking{other.loop(), historian->call(std::move(first))};
    BOOST_TEST(asking.result().readable() == R"({"response": "resp_1", "asks": "Which one?", "call": "q1", )"
                                             R"("answer_schema": {"type": "string", "minLength": 1}})");
    weft::tool_invocation second;
    second.arguments = {{"message", "The old one"}, {"response", "resp_1"}, {"call", "q1"}};
    second.context.idempotency_key = "k2";
    started answering{other.loop(), historian->call(std::move(second))};
    BOOST_TEST(answering.result().readable() == R"({"response": "resp_2", "answer": "It is old."})");
    BOOST_TEST(other.seen.at(0).key == "k1");
    BOOST_TEST(body_of(other, 1).at("previous_response_id") == "resp_1");
    BOOST_TEST(boost::json::serialize(body_of(other, 1).at("input")) ==
               R"([{"type":"function_call_output","call_id":"q1","output":"The old one"}])");
}

BOOST_AUTO_TEST_SUITE_END()
