#include "net/test_loop.hpp"
#include "serve/server/dead_run.hpp"
#include "serve/server/server_life.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/observe/telemetry/telemetry.hpp>
#include <weft/serve/worker.hpp>
#include <weft/testing/scripted_model.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(metrics_test)

inline constexpr weft::state_key<std::string> word{"word"};

/** A graph whose first node fails once. */
weft::graph stumbling()
{
    weft::node_options tries;
    tries.retry = {.attempts_max = 2, .initial = std::chrono::nanoseconds{0}};
    weft::graph_builder builder{"stumbling"};
    builder.state(word).node("fall", [](weft::node_context& node) {
        if (node.attempt() == 1) throw std::runtime_error{"it fell"};
        node.set(word, std::string{"up"});
    }, tries);
    return builder.edge(weft::start, "fall").build();
}

weft::server_options counting(std::shared_ptr<weft::telemetry> by)
{
    weft::server_options options;
    options.telemetry = std::move(by);
    return options;
}

void check_has(const std::string& text, std::string_view line)
{
    BOOST_TEST((text.find("\n" + std::string{line}) != text.npos), line << " is not in\n" << text);
}

BOOST_AUTO_TEST_CASE(a_server_counts_its_requests_runs_nodes_and_what_its_store_does)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {stumbling()}, counting(std::make_shared<weft::telemetry>())};
    const std::string order = R"({"assistant_id":"stumbling","input":{},"if_not_exists":"create"})";
    BOOST_TEST(server.post("/threads/t/runs/wait", order).status == 200);
    BOOST_TEST(server.post("/runs/wait", R"({"assistant_id":"stumbling","input":{}})").status == 200);
    BOOST_TEST(server.send("GET", "/nowhere/at/all").status == 404);
    const answer got = server.send("GET", "/metrics");
    BOOST_TEST(got.status == 200);
    BOOST_TEST(got.headers.find("content-type").value_or("") == "text/plain; version=0.0.4; charset=utf-8");
    for (const char* const line :
         {R"(weft_http_requests_total{route="/threads/{thread_id}/runs/wait",method="POST",code="200"} 1)",
          R"(weft_http_requests_total{route="none",method="none",code="404"} 1)",
          R"(weft_runs_total{graph="stumbling",outcome="finished"} 2)", R"(weft_runs_open{graph="stumbling"} 0)",
          R"(weft_node_retries_total{graph="stumbling",node="fall"} 2)",
          R"(weft_node_seconds_count{graph="stumbling",node="fall"} 4)",
          R"(weft_run_queue_seconds_count{graph="stumbling"} 2)", R"(weft_workers{state="alive"} 1)",
          "process_resident_memory_bytes "})
        check_has(got.body, line);
    check_has(got.body, R"(weft_store_seconds_count{op="commit"} )");
    // Neither the thread nor anything that people have said is a label.
    BOOST_TEST(got.body.find("\"t\"") == std::string::npos);

    weft::http_request open = server.request_to("GET", "/metrics");
    open.header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    const answer again = server.send(std::move(open));
    BOOST_TEST(again.body.ends_with("# EOF\n"));
    check_has(again.body, R"(weft_http_requests_total{route="/metrics",method="GET",code="200"} 1)");
    server.drain();
}

BOOST_AUTO_TEST_CASE(a_worker_answers_with_its_metrics_beside_its_health)
{
    test_loop loop;
    weft::memory_store store;
    weft::worker_options options;
    options.heartbeats_apart = false;
    options.telemetry = std::make_shared<weft::telemetry>();
    weft::worker worker{loop.loop(), weft::server_stores{store}, {stumbling()}, std::move(options)};
    const weft::listen_address at = worker.listen_for_health(weft::listen_address{"127.0.0.1:0"});
    started<void> running{loop, worker.run()};
    weft::http_client client;
    const std::string target = "http://" + at.to_string() + "/metrics";
    started got{loop, fetch(client, weft::http_request{"GET", weft::url{target}})};
    const answer said = got.result();
    BOOST_TEST(said.status == 200);
    check_has(said.body, "process_open_fds ");
    check_has(said.body, R"(weft_workers{state="alive"} 1)");
    worker.drain();
    loop.run_until([&] { return running.is_done(); });
}

/** A node that waits until its client has a stream open. */
struct stream_watch {
    weft::metric_series& streams;
    double& open;

    weft::task<void> operator()(weft::node_context&) const { return look(&streams, &open); }

private:
    static weft::task<void> look(const weft::metric_series* streams, double* open)
    {
        for (int i = 0; i < 2'000 && *open == 0; ++i) {
            co_await weft::sleep_for(std::chrono::milliseconds{1});
            *open = streams->value();
        }
    }
};

BOOST_AUTO_TEST_CASE(dead_runs_and_open_streams_are_counted)
{
    test_loop loop;
    weft::memory_store store;
    (void)started{loop, make_dead(store, "acme", "t1")}.result();
    (void)started{loop, make_dead(store, "", "t2")}.result();
    const auto telemetry = std::make_shared<weft::telemetry>();
    double open = 0;
    weft::graph_builder builder{"streamed"};
    builder.state(word).node("look", stream_watch{telemetry->metrics().streams.at({"langgraph"}), open});
    life server{loop, store, {builder.edge(weft::start, "look").build()}, counting(telemetry)};
    BOOST_TEST(server.post("/runs/stream", R"({"assistant_id":"streamed","input":{}})").status == 200);
    BOOST_TEST(open == 1);
    const std::string text = server.send("GET", "/metrics").body;
    check_has(text, R"(weft_streams{protocol="langgraph"} 0)");
    check_has(text, R"(weft_dead_letters{graph="asking"} 2)");
    server.drain();
}

BOOST_AUTO_TEST_CASE(without_telemetry_there_is_no_such_route)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {stumbling()}};
    BOOST_TEST(server.send("GET", "/metrics").status == 404);
    server.drain();
}

BOOST_AUTO_TEST_CASE(calls_of_models_are_counted_with_their_tokens_though_no_trace_is_sent)
{
    test_loop loop;
    weft::memory_store store;
    using weft::testing::scripted_turn;
    const auto model = std::make_shared<weft::testing::scripted_model>("gpt-x at api.openai.com:443");
    model->then(scripted_turn{"Water."}.used(weft::tokens{12}, weft::tokens{3}));
    weft::llm_node_options asking{.settings = {.prompt = "What is rain?"}, .writes = {"word"}};
    weft::graph_builder builder{"asking"};
    builder.state(word).node("ask", weft::llm_node{model, std::move(asking)});
    life server{loop, store, {builder.edge(weft::start, "ask").build()}, counting(std::make_shared<weft::telemetry>())};
    BOOST_TEST(server.post("/runs/wait", R"({"assistant_id":"asking","input":{}})").status == 200);
    const std::string text = server.send("GET", "/metrics").body;
    for (const char* const line : {R"(weft_tokens_total{model="gpt-x",kind="input"} 12)",
                                   R"(weft_tokens_total{model="gpt-x",kind="output"} 3)",
                                   R"(weft_model_seconds_count{provider="openai",model="gpt-x"} 1)"})
        check_has(text, line);
    server.drain();
}

BOOST_AUTO_TEST_SUITE_END()
