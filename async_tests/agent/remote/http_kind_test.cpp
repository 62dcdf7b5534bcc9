#include <boost/test/unit_test.hpp>

#include "agent/remote/http_kind.hpp"
#include "engine/durable/durable_processes.hpp"
#include "http_services.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/json/parse.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(http_kind_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;
using namespace weft_tests::http_services;
using weft::errc;

namespace {

bool has(const std::string& text, std::string_view part)
{
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) BOOST_TEST_MESSAGE(text);
    return is_there;
}

/** `'url': …` of a service, and more settings. */
std::string calling_service(const service& of, std::string_view path = "/", const std::string& more = "")
{
    return "'url': '" + of.url(path) + "'" + (more.empty() ? "" : ", " + more);
}

errc code_of_run(const weft::run_result& result)
{
    BOOST_REQUIRE(result.why);
    return result.why->code;
}

weft::task<void> stream(weft::http_call& call, std::vector<std::string> events)
{
    co_await call.start_stream(200, "text/event-stream");
    for (const std::string& event : events) {
        co_await call.write(event);
        co_await weft::sleep_for(std::chrono::milliseconds{2});  // each piece reaches the client by itself
    }
}

answer_function stream_answer(std::vector<std::string> events)
{
    return [events](weft::http_call& call, std::size_t) { return stream(call, events); };
}

weft::http_reply plain(int status, std::string body = "no", std::string retry_after = {})
{
    weft::http_reply reply{status, std::move(body)};
    if (!retry_after.empty()) reply.headers.set("retry-after", retry_after);
    return reply;
}

/** Refuses so often with a status, and then answers. */
answer_function refusing(std::size_t times, int status, std::string retry_after = {})
{
    return [=](weft::http_call& call, std::size_t number) {
        return reply_with(call, number < times ? plain(status, "busy", retry_after)
                                               : weft::http_reply{200, R"({"score":1})", "application/json"});
    };
}

/** Never answers. */
weft::task<void> stay_until_gone(weft::http_call& call, bool& is_gone)
{
    struct at_end {
        bool& is_gone;
        ~at_end() { is_gone = true; }
    } const ending{is_gone};
    call.stop_when_gone();
    co_await weft::sleep_for(std::chrono::hours{1});
}

constexpr std::string_view quick_retry = "'retry': {'attempts_max': 3, 'initial': '1ms', 'jitter': 'none'}";

}  // namespace

BOOST_AUTO_TEST_CASE(a_service_gets_what_the_node_reads_and_its_answer_becomes_the_writes)
{
    service scores{json_answer(R"({"score":0.5,"answer":"fair"})")};
    const weft::run_result result = scores.run(file_with(calling_service(scores, "/score")));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "score").as_double() == 0.5);
    BOOST_TEST(value_of(result, "answer").as_string() == "fair");
    BOOST_REQUIRE(scores.seen.size() == 1u);
    BOOST_TEST(scores.seen[0].line == "POST /score");
    BOOST_TEST((boost::json::parse(scores.seen[0].body) == boost::json::parse(R"({"topic":"Rome & more"})")));
    BOOST_TEST(scores.seen[0].key.size() == 36u);
}

