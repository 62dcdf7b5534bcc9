#include <weft/testing/async_test_case.hpp>

#include "tool/scripted_mcp_server.hpp"

#include <weft/async/wait/deadline.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_client_test)

using namespace scripted_mcp;
using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::task;

namespace {

constexpr std::string_view add_tool =
    R"({"name":"add","description":"Add","inputSchema":{"type":"object"},"outputSchema":{"type":"object",
        "properties":{"sum":{"type":"integer"}},"required":["sum"]},"annotations":{"readOnlyHint":true}})";

std::string page_of(std::string_view tools, std::string_view cursor = {})
{
    std::string page = R"({"tools":[)" + std::string{tools} + "]";
    if (!cursor.empty()) page += R"(,"nextCursor":")" + std::string{cursor} + "\"";
    return page + "}";
}

std::string text_result(std::string_view text)
{
    return R"({"content":[{"type":"text","text":")" + std::string{text} + R"("}]})";
}

/** Answers calls of tools with their name, after a time that the arguments name. */
steps echo_name(const weft::mcp_outgoing& to)
{
    const auto& params = to.message.params();
    if (to.message.method() == "tools/list") return result(to, page_of(add_tool));
    if (to.message.method() != "tools/call") return {{{}, error_line(to, -32601, "Method not found")}};
    const auto& arguments = params.at("arguments").get_object();
    const auto* delay = arguments.if_contains("ms");
    return result(to, text_result(std::string{params.at("name").get_string()}),
                  std::chrono::milliseconds{delay ? delay->as_int64() : 0});
}

task<void> call_and_note(mcp_client& client, std::string name, std::int64_t ms, std::vector<std::string>& ended)
{
    const boost::json::object arguments{{"ms", ms}};
    const weft::mcp_call_result got = co_await client.call_tool(name, arguments);
    BOOST_TEST(got.text() == name);
    ended.push_back(name);
}

}  // namespace

WEFT_ASYNC_TEST_CASE(answers_that_come_out_of_order_find_their_calls)
{
    const auto script = legacy_server(echo_name);
    mcp_client client{connected_to(script)};
    const weft::task_context& context = co_await weft::this_task::context();
    std::vector<std::string> ended;
    weft::scope calls{context};
    calls.spawn(call_and_note(client, "slow", 30, ended));
    calls.spawn(call_and_note(client, "middle", 20, ended));
    calls.spawn(call_and_note(client, "quick", 10, ended));
    co_await calls.join();
    BOOST_TEST((ended == std::vector<std::string>{"quick", "middle", "slow"}));
    BOOST_TEST(script->starts == 1);
    BOOST_TEST(script->count("initialize") == 1);
    BOOST_TEST(script->count("notifications/initialized") == 1);
    BOOST_TEST(client.agreement().version == "2025-11-25");
    co_await client.close();
    BOOST_TEST(script->closes == 1);
}

WEFT_ASYNC_TEST_CASE(pages_are_joined_and_kept_until_the_list_changes)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) -> steps {
        if (to.message.method() == "tools/call")
            return {{{}, R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"},
                    {1ms, result_line(to, text_result("x"))}};
        const bool is_second = to.message.params().contains("cursor");
        if (is_second) return result(to, page_of(R"({"name":"slow.job","inputSchema":{"type":"object"}})"));
        return result(to, page_of(add_tool, "p2"));
    });
    std::vector<weft::mcp_list> changed;
    weft::mcp_client_options options;
    options.on_list_changed = [&](weft::mcp_list which) { changed.push_back(which); };
    mcp_client client{connected_to(script), options};
    const auto tools = co_await client.tools();
    BOOST_REQUIRE(tools->size() == 2);
    BOOST_TEST(tools->at(0).name == "add");
    BOOST_TEST(tools->at(0).hints.is_read_only);
    BOOST_TEST(tools->at(0).output_check != nullptr);
    BOOST_TEST(tools->at(1).name == "slow.job");
    BOOST_TEST(script->count("tools/list") == 2);
    BOOST_TEST(script->last("tools/list")->params().at("cursor").as_string() == "p2");
    const auto kept = co_await client.tools();
    BOOST_TEST(kept == tools);
    BOOST_TEST(script->count("tools/list") == 2);
    const auto called = co_await client.call_tool("slow.job", object_of("{}"));
    BOOST_TEST(called.text() == "x");
    BOOST_TEST(changed.size() == 1);
    const auto again = co_await client.tools();
    BOOST_TEST(again != tools);
    BOOST_TEST(script->count("tools/list") == 4);
}

