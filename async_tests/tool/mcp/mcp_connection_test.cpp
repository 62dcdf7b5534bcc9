#include <weft/testing/async_test_case.hpp>

#include "tool/scripted_mcp_server.hpp"

#include <weft/testing/simulation/suspension_points.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_connection_test)

using namespace scripted_mcp;
using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::task;

namespace {

task<boost::json::value> accept_form(boost::json::object params)
{
    BOOST_TEST(params.at("message").as_string() == "How many seats?");
    co_return weft::parse_json(R"({"action":"accept","content":{"seats":2}})");
}

task<boost::json::value> wait_for_ever(boost::json::object)
{
    co_await weft::sleep_for(1h);
    co_return nullptr;
}

std::string request_line(std::string_view id, std::string_view method, std::string_view params = "{}")
{
    return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"method":")" + std::string{method} + R"(","params":)" +
           std::string{params} + "}";
}

/** The answer that the client sent to the server's request `id`. */
const json_rpc_message* answer_of(const server_script& script, const weft::json_rpc_id& id)
{
    for (const weft::mcp_outgoing& each : script.received)
        if (each.message.is_answer() && each.message.id() == id) return &each.message;
    return nullptr;
}

constexpr std::string_view nothing = R"({"content":[]})";

/** Answers a call, and asks something before. */
std::shared_ptr<server_script> asking_server(std::vector<std::string> questions)
{
    return legacy_server([questions](const weft::mcp_outgoing& to) {
        steps all;
        if (!to.message.id() || to.message.is_answer()) return all;
        for (const std::string& each : questions) all.push_back({{}, each});
        all.push_back({100ms, result_line(to, nothing)});
        return all;
    });
}

}  // namespace

WEFT_ASYNC_TEST_CASE(requests_of_the_server_are_answered)
{
    const auto script = asking_server({
        request_line("1", "ping"),
        request_line(R"("e1")", "elicitation/create", R"({"mode":"form","message":"How many seats?"})"),
        request_line("2", "sampling/createMessage"),
        request_line("3", "roots/list"),
        request_line("4", "tools/list"),
        request_line("5", "elicitation/create", R"({"mode":"url","message":"x","url":"https://a"})"),
    });
    weft::mcp_client_options options;
    options.on_elicitation = accept_form;
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("a", object_of("{}"));
    BOOST_TEST(!done.is_error);
    const auto* met = script->last("initialize");
    BOOST_TEST(boost::json::serialize(met->params().at("capabilities")) == R"({"elicitation":{}})");
    BOOST_REQUIRE(answer_of(*script, 1));
    BOOST_TEST(answer_of(*script, 1)->text() == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    BOOST_REQUIRE(answer_of(*script, "e1"));
    BOOST_TEST(answer_of(*script, "e1")->value().at("content").at("seats").as_int64() == 2);
    for (const int id : {2, 3, 4, 5}) {
        BOOST_REQUIRE(answer_of(*script, id));
        BOOST_TEST(answer_of(*script, id)->why().code == -32601);
    }
}

WEFT_ASYNC_TEST_CASE(a_handler_that_fails_is_an_error_for_the_server_only)
{
    const auto script = asking_server({request_line("1", "roots/list")});
    weft::mcp_client_options options;
    options.on_roots = [](boost::json::object) -> task<boost::json::value> { throw std::runtime_error{"no disk"}; };
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("a", object_of("{}"));
    BOOST_TEST(!done.is_error);
    BOOST_REQUIRE(answer_of(*script, 1));
    BOOST_TEST(answer_of(*script, 1)->why().code == -32603);
    BOOST_TEST(answer_of(*script, 1)->why().message.find("no disk") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(requests_of_the_server_are_bounded_and_can_be_cancelled)
{
    const auto script = asking_server({request_line("1", "roots/list"), request_line("2", "roots/list"),
                                       request_line("3", "roots/list"),
                                       R"({"jsonrpc":"2.0","method":"notifications/cancelled",
                                           "params":{"requestId":1}})"});
    weft::mcp_client_options options;
    options.limits.served_max = 2;
    options.on_roots = wait_for_ever;
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("a", object_of("{}"));
    BOOST_TEST(!done.is_error);
    BOOST_TEST(!answer_of(*script, 1));  // cancelled: no answer
    int refused = 0;
    for (const int id : {2, 3}) refused += answer_of(*script, id) != nullptr;
    BOOST_TEST(refused <= 1);  // the order of the three is the simulation's
    co_await client.close();
}

WEFT_ASYNC_TEST_CASE(log_lines_and_updates_reach_their_callbacks)
{
    const auto script = asking_server({
        R"({"jsonrpc":"2.0","method":"notifications/message",
            "params":{"level":"warning","logger":"db","data":{"a":1}}})",
        R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b"}})",
        R"({"jsonrpc":"2.0","method":"notifications/of/the/future"})",
    });
    std::vector<std::string> log;
    weft::mcp_client_options options;
    options.log_level = "warning";
    options.on_log = [&](const weft::mcp_log_line& line) {
        log.push_back(line.level + " " + line.logger + " " + line.text);
    };
    options.on_resource_updated = [&](std::string_view uri) { log.emplace_back(uri); };
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("a", object_of("{}"));
    BOOST_TEST(!done.is_error);
    std::sort(log.begin(), log.end());
    log.erase(std::unique(log.begin(), log.end()), log.end());  // the script says it to each request
    BOOST_TEST((log == std::vector<std::string>{"a://b", R"(warning db {"a":1})"}));
    BOOST_TEST(script->last("logging/setLevel")->params().at("level").as_string() == "warning");
}

WEFT_ASYNC_TEST_CASE(a_server_that_does_not_know_the_modern_era_may_be_silent)
{
    auto script = std::make_shared<server_script>();
    script->on_message = [](const weft::mcp_outgoing& to) -> steps {
        if (to.message.method() == "server/discover") return {};
        if (auto first = handshake(to, all_capabilities)) return *first;
        return result(to, nothing);
    };
    mcp_client client{connected_to(script)};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto began = loop.now();
    co_await client.connect();
    BOOST_TEST((loop.now() - began >= 3s && loop.now() - began < 4s));
    BOOST_TEST((client.agreement().era == weft::mcp_era::legacy));
}

WEFT_ASYNC_TEST_CASE(a_lost_server_fails_its_calls_and_is_started_again)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) -> steps {
        if (to.message.params().at("name").as_string() == "die") return {{10ms, ""}};
        return result(to, nothing);
    });
    mcp_client client{connected_to(script)};
    const auto lost = co_await error_of(client.call_tool("die", object_of("{}")));
    BOOST_TEST((lost == errc::connection_lost));
    BOOST_TEST(!client.is_connected());
    BOOST_TEST(script->count("tools/call") == 1);  // perhaps it was carried out: it is not repeated
    const auto again = co_await client.call_tool("live", object_of("{}"));
    BOOST_TEST(!again.is_error);
    BOOST_TEST(script->starts == 2);
    BOOST_TEST(script->count("server/discover") == 1);  // the era is known
    BOOST_TEST(script->count("initialize") == 2);
}

