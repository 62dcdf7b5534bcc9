#include <boost/test/unit_test.hpp>

#include "http_services.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/mcp_server.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/json/parse.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

// What docs/GRAPH_FILES.md says that the kinds http, mcp, a2a and openai_agent have in common.
BOOST_AUTO_TEST_SUITE(remote_kinds_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;
using namespace weft_tests::http_services;
using weft::errc;

namespace {

/** What another system has learnt of a call that did something. */
struct seen_call {
    std::string key;
    std::string trace;
    std::string trace_state;
};

/** A system that fails at its first call, and what a node needs to call it. */
struct other_system {
    virtual ~other_system() = default;
    [[nodiscard]] virtual test_loop& loop() = 0;
    [[nodiscard]] virtual weft::node_registry registry() = 0;
    [[nodiscard]] virtual std::string node() = 0;  ///< `kind` and `settings`
    [[nodiscard]] virtual std::vector<seen_call> calls() = 0;
};

/** One that is called over HTTP, with an answer for each request that is none of a card. */
class called_service final : public other_system {
public:
    called_service(std::string kind, std::string settings, weft::http_reply good)
        : kind_{std::move(kind)}, settings_{std::move(settings)}, service_{answer_with(std::move(good))}
    {
    }
    test_loop& loop() override { return service_.loop(); }
    weft::node_registry registry() override { return service_.registry(); }
    std::string node() override
    {
        std::string settings = settings_;
        for (std::size_t at = settings.find("$URL"); at != settings.npos; at = settings.find("$URL"))
            settings.replace(at, 4, service_.url(""));
        return "'kind': '" + kind_ + "', 'settings': {" + settings + "}";
    }
    std::vector<seen_call> calls() override
    {
        std::vector<seen_call> calls;
        for (const seen_request& one : service_.seen)
            if (one.line.starts_with("POST")) calls.push_back({one.key, one.trace, one.trace_state});
        return calls;
    }

private:
    static answer_function answer_with(weft::http_reply good)
    {
        const auto count = std::make_shared<int>(0);
        return [=](weft::http_call& call, std::size_t) {
            if (call.path().ends_with("agent-card.json")) {
                const std::string card =
                    R"({"name":"other","supportedInterfaces":[{"url":"http://)" + std::string{call.head().host} +
                    R"(/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
                return reply_with(call, weft::http_reply{200, card, "application/json"});
            }
            if ((*count)++ == 0) return reply_with(call, weft::http_reply{503, "busy"});
            return reply_with(call, good);
        };
    }

    std::string kind_;
    std::string settings_;
    service service_;
};

/** A server of the Model Context Protocol with one tool. */
class mcp_shop final : public other_system {
public:
    mcp_shop()
    {
        weft::mcp_tool price;
        price.name = "price";
        price.input_schema = {{"type", "object"}};
        server_.add_tool(std::move(price), [this](weft::mcp_server_context& context, boost::json::object) {
            const boost::json::object* const meta = weft::peek_object(context.params(), "_meta");
            BOOST_REQUIRE(meta);
            const auto text = [&](std::string_view name) { return std::string{weft::peek_text(*meta, name)}; };
            calls_.push_back({text("weft/idempotencyKey"), text("traceparent"), text("tracestate")});
            return answer(calls_.size());
        });
        weft::mcp_endpoint where{"http://127.0.0.1:" + std::to_string(running_.port()) + "/mcp"};
        client_ = std::make_unique<weft::mcp_client>(weft::mcp_http(weft::http_client{}, std::move(where)));
        weft::mcp_tools_options options;
        options.prefix = "shop";
        started offering{loop_, weft::mcp_tools(*client_, std::move(options))};
        weft::tool_set tools;
        for (const std::shared_ptr<weft::tool>& one : offering.result()) tools.add(one);
        tools_ = std::make_shared<const weft::tool_set>(std::move(tools));
    }
    ~mcp_shop() override
    {
        started closing{loop_, client_->close()};
        closing.result();
    }
    test_loop& loop() override { return loop_; }
    weft::node_registry registry() override
    {
        weft::agent_surroundings around;
        around.tools = tools_;
        return registry_around(around);
    }
    std::string node() override { return "'kind': 'mcp', 'settings': {'server': 'shop', 'tool': 'price'}"; }
    std::vector<seen_call> calls() override { return calls_; }

private:
    static weft::task<weft::mcp_call_result> answer(std::size_t number)
    {
        co_return number == 1 ? weft::mcp_call_result::error("closed") : weft::mcp_call_result::of_text("Old.");
    }

    test_loop loop_;
    std::vector<seen_call> calls_;
    weft::mcp_server server_;
    server_fixture::running_server running_{loop_, [this](weft::http_call& call) { return server_.handle(call); }};
    std::unique_ptr<weft::mcp_client> client_;
    std::shared_ptr<const weft::tool_set> tools_;
};

std::vector<std::function<std::unique_ptr<other_system>()>> all_kinds()
{
    const auto service_of = [](std::string kind, std::string settings, std::string body, std::string type) {
        return [=]() -> std::unique_ptr<other_system> {
            return std::make_unique<called_service>(kind, settings, weft::http_reply{200, body, type});
        };
    };
    const std::string json = "application/json";
    return {service_of("http", "'url': '$URL/rate'", R"({"answer":"Old."})", json),
            service_of("a2a", "'agent': '$URL'",
                       R"({"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","parts":[{"text":"Old."}]}}})",
                       json),
            service_of("openai_agent", "'url': '$URL/v1', 'model': 'guide'",
                       R"({"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"m",)"
                       R"("role":"assistant","status":"completed","content":[{"type":"output_text","text":"Old."}]}],)"
                       R"("usage":{"input_tokens":7,"output_tokens":3}})",
                       json),
            service_of("openai_agent", "'url': '$URL/v1', 'model': 'guide', 'api': 'chat'",
                       R"({"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Old."},)"
                       R"("finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}})",
                       json),
            []() -> std::unique_ptr<other_system> { return std::make_unique<mcp_shop>(); }};
}