BOOST_AUTO_TEST_CASE(values_in_a_url_are_pieces_of_it)
{
    service scores{json_answer(R"({"score":1})")};
    const weft::run_result result =
        scores.run(file_with(calling_service(scores, "/of/{topic}?q={topic}", "'method': 'GET'")));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(scores.seen.at(0).line == "GET /of/Rome%20%26%20more?q=Rome%20%26%20more");
    BOOST_TEST(scores.seen.at(0).body == "");
    const weft::run_result missing = scores.run(file_with(calling_service(scores, "/{answer}"), "'score', 'answer'"));
    BOOST_TEST((code_of_run(missing) == errc::missing_state_value));
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_object_goes_to_the_one_key_and_into_takes_all)
{
    service words{[](weft::http_call& call, std::size_t) { return reply_with(call, plain(200, "It rains.")); }};
    BOOST_TEST(value_of(words.run(file_with(calling_service(words), "'answer'")), "answer").as_string() == "It rains.");
    const weft::run_result unclear = words.run(file_with(calling_service(words)));
    BOOST_TEST((code_of_run(unclear) == errc::invalid_output));
    BOOST_TEST(has(unclear.message(), "say in \"into\""));
    service scores{json_answer(R"({"of":"another system"})")};
    const weft::run_result whole = scores.run(file_with(calling_service(scores, "/", "'into': 'all'"), "'all'"));
    BOOST_TEST(value_of(whole, "all").at("of").as_string() == "another system");
    service nothing{[](weft::http_call& call, std::size_t) { return reply_with(call, plain(204, "")); }};
    BOOST_TEST(nothing.run(file_with(calling_service(nothing))).message() == "finished");
}

BOOST_AUTO_TEST_CASE(an_answer_that_cannot_be_written_names_node_and_keys_and_writes_nothing)
{
    service scores{json_answer(R"({"scroe":1,"topic":"x","answer":"y","score":"high"})")};
    const weft::run_result result = scores.run(file_with(calling_service(scores)));
    BOOST_TEST((code_of_run(result) == errc::invalid_output));
    for (const char* part : {"node 'call'", "'scroe' is no key of the graph (did you mean 'score'?)",
                             "the node's writes do not name 'topic'", "'score' does not fit its key"})
        BOOST_TEST(has(result.message(), part));
    BOOST_TEST(!result.state.to_json().contains("answer"));
    service broken{json_answer("{")};
    BOOST_TEST((code_of_run(broken.run(file_with(calling_service(broken)))) == errc::invalid_json));
}

