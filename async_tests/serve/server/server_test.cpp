#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/event_question.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/test_certificates.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/serialize.hpp>

#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(server_test)

using namespace std::chrono_literals;
using weft::graph_builder;
using weft::node_context;

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

weft::graph greeting()
{
    return graph_builder{"greeting"}
        .state(name, said)
        .node("greet", [](node_context& ctx) { ctx.set(said, "hello " + ctx.get(name)); })
        .edge(weft::start, "greet")
        .build();
}

weft::task<void> ask(node_context& ctx)
{
    weft::question which{"Which one?"};
    const std::string answer = co_await ctx.ask<std::string>(std::move(which));
    ctx.set(said, answer);
}

weft::graph asking()
{
    return graph_builder{"asking"}.state(name, said).node("ask", ask).edge(weft::start, "ask").build();
}

weft::graph two_steps(int& runs_of_first)
{
    return graph_builder{"two_steps"}
        .state(name, said)
        .node("first", [&runs_of_first](node_context& ctx) { ++runs_of_first; ctx.set(said, "first"); })
        .node("second", [](node_context& ctx) -> weft::task<void> {
            co_await weft::sleep_for(50ms);
            ctx.set(said, "second");
        })
        .node("third", [](node_context& ctx) { ctx.set(said, "third"); })
        .edge(weft::start, "first")
        .edge("first", "second")
        .edge("second", "third")
        .build();
}

weft::task<void> wait_for_payment(node_context& ctx)
{
    weft::question paid = weft::question_for_event("paid");
    paid.schema = weft::json_schema_of<std::string>();
    const std::string receipt = co_await ctx.ask<std::string>(std::move(paid));
    ctx.set(said, receipt);
}

weft::graph ordering()
{
    return graph_builder{"ordering"}.state(name, said).node("pay", wait_for_payment).edge(weft::start, "pay").build();
}

BOOST_AUTO_TEST_CASE(a_graph_is_run_over_http)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {greeting()}};
    const answer got = server.post("/runs/wait", R"({"assistant_id":"greeting","input":{"name":"Ada"}})");
    BOOST_TEST(got.status == 200);
    BOOST_TEST(got.body == R"({"name":"Ada","said":["hello Ada"]})");
}

BOOST_AUTO_TEST_CASE(what_a_client_does_wrong_is_told_with_the_place)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {greeting()}};
    const auto detail = [](const answer& of) { return std::string{of.json().at("detail").as_string()}; };

    BOOST_TEST(server.send("GET", "/openapi.json").json().at("paths").as_object().contains("/runs/wait"));
    const answer nowhere = server.send("GET", "/nonsense");
    BOOST_TEST(nowhere.status == 404);
    const answer method = server.send("PUT", "/threads", "{}");
    BOOST_TEST(method.status == 405);
    BOOST_TEST(method.headers.find("allow").value() == "POST");
    const answer text = server.send("POST", "/runs/wait", "{}", "text/plain");
    BOOST_TEST(text.status == 415);
    const answer broken = server.post("/runs/wait", "{\"assistant_id\":\n tru}");
    BOOST_TEST(broken.status == 422);
    BOOST_TEST(detail(broken).find("line 2") != std::string::npos);
    const answer list = server.post("/runs/wait", "[]");
    BOOST_TEST(list.status == 422);
    const answer unknown = server.post("/runs/wait", R"({"assistant_id":"nobody"})");
    BOOST_TEST(unknown.status == 422);
    BOOST_TEST(detail(unknown).find("greeting") != std::string::npos);
    const answer key = server.post("/runs/wait", R"({"assistant_id":"greeting","input":{"nmae":"x"}})");
    BOOST_TEST(key.status == 422);
    BOOST_TEST(detail(key).find("body.input.nmae") != std::string::npos);
    const answer thread = server.post("/threads/none/runs/wait", R"({"assistant_id":"greeting","input":{}})");
    BOOST_TEST(thread.status == 404);
    const answer run = server.send("GET", "/threads/none/runs/none");
    BOOST_TEST(run.status == 404);
    const answer page = server.send("GET", "/threads/x/history?limit=lots");
    BOOST_TEST(page.status == 422);
    const answer lasting = server.post("/threads", R"({"ttl":-60})");
    BOOST_TEST(lasting.status == 422);
    BOOST_TEST(lasting.body.find("body.ttl") != std::string::npos, lasting.body);
}

