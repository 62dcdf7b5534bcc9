#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(run_trace_test)

namespace {

constexpr weft::state_key<std::string> input{"input"};
constexpr weft::state_key<std::string> output{"output"};

/** Says which trace its run belongs to. */
weft::graph tracing()
{
    return weft::graph_builder{"tracing"}
        .state(input, output)
        .node("tell", [](weft::node_context& ctx) {
            const auto trace = ctx.trace();
            ctx.set(output, trace ? trace->parent + " " + trace->state : std::string{"none"});
        })
        .edge(weft::start, "tell")
        .build();
}

const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string answer_to(life& server, std::string_view target, std::string body, const std::string& traceparent)
{
    weft::http_request request = server.request_to("POST", target);
    request.header("traceparent", traceparent).header("tracestate", "vendor=1").header("A2A-Version", "1.0");
    request.header("Accept", "application/json");
    request.body(std::move(body), "application/json");
    return server.send(std::move(request)).body;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_belongs_to_the_trace_of_the_request_that_begins_it)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {tracing()}};
    const std::string message = R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}})";
    const auto check = [&](std::string_view target, std::string body) {
        BOOST_TEST_CONTEXT(target)
        {
            const std::string got = answer_to(server, target, body, parent);
            BOOST_TEST(got.find(parent + " vendor=1") != got.npos, got);
            // A2A knows a message that comes again by its id.
            if (const std::size_t id = body.find("\"m\""); id != body.npos) body.replace(id, 3, "\"n\"");
            const std::string without = answer_to(server, target, body, "00-no-trace");
            BOOST_TEST(without.find("none") != without.npos, without);
        }
    };
    check("/runs/wait", R"({"assistant_id":"tracing","input":{"input":"x"}})");
    check("/v1/responses", R"({"model":"tracing","input":"x"})");
    check("/v1/chat/completions", R"({"model":"tracing","messages":[{"role":"user","content":"x"}]})");
    check("/a2a/tracing", R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":)" + message + "}");
}

BOOST_AUTO_TEST_SUITE_END()