WEFT_ASYNC_TEST_CASE(pages_without_an_end_are_an_error)
{
    int page = 0;
    const auto repeating = legacy_server(
        [](const weft::mcp_outgoing& to) { return result(to, page_of(add_tool, "same")); });
    mcp_client first{connected_to(repeating)};
    const auto looped = co_await error_of(first.tools());
    BOOST_TEST((looped == errc::invalid_mcp_message));
    BOOST_TEST(repeating->count("tools/list") == 2);

    const auto endless = legacy_server(
        [&page](const weft::mcp_outgoing& to) { return result(to, page_of("", "p" + std::to_string(++page))); });
    weft::mcp_client_options few;
    few.limits.pages_max = 5;
    mcp_client second{connected_to(endless), few};
    const auto bounded = co_await error_of(second.tools());
    BOOST_TEST((bounded == errc::limit_reached));
    BOOST_TEST(endless->count("tools/list") == 5);

    const auto large = legacy_server([](const weft::mcp_outgoing& to) {
        std::string both{add_tool};
        both.append(",").append(add_tool);
        return result(to, page_of(both));
    });
    weft::mcp_client_options small;
    small.limits.items_max = 1;
    mcp_client third{connected_to(large), small};
    const auto too_many = co_await error_of(third.tools());
    BOOST_TEST((too_many == errc::limit_reached));
}

WEFT_ASYNC_TEST_CASE(what_cannot_be_used_is_left_out_and_told)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) {
        return result(to, page_of(R"({"name":"has space","inputSchema":{}},{"name":"no_schema"},7,
            {"name":"header","inputSchema":{"x-mcp-header":"A"}},
            {"name":"good","description":"a\u0000b\u202e\u200bc","inputSchema":{"type":"object"}})"));
    });
    std::vector<std::string> noise;
    weft::mcp_client_options options;
    options.limits.description_bytes_max = 2;
    options.on_noise = [&](std::string_view what) { noise.emplace_back(what); };
    mcp_client client{connected_to(script), options};
    const auto tools = co_await client.tools();
    BOOST_REQUIRE(tools->size() == 1);
    BOOST_TEST(tools->front().description == "ab…");
    BOOST_TEST(noise.size() == 4);
}

WEFT_ASYNC_TEST_CASE(a_timeout_tells_the_server_and_drops_the_late_answer)
{
    const auto script = legacy_server(echo_name);
    std::vector<std::string> noise;
    weft::mcp_client_options options;
    options.on_noise = [&](std::string_view what) { noise.emplace_back(what); };
    mcp_client client{connected_to(script), options};
    weft::mcp_call_options quick;
    quick.timeout = 1s;
    const auto ended = co_await error_of(client.call_tool("slow", object_of(R"({"ms":5000})"), quick));
    BOOST_TEST((ended == errc::timeout));
    const auto* cancelled = script->last("notifications/cancelled");
    BOOST_REQUIRE(cancelled);
    BOOST_TEST(cancelled->params().at("requestId") == weft::json_of(*script->last("tools/call")->id()));
    co_await weft::sleep_for(10s);
    BOOST_REQUIRE(noise.size() == 1);
    BOOST_TEST(noise.front().find("nobody waits for") != std::string::npos);
    const auto next = co_await client.call_tool("next", object_of("{}"));
    BOOST_TEST(next.text() == "next");
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_a_call_at_once_and_the_server_is_told)
{
    const auto script = legacy_server(echo_name);
    mcp_client client{connected_to(script)};
    co_await client.connect();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto began = loop.now();
    task<weft::mcp_call_result> call = client.call_tool("slow", object_of(R"({"ms":5000})"));
    const auto ended = co_await error_of(weft::with_deadline(std::move(call), 100ms));
    BOOST_TEST((ended == errc::timeout));
    BOOST_TEST((loop.now() - began < 150ms));
    co_await weft::sleep_for(1ms);
    BOOST_TEST(script->count("notifications/cancelled") == 1);
    co_await weft::sleep_for(10s);  // the late answer is dropped
    const auto next = co_await client.call_tool("next", object_of("{}"));
    BOOST_TEST(next.text() == "next");
}

WEFT_ASYNC_TEST_CASE(progress_is_told_and_extends_the_timeout_up_to_a_maximum)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) -> steps {
        const auto* meta = to.message.params().if_contains("_meta");
        steps all;
        for (int i : {1, 2, 2, 1, 3}) {
            const boost::json::object params{
                {"progressToken", meta ? meta->at("progressToken") : 0}, {"progress", i}, {"total", 3}};
            const auto told = json_rpc_message::notification("notifications/progress", params);
            all.push_back({(all.size() + 1) * 600ms, told.text()});
        }
        const bool is_endless = to.message.params().at("name").as_string() == "endless";
        if (!is_endless) all.push_back({3500ms, result_line(to, text_result("done"))});
        return all;
    });
    mcp_client client{connected_to(script)};
    std::vector<double> seen;
    weft::mcp_call_options options;
    options.timeout = 2s;
    options.timeout_max = 1min;
    options.on_progress = [&seen](const weft::mcp_progress& step) { seen.push_back(step.progress); };
    const auto done = co_await client.call_tool("job", object_of("{}"), options);
    BOOST_TEST(done.text() == "done");
    BOOST_TEST((seen == std::vector<double>{1, 2, 3}));

    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto began = loop.now();
    options.timeout = 2s;
    options.timeout_max = 2500ms;
    const auto late = co_await error_of(client.call_tool("endless", object_of("{}"), options));
    BOOST_TEST((late == errc::timeout));
    BOOST_TEST((loop.now() - began < 2600ms));
}