BOOST_AUTO_TEST_CASE(pages_of_an_allowed_origin_may_use_the_server)
{
    test_loop loop;
    weft::memory_store store;
    weft::server_options options;
    options.allowed_origin = "https://app.example";
    life server{loop, store, {greeting()}, options};
    const answer before = server.send("OPTIONS", "/runs/wait", {}, {}, "https://app.example");
    BOOST_TEST(before.status == 204);
    BOOST_TEST(before.headers.find("access-control-allow-origin").value() == "https://app.example");
    BOOST_TEST(before.headers.find("access-control-allow-methods").value() == "POST");
    const answer wrong = server.send("POST", "/runs/wait", "{}", "application/json", "https://app.example");
    BOOST_TEST(wrong.status == 422);
    BOOST_TEST(wrong.headers.contains("access-control-allow-origin"));
    BOOST_TEST(wrong.headers.find("access-control-expose-headers").value().find("Content-Location") !=
               std::string_view::npos);
    const answer other = server.send("GET", "/ok", {}, {}, "https://evil.example");
    BOOST_TEST(!other.headers.contains("access-control-allow-origin"));
}

BOOST_AUTO_TEST_CASE(a_server_stands_behind_the_http_server_of_a_program)
{
    test_loop loop;
    weft::memory_store store;
    weft::server graphs{loop.loop(), weft::server_stores{store}, {greeting()}};
    started serving{loop, graphs.run()};
    const auto handler = [&graphs](weft::http_call& call) -> weft::task<void> {
        if (call.path() != "/own") return graphs.handle(call);
        weft::http_reply answer{200, "the program's own"};
        return call.reply(std::move(answer));
    };
    weft::http_server program{loop.loop(), handler};
    const weft::listen_address at = program.listen(weft::listen_address{"127.0.0.1:0"});
    started running{loop, program.run()};
    const auto post = [&](std::string_view target) {
        weft::http_request request{"POST", weft::url{"http://" + at.to_string() + std::string{target}}};
        request.body(R"({"assistant_id":"greeting","input":{"name":"Ada"}})", "application/json");
        started got{loop, fetch(weft::http_client{}, std::move(request))};
        return got.result().body;
    };
    BOOST_TEST(post("/own") == "the program's own");
    BOOST_TEST(post("/runs/wait") == R"({"name":"Ada","said":["hello Ada"]})");
    BOOST_TEST(!serving.is_done());
    graphs.drain();
    loop.run_until([&] { return serving.is_done(); });
}

BOOST_AUTO_TEST_CASE(a_server_of_this_machine_is_called_by_its_own_names_only)
{
    test_loop loop;
    weft::memory_store store;
    weft::server server{loop.loop(), weft::server_stores{store}, {greeting()}};
    const weft::listen_address at = server.listen(weft::listen_address{"127.0.0.1:0"});
    started running{loop, server.run()};
    const auto status = [&](std::string_view host) {
        boost::asio::ip::tcp::socket client{loop.context()};
        client.connect({boost::asio::ip::address_v4::loopback(), at.port()});
        const std::string request =
            "GET /ok HTTP/1.1\r\nConnection: close\r\nHost: " + std::string{host} + "\r\n\r\n";
        boost::asio::write(client, boost::asio::buffer(request));
        client.non_blocking(true);
        std::string got;
        loop.run_until([&] {
            char bytes[1024];
            boost::system::error_code code;
            got.append(bytes, client.read_some(boost::asio::buffer(bytes), code));
            return code == boost::asio::error::eof;
        });
        return got.substr(9, 3);
    };
    BOOST_TEST(status("localhost") == "200");
    BOOST_TEST(status("127.0.0.1:" + std::to_string(at.port())) == "200");
    BOOST_TEST(status("[::1]:80") == "200");
    BOOST_TEST(status("evil.example") == "421");
    BOOST_TEST(status("localhost.evil.example:80") == "421");
}