WEFT_ASYNC_TEST_CASE(a_repeatable_call_is_made_again_once)
{
    int calls = 0;
    const auto script = legacy_server([&calls](const weft::mcp_outgoing& to) -> steps {
        if (++calls == 1) return {{10ms, ""}};
        return result(to, nothing);
    });
    mcp_client client{connected_to(script)};
    weft::mcp_call_options options;
    options.is_repeatable = true;
    const auto done = co_await client.call_tool("a", object_of("{}"), options);
    BOOST_TEST(!done.is_error);
    BOOST_TEST(calls == 2);
}

WEFT_ASYNC_TEST_CASE(restarts_are_bounded)
{
    int starts = 0;
    auto script = legacy_server([](const weft::mcp_outgoing&) -> steps { return {{{}, ""}}; });
    const auto answer = script->on_message;
    script->on_message = [&, answer](const weft::mcp_outgoing& to) -> steps {
        if (to.message.method() == "initialize" && ++starts > 1) return {{{}, ""}};  // it dies while it starts
        return answer(to);
    };
    weft::mcp_client_options options;
    options.reconnect.attempts_max = 3;
    mcp_client client{connected_to(script), options};
    const auto lost = co_await error_of(client.call_tool("a", object_of("{}")));
    BOOST_TEST((lost == errc::connection_lost));
    const auto gone = co_await error_of(client.call_tool("a", object_of("{}")));
    BOOST_TEST((gone == errc::connection_lost));
    BOOST_TEST(script->starts == 1 + 3);

    weft::mcp_client_options never;
    never.reconnect.attempts_max = 0;
    starts = 0;
    mcp_client fragile{connected_to(script), never};
    const auto first = co_await error_of(fragile.call_tool("a", object_of("{}")));
    const auto second = co_await error_of(fragile.call_tool("a", object_of("{}")));
    BOOST_TEST((first == errc::connection_lost && second == errc::connection_lost));
    BOOST_TEST(script->starts == 5);
}

WEFT_ASYNC_TEST_CASE(close_fails_what_waits_and_what_comes_later)
{
    const auto script = legacy_server([](const weft::mcp_outgoing&) { return steps{}; });
    mcp_client client{connected_to(script)};
    co_await client.connect();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<errc> waiting;
    const auto note = [](mcp_client& of, std::optional<errc>& into) -> task<void> {
        const auto code = co_await error_of(of.call_tool("a", object_of("{}")));
        into = code;
    };
    weft::scope calls{context};
    calls.spawn(note(client, waiting));
    co_await client.close();
    co_await calls.join();
    BOOST_TEST((waiting == errc::stream_closed));
    const auto later = co_await error_of(client.tools());
    BOOST_TEST((later == errc::stream_closed));
    co_await client.close();
    BOOST_TEST(script->closes == 1);
}