/** Runs a graph of one node that calls the system, three attempts at most. */
weft::run_result run_calling(other_system& of, weft::run_request request)
{
    const std::string file = "'state': [{'name': 'answer', 'type': 'string'}], 'nodes': [{'name': 'call', 'writes': "
                             "['answer'], 'retry': {'attempts_max': 3, 'initial': '1ms', 'jitter': 'none'}, " +
                             of.node() + "}], 'edges': [{'from': '__start__', 'to': 'call'}]";
    const weft::node_registry known = of.registry();
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file), known);
    const weft::engine engine{loaded.what};
    started going{of.loop(), engine.run(std::move(request))};
    return going.result();
}

const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}  // namespace

BOOST_AUTO_TEST_CASE(a_call_is_tried_again_with_its_key_and_belongs_to_the_trace_of_the_run)
{
    for (const auto& make : all_kinds()) {
        const std::unique_ptr<other_system> other = make();
        BOOST_TEST_CONTEXT(other->node())
        {
            weft::run_request request;
            request.trace(*weft::trace_context::read(parent, "vendor=1"));
            request.journal(std::make_shared<weft::memory_journal>("a/b/c"));
            const weft::run_result result = run_calling(*other, std::move(request));
            BOOST_TEST(result.message() == "finished");
            BOOST_TEST(value_of(result, "answer").as_string() == "Old.");
            const std::vector<seen_call> calls = other->calls();
            BOOST_REQUIRE(calls.size() == 2u);
            BOOST_TEST(calls[0].key.size() == 36u);
            BOOST_TEST(calls[0].key == calls[1].key);
            BOOST_TEST(calls[0].trace.substr(0, 36) == parent.substr(0, 36));
            BOOST_TEST(calls[0].trace.size() == parent.size());
            BOOST_TEST(calls[0].trace != parent);  // a span of its own
            BOOST_TEST(calls[0].trace == calls[1].trace);
            BOOST_TEST(calls[0].trace_state == "vendor=1");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_call_of_a_run_without_a_trace_begins_one_that_its_key_names)
{
    for (const auto& make : all_kinds()) {
        const std::unique_ptr<other_system> other = make();
        BOOST_TEST_CONTEXT(other->node())
        {
            weft::run_request request;
            request.journal(std::make_shared<weft::memory_journal>("a/b/c"));
            BOOST_TEST(run_calling(*other, std::move(request)).message() == "finished");
            const std::vector<seen_call> calls = other->calls();
            BOOST_REQUIRE(!calls.empty());
            BOOST_TEST(calls[0].trace == weft::trace_context::begun_by(calls[0].key).parent);
            BOOST_TEST(calls[0].trace_state == "");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_call_needs_a_tool_call_of_the_budget)
{
    for (const auto& make : all_kinds()) {
        const std::unique_ptr<other_system> other = make();
        BOOST_TEST_CONTEXT(other->node())
        {
            weft::budget budget;
            budget.tool_calls = 0;
            weft::run_options options;
            options.budget(budget);
            weft::run_request request;
            request.options(std::move(options));
            const weft::run_result result = run_calling(*other, std::move(request));
            BOOST_REQUIRE(result.why);
            BOOST_TEST((result.why->code == errc::budget_exhausted));
            BOOST_TEST(other->calls().empty());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