BOOST_AUTO_TEST_CASE(beyond_the_limit_a_run_is_refused_and_comes_later)
{
    test_loop loop;
    weft::memory_store store;
    int runs_of_first = 0;
    weft::server_options options;
    options.runs_max = 2;  // one of them is the worker of the store
    life server{loop, store, {two_steps(runs_of_first)}, options};
    const std::string order = R"({"assistant_id":"two_steps","input":{"name":"x"},"if_not_exists":"create"})";
    BOOST_TEST(server.post("/threads/a/runs", order).status == 200);
    const answer refused = server.post("/threads/b/runs", order);
    BOOST_TEST(refused.status == 503);
    BOOST_TEST(refused.headers.find("retry-after").value() == "1");
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_in_another_life_of_the_server)
{
    test_loop loop;
    weft::memory_store store;
    {
        life first{loop, store, {asking()}};
        const answer waits = first.post("/threads/t/runs/wait",
                                        R"({"assistant_id":"asking","input":{"name":"x"},"if_not_exists":"create"})");
        BOOST_TEST(waits.json().at("__interrupt__").at(0).at("value").at("text").as_string() == "Which one?");
        first.drain();
    }
    life second{loop, store, {asking()}};
    BOOST_TEST(second.send("GET", "/threads/t").json().at("status").as_string() == "interrupted");
    const answer done =
        second.post("/threads/t/runs/wait", R"({"assistant_id":"asking","command":{"resume":"the red one"}})");
    BOOST_TEST(done.body == R"({"name":"x","said":["the red one"]})");
}

BOOST_AUTO_TEST_CASE(an_event_goes_to_the_nodes_of_a_thread_that_wait_for_it)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {ordering()}};
    const auto detail = [](const answer& of) { return std::string{of.json().at("detail").as_string()}; };
    BOOST_TEST(server.post("/threads/t/events", R"({"name":"paid"})").status == 404);
    BOOST_TEST(server.post("/threads", R"({"thread_id":"t"})").status == 200);
    BOOST_TEST(server.post("/threads/t/events", R"({"name":"paid"})").status == 404);
    const answer waits = server.post("/threads/t/runs/wait", R"({"assistant_id":"ordering","input":{"name":"x"}})");
    BOOST_TEST(waits.status == 200);
    const answer nobody = server.post("/threads/t/events", R"({"name":"payed"})");
    BOOST_TEST(nobody.status == 404);
    BOOST_TEST(detail(nobody).find("awaited are 'paid'") != std::string::npos, detail(nobody));
    BOOST_TEST(server.post("/threads/t/events", R"({"name":"a b"})").status == 422);
    BOOST_TEST(server.post("/threads/t/events", R"({"payload":1})").status == 422);
    BOOST_TEST(server.post("/threads/t/events", R"({"name":"paid","payload":7})").status == 422);
    BOOST_TEST(server.post("/threads/t/events", R"({"name":"paid","payload":"receipt 7"})").status == 202);
    std::string status;
    loop.run_until([&] {
        status = server.send("GET", "/threads/t").json().at("status").as_string();
        return status == "idle";
    });
    const answer state = server.send("GET", "/threads/t/state");
    BOOST_TEST((state.json().at("values").at("said") == boost::json::value{"receipt 7"}), state.body);
}

