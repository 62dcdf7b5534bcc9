#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/sse_parser.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(server_loops_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> told{"told"};
inline constexpr weft::state_key<std::string> answered{"answered"};

constexpr int tokens = 30;
constexpr int clients = 8;

/** The OS threads on which nodes have run. */
struct seen_threads {
    std::mutex mutex;
    std::set<std::thread::id> all;

    void note()
    {
        const std::lock_guard lock{mutex};
        all.insert(std::this_thread::get_id());
    }
};

weft::graph telling_graph(seen_threads& seen)
{
    const auto tell = [&seen](weft::node_context& ctx) -> weft::task<void> {
        seen.note();
        for (int i = 0; i < tokens; ++i) {
            ctx.emit("count", std::to_string(i));
            co_await weft::sleep_for(1ms);
        }
        ctx.set(told, "all");
    };
    return weft::graph_builder{"telling"}.state(told).node("tell", tell).edge(weft::start, "tell").build();
}

weft::graph asking_graph()
{
    const auto ask = [](weft::node_context& ctx) -> weft::task<void> {
        weft::question asked{"May I?"};
        ctx.set(answered, co_await ctx.ask<std::string>(std::move(asked)));
    };
    return weft::graph_builder{"asking"}.state(answered).node("ask", ask).edge(weft::start, "ask").build();
}

struct heard {
    std::vector<std::string> events;
    bool is_over = false;
};

/** A client with a connection of its own, which the kernel gives to any of the loops. */
weft::task<void> listen_to(weft::http_request request, heard& into, std::string until = {})
{
    const weft::http_client client;
    weft::sse_parser parser;
    weft::http_response response = co_await client.send(std::move(request));
    while (!into.is_over) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty()) break;
        parser.feed(bytes);
        while (const weft::sse_event* const event = parser.next()) {
            into.events.push_back(std::string{event->type} + ' ' + std::string{event->data});
            if (!until.empty() && into.events.back().find(until) != std::string::npos) into.is_over = true;
        }
    }
    into.is_over = true;
}

struct wide_life {
    explicit wide_life(test_loop& where)
        : where{where}, server{where, store, {telling_graph(seen), asking_graph()}, with(more)}
    {
    }
    static weft::server_options with(weft::runtime& more)
    {
        weft::server_options options;
        options.more_loops = &more;
        return options;
    }

    answer post_anew(std::string_view target, std::string body)
    {
        weft::http_request request = server.request_to("POST", target);
        request.body(std::move(body), "application/json");
        started got{where, fetch(weft::http_client{}, std::move(request))};
        return got.result();
    }

    test_loop& where;
    seen_threads seen;
    weft::memory_store store;
    weft::runtime more{2};
    life server;
};

BOOST_AUTO_TEST_CASE(clients_of_any_loop_follow_a_run)
{
    test_loop loop;
    wide_life wide{loop};
    for (int round = 0; round < 6; ++round) {
        const std::string thread = "/threads/t" + std::to_string(round);
        const answer made =
            wide.post_anew(thread + "/runs", R"({"assistant_id":"telling","if_not_exists":"create","input":{}})");
        BOOST_TEST_REQUIRE(made.status == 200, made.body);
        const std::string run{made.json().at("run_id").as_string()};
        std::vector<heard> all(clients);
        std::vector<std::unique_ptr<started<void>>> listening;
        for (heard& each : all)
            listening.push_back(std::make_unique<started<void>>(
                loop, listen_to(wide.server.request_to("GET", thread + "/runs/" + run + "/stream?stream_mode=custom"),
                                each)));
        loop.run_until([&] { return std::all_of(all.begin(), all.end(), [](const heard& h) { return h.is_over; }); });
        for (const heard& each : all) BOOST_TEST(each.events == all.front().events, boost::test_tools::per_element());
        BOOST_TEST(all.front().events.size() == static_cast<std::size_t>(tokens));
    }
    BOOST_TEST(wide.seen.all.size() > 1);  // else one loop had all connections
    wide.server.drain();
}

BOOST_AUTO_TEST_CASE(clients_of_any_loop_watch_a_thread_over_several_runs)
{
    test_loop loop;
    wide_life wide{loop};
    BOOST_TEST(wide.post_anew("/threads", R"({"thread_id":"t"})").status == 200);
    std::vector<heard> all(clients);
    std::vector<std::unique_ptr<started<void>>> listening;
    for (heard& each : all)
        listening.push_back(std::make_unique<started<void>>(
            loop, listen_to(wide.server.request_to("GET", "/threads/t/stream?stream_mode=lifecycle"), each)));
    for (int round = 0; round < 5; ++round) {
        const answer done = wide.post_anew("/threads/t/runs/wait", R"({"assistant_id":"telling","input":{}})");
        BOOST_TEST(done.status == 200, done.body);
    }
    const auto has_all = [](const heard& h) { return h.events.size() >= 5; };
    loop.run_until([&] { return std::all_of(all.begin(), all.end(), has_all); });
    for (const heard& each : all) BOOST_TEST(each.events == all.front().events, boost::test_tools::per_element());
    wide.server.drain();
    loop.run_until([&] { return std::all_of(all.begin(), all.end(), [](const heard& h) { return h.is_over; }); });
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_on_another_loop_than_it_was_asked)
{
    test_loop loop;
    wide_life wide{loop};
    for (int round = 0; round < 8; ++round) {
        const std::string thread = "/threads/q" + std::to_string(round);
        const answer asked =
            wide.post_anew(thread + "/runs/wait", R"({"assistant_id":"asking","if_not_exists":"create","input":{}})");
        BOOST_TEST(asked.body.find("May I?") != std::string::npos, asked.body);
        const answer done =
            wide.post_anew(thread + "/runs/wait", R"({"assistant_id":"asking","command":{"resume":"yes"}})");
        BOOST_TEST(done.body == R"({"answered":"yes"})");
    }
    wide.server.drain();
}

BOOST_AUTO_TEST_CASE(runs_end_on_all_loops_when_the_server_is_killed)
{
    test_loop loop;
    auto wide = std::make_unique<wide_life>(loop);
    for (int i = 0; i < 8; ++i)
        (void)wide->post_anew("/threads/k" + std::to_string(i) + "/runs",
                              R"({"assistant_id":"telling","if_not_exists":"create","input":{}})");
    wide->server.kill();
    wide.reset();
}

BOOST_AUTO_TEST_CASE(graphs_are_replaced_on_all_loops)
{
    test_loop loop;
    wide_life wide{loop};
    started replaced{loop, wide.server.server().replace_graphs({asking_graph()})};
    (void)replaced.result();
    for (int i = 0; i < 12; ++i) {
        const answer got = wide.post_anew("/runs/wait", R"({"assistant_id":"telling","input":{}})");
        BOOST_TEST(got.status == 422, got.body);
    }
    wide.server.drain();
}

BOOST_AUTO_TEST_SUITE_END()
