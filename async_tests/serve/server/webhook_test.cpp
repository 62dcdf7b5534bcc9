#include <boost/test/unit_test.hpp>

#include "hook_receiver.hpp"
#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/agent/host/webhook_signature.hpp>
#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/service/webhook_outbox.hpp>

#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(webhook_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> said{"said"};

std::vector<weft::served_graph> graphs_with_ends()
{
    const auto speak = [](weft::node_context& ctx) -> weft::task<void> {
        co_await weft::sleep_for(2ms);
        ctx.set(said, "hello");
    };
    const auto fail = [](weft::node_context&) -> weft::task<void> {
        co_await weft::sleep_for(1ms);
        throw weft::error{weft::errc::connection_lost, "stove", "it is cold"};
    };
    return {weft::graph_builder{"speaking"}.state(said).node("speak", speak).edge(weft::start, "speak").build(),
            weft::graph_builder{"failing"}.state(said).node("fail", fail).edge(weft::start, "fail").build()};
}

weft::server_options telling()
{
    weft::server_options options;
    options.webhooks.also_allowed = [](std::string_view address) { return address == "127.0.0.1"; };
    options.webhooks.secret = weft::secret_string{"between us"};
    return options;
}

BOOST_AUTO_TEST_CASE(the_end_of_a_run_is_told_with_its_values)
{
    test_loop loop;
    weft::memory_store store;
    hook_receiver other{loop};
    life server{loop, store, graphs_with_ends(), telling()};
    const answer made = server.post("/threads/t/runs", R"({"assistant_id":"speaking","input":{},"webhook":")" +
                                                           other.url() + R"(","if_not_exists":"create"})");
    BOOST_TEST_REQUIRE(made.status == 200);
    const std::string run{made.json().at("run_id").as_string()};
    loop.run_until([&] { return !other.bodies.empty(); });
    const boost::json::value told = weft::parse_json(other.bodies[0]);
    BOOST_TEST(told.at("run_id").as_string() == run);
    BOOST_TEST(told.at("thread_id") == "t");
    BOOST_TEST(told.at("status") == "success");
    BOOST_TEST(told.at("values").at("said") == "hello");
    BOOST_TEST(told.at("metadata").at("graph_id") == "speaking");
    for (const char* const moment : {"run_started_at", "run_ended_at", "webhook_sent_at"})
        BOOST_TEST(told.at(moment).as_string().starts_with("20"), moment);
    BOOST_TEST(!told.as_object().contains("error"));
    BOOST_TEST(other.headers[0].find("idempotency-key").value() == run);
    BOOST_TEST(weft::is_signed_webhook(other.bodies[0], other.headers[0].find("x-hub-signature-256").value(),
                                       weft::secret_string{"between us"}));
}

BOOST_AUTO_TEST_CASE(a_run_whose_thread_goes_with_it_is_told_with_its_values_and_its_fault)
{
    test_loop loop;
    weft::memory_store store;
    hook_receiver other{loop};
    life server{loop, store, graphs_with_ends(), telling()};
    const std::string rest = R"(,"input":{},"webhook":")" + other.url() + "\"}";
    BOOST_TEST(server.post("/runs", R"({"assistant_id":"speaking")" + rest).status == 200);
    // A run that its client waits for has no thread without a webhook.
    BOOST_TEST(server.post("/runs/wait", R"({"assistant_id":"failing")" + rest).status == 200);
    loop.run_until([&] { return other.bodies.size() >= 2; });
    boost::json::value first = weft::parse_json(other.bodies[0]);
    boost::json::value second = weft::parse_json(other.bodies[1]);
    if (first.at("status") == "error") std::swap(first, second);
    BOOST_TEST(first.at("values").at("said") == "hello");
    BOOST_TEST(second.at("status") == "error");
    BOOST_TEST(std::string{second.at("error").as_string()}.find("it is cold") != std::string::npos);
    for (const boost::json::value& told : {first, second}) {
        const std::string thread{told.at("thread_id").as_string()};
        loop.run_until([&] { return server.send("GET", "/threads/" + thread).status == 404; });
    }
}

BOOST_AUTO_TEST_CASE(an_end_that_was_not_told_before_the_process_died_is_told_by_the_next_one)
{
    test_loop loop;
    weft::memory_store store;
    hook_receiver other{loop};
    std::string run;
    {
        weft::server_options slow = telling();
        slow.webhooks.also_allowed = [](std::string_view address) { return address == "127.0.0.1"; };
        life server{loop, store, graphs_with_ends(), std::move(slow)};
        const answer made = server.post("/threads/t/runs", R"({"assistant_id":"speaking","input":{},"webhook":")" +
                                                               other.url() + R"(","if_not_exists":"create"})");
        run = made.json().at("run_id").as_string();
        weft::webhook_outbox outbox{store.service().documents()};
        // Another process has the message, and dies with it.
        loop.run_until([&] {
            started taking{loop, outbox.take(1ms, 1)};
            return !taking.result().empty();
        });
        server.kill();
    }
    BOOST_TEST(other.bodies.empty());
    life second{loop, store, graphs_with_ends(), telling()};
    loop.run_until([&] { return !other.bodies.empty(); });
    BOOST_TEST(weft::parse_json(other.bodies[0]).at("run_id").as_string() == run);
}

BOOST_AUTO_TEST_CASE(a_message_that_a_program_put_into_the_outbox_goes_out_as_it_is)
{
    test_loop loop;
    weft::memory_store store;
    hook_receiver other{loop};
    weft::outbox_message message;
    message.id = "mine";
    message.url = other.url();
    message.payload = R"({"bell":"rings"})";
    weft::webhook_outbox outbox{store.service().documents()};
    started adding{loop, outbox.add(std::move(message))};
    BOOST_TEST(adding.result());
    life server{loop, store, graphs_with_ends(), telling()};
    loop.run_until([&] { return !other.bodies.empty(); });
    BOOST_TEST(other.bodies[0] == R"({"bell":"rings"})");
    BOOST_TEST(other.headers[0].find("idempotency-key").value() == "mine");
}

BOOST_AUTO_TEST_CASE(a_webhook_that_would_reach_the_inside_is_refused_when_it_is_ordered)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, graphs_with_ends()};
    for (const char* const url : {"/runs", "https://127.0.0.1/", "http://example.com/", "https://10.1.2.3/"}) {
        const answer refused = server.post(
            "/runs", R"({"assistant_id":"speaking","input":{},"webhook":")" + std::string{url} + "\"}");
        BOOST_TEST(refused.status == 422, url);
        BOOST_TEST(std::string{refused.json().at("detail").as_string()}.starts_with("body.webhook: "));
    }
}

BOOST_AUTO_TEST_SUITE_END()