BOOST_AUTO_TEST_CASE(a_drain_gives_runs_back_and_the_next_life_goes_on_with_them)
{
    test_loop loop;
    weft::memory_store store;
    int runs_of_first = 0;
    std::string id;
    {
        life first{loop, store, {two_steps(runs_of_first)}};
        const answer made = first.post(
            "/threads/t/runs", R"({"assistant_id":"two_steps","input":{"name":"x"},"if_not_exists":"create"})");
        BOOST_TEST(made.status == 200);
        id = std::string{made.json().at("run_id").as_string()};
        BOOST_TEST(made.headers.find("content-location").value() == "/threads/t/runs/" + id);
        first.drain();
    }
    life second{loop, store, {two_steps(runs_of_first)}};
    const answer joined = second.send("GET", "/threads/t/runs/" + id + "/join");
    BOOST_TEST(joined.body == R"({"name":"x","said":["first","second","third"]})");
    BOOST_TEST(runs_of_first == 1);
    BOOST_TEST(second.send("GET", "/threads/t/runs/" + id).json().at("status").as_string() == "success");
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_after_a_kill)
{
    test_loop loop;
    weft::memory_store store;
    int runs_of_first = 0;
    weft::server_options options;
    options.runs.lifetime = 300ms;
    options.runs.heartbeat_every = 100ms;
    std::string id;
    {
        life first{loop, store, {two_steps(runs_of_first)}, options};
        const answer made = first.post(
            "/threads/t/runs", R"({"assistant_id":"two_steps","input":{"name":"x"},"if_not_exists":"create"})");
        id = std::string{made.json().at("run_id").as_string()};
        first.kill();
    }
    life second{loop, store, {two_steps(runs_of_first)}, options};
    const answer streamed = second.send("GET", "/threads/t/runs/" + id + "/stream?stream_mode=updates");
    BOOST_TEST(streamed.status == 200);
    BOOST_TEST(streamed.body.find(R"({"third":{"said":["third"]}})") != std::string::npos);
    BOOST_TEST(runs_of_first == 1);
}

BOOST_AUTO_TEST_CASE(a_server_needs_graphs_of_different_names)
{
    test_loop loop;
    weft::memory_store store;
    const weft::server_stores stores{store};
    BOOST_CHECK_EXCEPTION((weft::server{loop.loop(), stores, {}}), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration;
    });
    BOOST_CHECK_EXCEPTION((weft::server{loop.loop(), stores, {greeting(), greeting()}}), weft::error,
                          [](const weft::error& e) {
                              return std::string_view{e.what()}.find("'greeting'") != std::string_view::npos;
                          });
}

BOOST_AUTO_TEST_CASE(graphs_are_served_over_tls_with_certificates_that_change)
{
    const weft::testing::certificate_authority authority;
    const auto issued = authority.issue();
    const weft::testing::pem_file files{issued.certificate_pem + issued.key_pem};
    test_loop loop;
    weft::memory_store store;
    weft::server server{loop.loop(), weft::server_stores{store}, {greeting()}};
    weft::tls_server_options tls;
    tls.certificate_file = files.path();
    const weft::listen_address at = server.listen(weft::listen_address{"127.0.0.1:0"}, tls);
    started<void> running{loop, server.run()};
    weft::http_client_options options;
    options.tls.ca_pem = authority.certificate_pem();
    for (int i = 0; i < 2; ++i) {
        weft::http_request request{"POST", weft::url{"https://localhost:" + std::to_string(at.port()) + "/runs/wait"}};
        request.body(R"({"assistant_id": "greeting", "input": {"name": "Ada"}})", "application/json");
        started got{loop, fetch(weft::http_client{options}, std::move(request))};
        BOOST_TEST(got.result().body == R"({"name":"Ada","said":["hello Ada"]})");
        server.reload_tls();
    }
    server.drain();
    loop.run_until([&] { return running.is_done(); });
}

BOOST_AUTO_TEST_SUITE_END()