WEFT_ASYNC_TEST_CASE(structured_results_are_checked_by_the_output_schema)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) -> steps {
        if (to.message.method() == "tools/list") return result(to, page_of(add_tool));
        const auto& arguments = to.message.params().at("arguments").get_object();
        return result(to, boost::json::serialize(arguments));
    });
    mcp_client client{connected_to(script)};
    const auto unknown = co_await client.call_tool("add", object_of(R"({"structuredContent":{}})"));
    BOOST_TEST(unknown.structured.is_object());  // nothing is known of the tool yet
    const auto tools = co_await client.tools();
    BOOST_TEST(tools->size() == 1);
    const auto good = co_await client.call_tool("add", object_of(R"({"structuredContent":{"sum":3}})"));
    BOOST_TEST(good.structured.at("sum").as_int64() == 3);
    const auto wrong = co_await error_of(client.call_tool("add", object_of(R"({"structuredContent":{"sum":"3"}})")));
    BOOST_TEST((wrong == errc::invalid_mcp_message));
    const auto missing = co_await error_of(client.call_tool("add", object_of("{}")));
    BOOST_TEST((missing == errc::invalid_mcp_message));
    const auto failed = co_await client.call_tool("add", object_of(R"({"isError":true})"));
    BOOST_TEST(failed.is_error);
}

WEFT_ASYNC_TEST_CASE(a_refusal_has_the_words_of_the_server)
{
    const auto script = legacy_server(
        [](const weft::mcp_outgoing& to) -> steps { return {{{}, error_line(to, -32602, "Unknown tool: nope")}}; });
    mcp_client client{connected_to(script)};
    std::optional<weft::mcp_error> failure;
    try {
        const auto answer = co_await client.call_tool("nope", object_of("{}"));
        BOOST_TEST(!answer.is_error);
    } catch (const weft::mcp_error& e) {
        failure = e;
    }
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::mcp_refused));
    BOOST_TEST(failure->rpc_code() == -32602);
    BOOST_TEST(failure->detail() == "Unknown tool: nope (code -32602)");
}

WEFT_ASYNC_TEST_CASE(what_was_not_negotiated_is_not_asked_for)
{
    const auto script = legacy_server(echo_name, R"({"prompts":{}})");
    mcp_client client{connected_to(script)};
    const auto tools = co_await error_of(client.tools());
    const auto call = co_await error_of(client.call_tool("a", object_of("{}")));
    const auto resource = co_await error_of(client.read_resource("a://b"));
    BOOST_TEST((tools == errc::mcp_unsupported && call == errc::mcp_unsupported && resource == errc::mcp_unsupported));
    BOOST_TEST(script->received.size() == 3);  // the handshake
}

WEFT_ASYNC_TEST_CASE(resources_and_prompts_are_read)
{
    const auto script = legacy_server([](const weft::mcp_outgoing& to) -> steps {
        const std::string& method = to.message.method();
        if (method == "resources/list") return result(to, R"({"resources":[{"uri":"a://b","name":"n","size":12},{}]})");
        if (method == "resources/templates/list")
            return result(to, R"({"resourceTemplates":[{"uriTemplate":"a://{x}"}]})");
        if (method == "resources/read")
            return result(to, R"({"contents":[{"uri":"a://b","text":"hi"},{"uri":"a://c","blob":"AAA="}]})");
        if (method == "prompts/list")
            return result(to, R"({"prompts":[{"name":"p","arguments":[{"name":"city","required":true}]}]})");
        return result(to, R"({"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}]})");
    });
    mcp_client client{connected_to(script)};
    const auto resources = co_await client.resources();
    BOOST_REQUIRE(resources->size() == 1);
    BOOST_TEST(resources->front().size.value() == 12U);
    const auto templates = co_await client.resource_templates();
    BOOST_TEST(templates->size() == 1U);
    const auto contents = co_await client.read_resource("a://b");
    BOOST_REQUIRE(contents.size() == 2);
    BOOST_TEST((contents[0].text == "hi" && contents[0].is_text && contents[1].blob == "AAA=" && !contents[1].is_text));
    const auto prompts = co_await client.prompts();
    BOOST_REQUIRE(prompts->size() == 1);
    BOOST_TEST(prompts->front().arguments.front().is_required);
    const auto prompt = co_await client.prompt("p", object_of(R"({"city":"Ulm"})"));
    BOOST_REQUIRE(prompt.messages.size() == 1);
    BOOST_TEST((prompt.messages[0].role == "user" && prompt.messages[0].content.text == "Hello"));
}

BOOST_AUTO_TEST_SUITE_END()