BOOST_AUTO_TEST_CASE(events_are_heard_and_the_result_is_the_answer)
{
    service tells{stream_answer({"data: thi", "nks\n\nevent: progress\ndata: 50 %\n\n",
                                 "event: result\ndata: {\"score\": 2}\n\nevent: late\ndata: x\n\n"})};
    const weft::run_result result = tells.run(file_with(calling_service(tells)));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "score").as_double() == 2);
    BOOST_TEST(tells.told == (std::vector<std::string>{"output: thinks", "progress: 50 %"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_service_does_not_speak_as_an_agent_and_what_a_failed_attempt_told_is_void)
{
    service forges{stream_answer({"event: usage\ndata: {}\n\nevent: a b\ndata: x\n\nevent: result\ndata: 1\n\n"})};
    BOOST_TEST(forges.run(file_with(calling_service(forges), "'score'")).message() == "finished");
    BOOST_TEST(forges.told == (std::vector<std::string>{"custom: {}", "custom: x"}), boost::test_tools::per_element());
    service breaks{[](weft::http_call& call, std::size_t number) {
        return stream(call, number == 0 ? std::vector<std::string>{"data: one\n\n", "data: " + std::string(200, 'x')}
                                        : std::vector<std::string>{"data: two\n\nevent: result\ndata: 1\n\n"});
    }};
    const std::string small = "'reply_bytes_max': 100";
    const weft::run_result result = breaks.run(file_with(calling_service(breaks, "/", small), "'score'", quick_retry));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(breaks.told == (std::vector<std::string>{"output: one", "retract: ", "output: two"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_last_event_is_the_answer_of_a_stream_without_result)
{
    service tells{stream_answer({"data: one\n\n", "data: {\"answer\": \"two\"}\n\n"})};
    BOOST_TEST(value_of(tells.run(file_with(calling_service(tells))), "answer").as_string() == "two");
    service words{stream_answer({"data: one\n\n", "data: last words\n\n"})};
    const weft::run_result told = words.run(file_with(calling_service(words), "'answer'"));
    BOOST_TEST(value_of(told, "answer").as_string() == "last words");
    service silent{stream_answer({": nothing\n\n"})};
    BOOST_TEST((code_of_run(silent.run(file_with(calling_service(silent)))) == errc::invalid_output));
    service fails{stream_answer({"event: error\ndata: {\"message\": \"out of ink\"}\n\n"})};
    const weft::run_result failed = fails.run(file_with(calling_service(fails)));
    BOOST_TEST((code_of_run(failed) == errc::http_refused));
    BOOST_TEST(has(failed.message(), "out of ink"));
}

BOOST_AUTO_TEST_CASE(a_status_that_says_no_is_told_with_its_message_and_not_retried)
{
    const std::string long_text(300, 'x');
    service strict{json_answer(R"({"error":{"message":")" + long_text + R"("}})", 422)};
    const weft::run_result result =
        strict.run(file_with(calling_service(strict, "/secret?token=1"), "'score'", quick_retry));
    BOOST_TEST((code_of_run(result) == errc::http_refused));
    BOOST_TEST(has(result.message(), "status 422: " + std::string(200, 'x') + "…"));
    BOOST_TEST(!has(result.message(), std::string(201, 'x')));
    BOOST_TEST(!has(result.message(), "token=1"));
    BOOST_TEST(strict.seen.size() == 1u);
    service moved{[](weft::http_call& call, std::size_t) { return reply_with(call, plain(301)); }};
    const weft::run_result elsewhere = moved.run(file_with(calling_service(moved), "'score'", quick_retry));
    BOOST_TEST(has(elsewhere.message(), "a redirect, which is not followed"));
    BOOST_TEST(moved.seen.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_may_pass_is_tried_again_with_the_same_key)
{
    for (const int status : {408, 425, 429, 500, 503}) {
        service busy{refusing(2, status)};
        const weft::run_result result = busy.run(file_with(calling_service(busy), "'score'", quick_retry));
        BOOST_TEST(result.message() == "finished");
        BOOST_REQUIRE(busy.seen.size() == 3u);
        BOOST_TEST(busy.seen[0].key == busy.seen[2].key);
    }
    service gone{refusing(9, 503)};
    const weft::run_result result = gone.run(file_with(calling_service(gone), "'score'", quick_retry));
    BOOST_TEST((code_of_run(result) == errc::http_unavailable));
    BOOST_TEST(gone.seen.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_a_service_asks_to_wait_is_waited)
{
    service busy{refusing(1, 429, "1")};
    const auto begin = std::chrono::steady_clock::now();
    const weft::run_result result = busy.run(file_with(calling_service(busy), "'score'", quick_retry));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds{900}));
    // At most as long as a retry may wait; and not at all after the last attempt.
    service patient{refusing(1, 429, "3600")};
    const std::string bounded = "'retry': {'attempts_max': 2, 'initial': '1ms', 'delay_max': '20ms'}";
    BOOST_TEST(patient.run(file_with(calling_service(patient), "'score'", bounded)).message() == "finished");
    service last{refusing(1, 429, "3600")};
    BOOST_TEST((code_of_run(last.run(file_with(calling_service(last)))) == errc::http_unavailable));
}

BOOST_AUTO_TEST_CASE(only_trusted_services_may_have_private_addresses_and_get_secrets)
{
    service inner{json_answer(R"({"score":1})")};
    inner.is_trusted = false;
    const weft::run_result refused = inner.run(file_with(calling_service(inner)));
    BOOST_TEST((code_of_run(refused) == errc::address_refused));
    BOOST_TEST(has(refused.message(), "--allow http=127.0.0.1"));
    BOOST_TEST(!has(refused.message(), "resolves"));
    inner.environment = {{"TOKEN", "s3cret-s3cret-s3cret"}};
    const std::string with_secret = "'headers': {'Authorization': 'Bearer ${TOKEN}', 'X-Plain': 'y'}";
    const weft::run_result kept = inner.run(file_with(calling_service(inner, "/", with_secret)));
    BOOST_TEST((code_of_run(kept) == errc::invalid_configuration));
    BOOST_TEST(has(kept.message(), "trusted services only"));
    BOOST_TEST(inner.seen.empty());
    inner.is_trusted = true;
    BOOST_TEST(inner.run(file_with(calling_service(inner, "/", with_secret))).message() == "finished");
    BOOST_TEST(inner.seen.at(0).token == "Bearer s3cret-s3cret-s3cret");
    inner.environment.clear();
    const weft::run_result missing = inner.run(file_with(calling_service(inner, "/", with_secret)));
    BOOST_TEST(has(missing.message(), "the environment variable TOKEN is not set"));
}

BOOST_AUTO_TEST_CASE(a_secret_that_a_service_repeats_is_not_told)
{
    service echo{[](weft::http_call& call, std::size_t) {
        const std::string given{call.headers().find("authorization").value_or("")};
        return reply_with(call, plain(400, "bad token " + given));
    }};
    echo.environment = {{"TOKEN", "s3cret-s3cret-s3cret"}};
    const weft::run_result result =
        echo.run(file_with(calling_service(echo, "/", "'headers': {'Authorization': 'Bearer ${TOKEN}'}")));
    BOOST_TEST(has(result.message(), "bad token"));
    BOOST_TEST(!has(result.message(), "s3cret-s3cret"));
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_too_large_or_too_slow_fails)
{
    service large{json_answer("\"" + std::string(5000, 'x') + "\"")};
    const weft::run_result too_large = large.run(file_with(calling_service(large, "/", "'reply_bytes_max': 1000")));
    BOOST_TEST((code_of_run(too_large) == errc::response_too_large));
    service endless{stream_answer({"data: " + std::string(3000, 'x') + "\n\n", "data: y\n\n"})};
    const weft::run_result stream_too_large =
        endless.run(file_with(calling_service(endless, "/", "'reply_bytes_max': 1000")));
    BOOST_TEST((code_of_run(stream_too_large) == errc::response_too_large));
    bool is_gone = false;
    service slow{[&](weft::http_call& call, std::size_t) { return stay_until_gone(call, is_gone); }};
    const weft::run_result too_slow = slow.run(file_with(calling_service(slow, "/", "'timeout': '30ms'")));
    BOOST_TEST((code_of_run(too_slow) == errc::timeout));
    BOOST_TEST(has(too_slow.message(), "setting timeout"));
}

BOOST_AUTO_TEST_CASE(a_call_counts_as_one_of_a_tool)
{
    service scores{json_answer(R"({"score":1})")};
    scores.budget.tool_calls = 1;
    BOOST_TEST(scores.run(file_with(calling_service(scores))).message() == "finished");
    scores.budget.tool_calls = 0;
    BOOST_TEST((code_of_run(scores.run(file_with(calling_service(scores)))) == errc::budget_exhausted));
    BOOST_TEST(scores.seen.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_connection)
{
    bool is_gone = false;
    service slow{[&](weft::http_call& call, std::size_t) { return stay_until_gone(call, is_gone); }};
    const weft::node_registry known = slow.registry();
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_with(calling_service(slow))), known);
    const weft::engine engine{loaded.what};
    started going{slow.loop(), engine.run(slow.request())};
    slow.loop().run_until([&] { return !slow.seen.empty(); });
    going.stop();
    BOOST_TEST((going.result().status == weft::run_status::cancelled));
    slow.loop().run_until([&] { return is_gone; });
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_recorded_is_not_asked_for_again)
{
    // The first request is refused; the second answer is recorded, and its node fails afterwards, and again.
    service scores{[](weft::http_call& call, std::size_t number) {
        return reply_with(call, number == 0 ? plain(503)
                                            : weft::http_reply{200, R"({"score":7})", "application/json"});
    }};
    const weft::node_registry known = scores.registry();
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(file_with(calling_service(scores), "'score'",
                            std::string{quick_retry} + ", 'outputs': {'check': 'score < 5'}")),
        known);
    const auto journal = std::make_shared<weft::memory_journal>("a/b/c");
    const weft::engine engine{loaded.what};
    started going{scores.loop(), engine.run(scores.request().journal(journal))};
    BOOST_TEST((code_of_run(going.result()) == errc::invalid_output));
    BOOST_REQUIRE(scores.seen.size() == 2u);
    BOOST_TEST(scores.seen[0].key == scores.seen[1].key);
    // Nothing of the request but method and URL is written down.
    for (const auto& [address, effect] : journal->effects()) BOOST_TEST(!has(effect.body, "Rome"));
}

BOOST_AUTO_TEST_CASE(a_process_that_takes_over_after_a_crash_sends_the_same_key)
{
    bool is_gone = false;
    service scores{[&](weft::http_call& call, std::size_t number) {
        if (number == 0) return stay_until_gone(call, is_gone);
        return reply_with(call, weft::http_reply{200, R"({"score":7})", "application/json"});
    }};
    const weft::node_registry known = scores.registry();
    const weft::loaded_graph loaded =
        weft::load_graph(spec_text(file_with(calling_service(scores), "'score'")), known);
    const auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(loaded.what);
    weft::memory_store store{weft::hash_key{}};
    weft::durable_options options;
    options.lifetime = std::chrono::milliseconds{600};
    options.heartbeat_every = std::chrono::milliseconds{100};
    started first{scores.loop(), first_process(store, graphs, options)};
    scores.loop().run_until([&] { return !scores.seen.empty(); });
    first.destroy();
    started second{scores.loop(), later_process(store, graphs, options)};
    const weft::run_result result = second.result();
    BOOST_TEST(value_of(result, "score").as_double() == 7);
    BOOST_REQUIRE(scores.seen.size() == 2u);
    BOOST_TEST(scores.seen[0].key == scores.seen[1].key);
    BOOST_TEST(scores.seen[0].key != "");
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_node_are_told_at_once)
{
    const weft::node_registry known = registry_around({});
    const auto problem = [&](std::string_view settings, std::string_view writes = "'score'") {
        return all_mistakes(file_with(settings, writes), known);
    };
    const std::string all = problem(
        "'url': 'http://{topic}/x', 'method': 'SEND', 'timeout': '0s', 'reply_bytes_max': 0, 'into': 'topic', "
        "'headers': {'Authorization': 'Bearer abc', 'X-A': '${', 'bad name': 'x', 'Host': 'x'}");
    for (const char* part :
         {"$.nodes[0].settings.url: a key stands in the host", "$.nodes[0].settings.method: is 'SEND'",
          "$.nodes[0].settings.timeout: is longer", "$.nodes[0].settings.reply_bytes_max: is from 1",
          "$.nodes[0].settings.into: the node's writes do not name 'topic'",
          "$.nodes[0].settings.headers.Authorization: a secret does not stand in a file",
          "$.nodes[0].settings.headers[\"X-A\"]: '${' begins a reference",
          "headers[\"bad name\"]: a header name", "headers.Host: the client sets it"})
        BOOST_TEST(has(all, part));
    BOOST_TEST(has(problem(""), "url"));
    BOOST_TEST(has(problem("'url': 'ftp://x'"), "is no URL"));
    BOOST_TEST(has(problem("'url': '/score'"), "is no URL"));
    BOOST_TEST(has(problem("'url': '{topic}/x'"), "stand in the file, keys behind"));
    BOOST_TEST(has(problem("'url': 'http://x/{answer}'"), "answer"));
    BOOST_TEST(has(problem("'url': 'http://x/{nobody}'"), "nobody"));
    BOOST_TEST(has(problem("'url': 'http://x', 'urll': 1"), "urll"));
}

BOOST_AUTO_TEST_CASE(a_graph_says_the_file_it_came_from)
{
    const weft::node_registry known = registry_around({});
    BOOST_TEST(survives_writing(file_with("'url': 'http://x/{topic}', 'method': 'PUT', 'headers': {'a': '${B}'}, "
                                          "'timeout': '5s', 'reply_bytes_max': 10, 'into': 'score'"),
                                known));
}

BOOST_AUTO_TEST_SUITE_END()