WEFT_ASYNC_TEST_CASE(the_modern_era_needs_no_session_and_says_all_in_each_request)
{
    const auto script = modern_server([](const weft::mcp_outgoing& to) { return result(to, nothing); });
    weft::mcp_client_options options;
    options.on_elicitation = accept_form;
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("a", object_of("{}"));
    BOOST_TEST(!done.is_error);
    BOOST_TEST((client.agreement().era == weft::mcp_era::modern));
    BOOST_TEST(script->count("initialize") == 0);
    BOOST_TEST(script->count("notifications/initialized") == 0);
    BOOST_TEST(boost::json::serialize(script->last("tools/call")->params().at("_meta")) ==
               R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},)"
               R"("io.modelcontextprotocol/clientInfo":{"name":"weft","version":"0.1.0"}})");
}

WEFT_ASYNC_TEST_CASE(a_call_of_many_rounds_is_answered_round_by_round)
{
    const auto script = modern_server([](const weft::mcp_outgoing& to) {
        if (!to.message.params().contains("inputResponses"))
            return result(to, R"({"resultType":"input_required","inputRequests":{"seats":{"method":"elicitation/create",
                "params":{"mode":"form","message":"How many seats?"}}},"requestState":"v1.b64.hmac"})");
        return result(to, R"({"resultType":"complete","content":[{"type":"text","text":"Booked 2 seats"}]})");
    });
    weft::mcp_client_options options;
    options.on_elicitation = accept_form;
    mcp_client client{connected_to(script), options};
    const auto done = co_await client.call_tool("book", object_of(R"({"day":"Mon"})"));
    BOOST_TEST(done.text() == "Booked 2 seats");
    BOOST_TEST(script->count("tools/call") == 2);
    const auto* second = script->last("tools/call");
    BOOST_TEST(boost::json::serialize(second->params().at("inputResponses")) ==
               R"({"seats":{"action":"accept","content":{"seats":2}}})");
    BOOST_TEST(second->params().at("requestState").as_string() == "v1.b64.hmac");
    BOOST_TEST(boost::json::serialize(second->params().at("arguments")) == R"({"day":"Mon"})");
    BOOST_TEST((second->id() == weft::json_rpc_id{2}));  // 0 was the discovery, 1 the first round
}

WEFT_ASYNC_TEST_CASE(rounds_without_end_or_without_a_handler_are_errors)
{
    const auto put_off = modern_server([](const weft::mcp_outgoing& to) {
        return result(to, R"({"resultType":"input_required"})");
    });
    mcp_client patient{connected_to(put_off)};
    const auto bounded = co_await error_of(patient.call_tool("a", object_of("{}")));
    BOOST_TEST((bounded == errc::limit_reached));
    BOOST_TEST(put_off->count("tools/call") == 11);

    const auto asking = modern_server([](const weft::mcp_outgoing& to) {
        return result(to, R"({"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}})");
    });
    mcp_client unable{connected_to(asking)};
    const auto unsupported = co_await error_of(unable.call_tool("a", object_of("{}")));
    BOOST_TEST((unsupported == errc::mcp_unsupported));
}

WEFT_ASYNC_TEST_CASE(a_list_of_the_modern_era_lives_as_long_as_the_server_says)
{
    const auto script = modern_server([](const weft::mcp_outgoing& to) {
        return result(to, R"({"tools":[],"ttlMs":5000,"cacheScope":"private"})");
    });
    mcp_client client{connected_to(script)};
    const auto first = co_await client.tools();
    co_await weft::sleep_for(4s);
    const auto kept = co_await client.tools();
    BOOST_TEST(first == kept);
    co_await weft::sleep_for(2s);
    const auto fresh = co_await client.tools();
    BOOST_TEST(fresh != first);
    BOOST_TEST(script->count("tools/list") == 2);
}

WEFT_ASYNC_TEST_CASE(a_subscription_of_the_modern_era_forgets_lists_and_is_held)
{
    const std::string changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":
        {"_meta":{"io.modelcontextprotocol/subscriptionId":"listen-1"}}})";
    const auto script = modern_server(
        [changed](const weft::mcp_outgoing& to) -> steps {
            if (to.message.method() == "subscriptions/listen")
                return {{{}, R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}})"},
                        {1s, changed},
                        {2s, result_line(to, R"({"resultType":"complete"})")}};
            return result(to, R"({"tools":[]})");
        },
        R"({"tools":{"listChanged":true}})");
    mcp_client client{connected_to(script)};
    const auto first = co_await client.tools();
    BOOST_TEST(script->count("subscriptions/listen") == 1);
    co_await weft::sleep_for(1500ms);
    const auto second = co_await client.tools();
    BOOST_TEST(second != first);
    co_await weft::sleep_for(3s);  // the server ended the subscription: it is asked for again
    BOOST_TEST(script->count("subscriptions/listen") == 2);
    co_await client.close();
}

BOOST_AUTO_TEST_CASE(a_call_can_be_stopped_at_every_suspension_point)
{
    const auto call = []() -> task<void> {
        const auto script = legacy_server([](const weft::mcp_outgoing& to) { return result(to, nothing, 5ms); });
        mcp_client client{connected_to(script)};
        const auto done = co_await client.call_tool("a", object_of("{}"));
        BOOST_TEST(!done.is_error);
        co_await client.close();
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) > 5U);
}

BOOST_AUTO_TEST_SUITE_END()
