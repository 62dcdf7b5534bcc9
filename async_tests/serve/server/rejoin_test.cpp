#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/sse_parser.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(rejoin_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

constexpr int steps = 6;

weft::graph long_graph()
{
    weft::graph_builder builder{"long"};
    builder.state(said);
    std::string before;
    for (int i = 1; i <= steps; ++i) {
        const std::string name = "s" + std::to_string(i);
        builder.node(name, [](weft::node_context& ctx) -> weft::task<void> {
            for (const char* const token : {"a", "b", "c"}) {
                ctx.emit("output", token);
                co_await weft::sleep_for(1ms);
            }
            ctx.set(said, std::string{ctx.node()});
        });
        if (before.empty()) builder.edge(weft::start, name);
        else builder.edge(before, name);
        before = name;
    }
    return builder.build();
}

/** What a client of a stream has got. */
struct followed {
    std::vector<std::uint64_t> ids;
    std::vector<std::string> data;
    bool is_whole = false;  // its end came in order

    [[nodiscard]] std::uint64_t last() const { return ids.empty() ? 0 : ids.back(); }
};

weft::task<void> follow(weft::http_client client, weft::http_request request, followed& into)
{
    weft::sse_parser parser;
    try {
        weft::http_response response = co_await client.send(std::move(request));
        for (;;) {
            const std::string_view bytes = co_await response.read_some();
            if (bytes.empty()) break;
            parser.feed(bytes);
            while (const weft::sse_event* const event = parser.next()) {
                if (event->type == "metadata") continue;  // the run begins again where its last checkpoint is
                into.ids.push_back(std::stoull(std::string{event->id}));
                into.data.push_back(std::string{event->type} + ' ' + std::string{event->data});
            }
        }
        into.is_whole = true;
    } catch (const weft::error&) {
        // The server is gone; what came is kept.
    }
}

weft::http_request to_stream(const life& server, const std::string& run, std::uint64_t after)
{
    weft::http_request request =
        server.request_to("GET", "/threads/t/runs/" + run + "/stream?stream_mode=updates&stream_mode=values"
                                 "&stream_mode=messages-tuple");
    if (after > 0) request.header("Last-Event-ID", std::to_string(after));
    return request;
}

/** @param streams_every   0: the log gets events with checkpoints only. */
weft::server_options brief_lives(std::chrono::milliseconds streams_every = 0ms)
{
    weft::server_options options;
    options.runs.streaming.every = streams_every;
    options.runs.streaming.in_one_process = streams_every > 0ms;
    options.runs.lifetime = 300ms;
    options.runs.heartbeat_every = 100ms;
    options.runs.poll_every = 20ms;
    options.runs.attempts_max = 1000;
    return options;
}

/** What a client has got that followed a run through the deaths of processes. */
void check_followed(test_loop& loop, const life& server, const std::string& run, const followed& seen)
{
    BOOST_TEST(seen.is_whole);
    // In order, and none twice.
    BOOST_TEST((std::adjacent_find(seen.ids.begin(), seen.ids.end(), std::greater_equal<>{}) == seen.ids.end()));
    followed all;
    started late{loop, follow(weft::http_client{}, to_stream(server, run, 0), all)};
    loop.run_until([&] { return late.is_done(); });
    // What a client that comes afterwards gets, the one that was there has got as well.
    for (std::size_t i = 0; i < all.ids.size(); ++i) {
        const auto found = std::lower_bound(seen.ids.begin(), seen.ids.end(), all.ids[i]);
        const bool is_there = found != seen.ids.end() && *found == all.ids[i];
        BOOST_TEST(is_there, "event " << all.ids[i] << " was missed: " << all.data[i]);
        if (is_there) BOOST_TEST(seen.data[static_cast<std::size_t>(found - seen.ids.begin())] == all.data[i]);
    }
    std::set<std::string> updated;
    for (const std::string& each : all.data)
        if (each.starts_with("updates ")) updated.insert(each);
    BOOST_TEST(updated.size() == static_cast<std::size_t>(steps));
    const bool has_end = std::any_of(all.data.begin(), all.data.end(), [](const std::string& each) {
        return each == R"(values {"said":["s1","s2","s3","s4","s5","s6"]})";
    });
    BOOST_TEST(has_end);
}

void check_rejoined(unsigned seed, std::size_t& kills, std::chrono::milliseconds streams_every)
{
    std::mt19937 random{seed};
    hand_clock clock;
    test_loop loop{clock};
    weft::memory_store store;
    auto server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()},
                                        brief_lives(streams_every));
    const answer made =
        server->post("/threads/t/runs", R"({"assistant_id":"long","input":{},"if_not_exists":"create"})");
    const std::string run{made.json().at("run_id").as_string()};
    followed seen;
    while (!seen.is_whole) {
        {
            started client{loop, follow(weft::http_client{}, to_stream(*server, run, seen.last()), seen)};
            const unsigned moments = 1 + random() % 30;
            for (unsigned i = 0; i < moments && !client.is_done(); ++i) loop.advance(1ms);
            if (client.is_done()) break;
            ++kills;
            server->kill();
            server.reset();
            loop.run_until([&] { return client.is_done(); });
        }
        server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()},
                                        brief_lives(streams_every));
        for (int i = 0; i < 301; ++i) loop.advance(1ms);  // the run of the dead process is free
    }
    check_followed(loop, *server, run, seen);
}

BOOST_AUTO_TEST_CASE(a_client_that_joins_again_after_kills_gets_each_event_once_and_in_order)
{
    std::size_t kills = 0;
    for (unsigned seed = 1; kills < 200; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) { check_rejoined(seed, kills, 0ms); }
    }
}

BOOST_AUTO_TEST_CASE(so_it_does_when_the_log_has_what_a_node_emits_before_the_node_ends)
{
    std::size_t kills = 0;
    for (unsigned seed = 1001; kills < 200; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) { check_rejoined(seed, kills, 1ms); }
    }
}

weft::task<weft::event_prune> prune_logs(weft::memory_store& store)
{
    co_return co_await store.service().run_events().prune(0ms, 100'000);
}

BOOST_AUTO_TEST_CASE(a_client_that_joins_a_run_whose_events_were_pruned_is_told_so_and_gets_its_end)
{
    test_loop loop;
    weft::memory_store store;
    auto server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()});
    const answer made =
        server->post("/threads/t/runs/wait", R"({"assistant_id":"long","input":{},"if_not_exists":"create"})");
    BOOST_TEST(made.status == 200);
    const answer runs = server->send("GET", "/threads/t/runs");
    const std::string run{runs.json().at(0).at("run_id").as_string()};
    const std::string gone = ": events that came before are gone\n";
    server->drain();
    server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()});
    const answer whole = server->send(to_stream(*server, run, 0));
    BOOST_TEST(whole.body.find("event: updates") != std::string::npos);
    BOOST_TEST(whole.body.find(gone) == std::string::npos);
    server->drain();
    started pruned{loop, prune_logs(store)};
    BOOST_TEST(pruned.result().runs == 1u);
    server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()});
    const answer late = server->send(to_stream(*server, run, 0));
    BOOST_TEST(late.status == 200);
    BOOST_TEST(late.body.find(gone) != std::string::npos, late.body);
    BOOST_TEST(late.body.find("event: updates") == std::string::npos, late.body);
    BOOST_TEST(late.body.find("event: error") == std::string::npos, late.body);
    BOOST_TEST(server->send("GET", "/threads/t/runs/" + run + "/join").json().at("said").as_array().size() == 6u);
    BOOST_TEST(server->send("GET", "/threads/t/runs/" + run).json().at("status") == "success");
}

/** Two processes on one store, each of which takes over what the other one leaves. */
struct two_lives {
    explicit two_lives(test_loop& on, weft::memory_store& store) : loop{on}, store{store}
    {
        for (std::unique_ptr<life>& each : lives) begin(each);
    }
    void begin(std::unique_ptr<life>& at)
    {
        at = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{long_graph()}, brief_lives(1ms));
    }
    void kill(std::size_t which)
    {
        lives[which]->kill();
        lives[which].reset();
    }

    test_loop& loop;
    weft::memory_store& store;
    std::unique_ptr<life> lives[2];
};

void check_other_process(unsigned seed, std::size_t& kills)
{
    std::mt19937 random{seed};
    hand_clock clock;
    test_loop loop{clock};
    weft::memory_store store;
    two_lives processes{loop, store};
    const answer made =
        processes.lives[0]->post("/threads/t/runs", R"({"assistant_id":"long","input":{},"if_not_exists":"create"})");
    const std::string run{made.json().at("run_id").as_string()};
    followed seen;
    while (!seen.is_whole) {
        const std::size_t asked = random() % 2;
        started client{loop, follow(weft::http_client{}, to_stream(*processes.lives[asked], run, seen.last()), seen)};
        std::size_t killed = 2;
        while (!client.is_done()) {
            const unsigned moments = 1 + random() % 20;
            for (unsigned i = 0; i < moments && !client.is_done(); ++i) loop.advance(1ms);
            if (client.is_done() || random() % 4 != 0) continue;
            ++kills;
            killed = random() % 2;
            processes.kill(killed);
            if (killed == asked) loop.run_until([&] { return client.is_done(); });
            processes.begin(processes.lives[killed]);
        }
        for (int i = 0; i < 20; ++i) loop.advance(1ms);
    }
    check_followed(loop, *processes.lives[random() % 2], run, seen);
}

BOOST_AUTO_TEST_CASE(a_client_follows_a_run_from_process_to_process_through_the_death_of_either)
{
    std::size_t kills = 0;
    for (unsigned seed = 1; kills < 200; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) { check_other_process(seed, kills); }
    }
}

BOOST_AUTO_TEST_CASE(a_run_that_its_process_has_lost_is_streamed_on_where_it_has_begun)
{
    for (int moment = 1; moment <= 20; ++moment) {
        hand_clock clock;
        test_loop loop{clock};
        weft::memory_store store;
        two_lives processes{loop, store};
        weft::http_request begin = processes.lives[0]->request_to("POST", "/threads/t/runs/stream");
        begin.body(R"({"assistant_id":"long","input":{},"if_not_exists":"create","stream_mode":["updates","values"]})",
                   "application/json");
        followed seen;
        started client{loop, follow(weft::http_client{}, std::move(begin), seen)};
        for (int i = 0; i < moment; ++i) loop.advance(1ms);
        // As if it had been stopped for longer than its lifetime: the store gives its runs to others.
        started leaving{loop, store.leave(1)};
        leaving.result();
        for (int i = 0; i < 5'000 && !client.is_done(); ++i) loop.advance(1ms);
        BOOST_TEST(seen.is_whole);
        BOOST_TEST((std::adjacent_find(seen.ids.begin(), seen.ids.end(), std::greater_equal<>{}) == seen.ids.end()));
        BOOST_TEST_REQUIRE(!seen.data.empty());
        BOOST_TEST(seen.data.back() == R"(values {"said":["s1","s2","s3","s4","s5","s6"]})");
    }
}

BOOST_AUTO_TEST_CASE(a_run_that_is_over_is_streamed_by_another_process)
{
    test_loop loop;
    weft::memory_store store;
    std::string run;
    answer first;
    {
        life server{loop, store, {long_graph()}};
        first = server.post("/threads/t/runs/stream",
                            R"({"assistant_id":"long","input":{"said":["in"]},"if_not_exists":"create",)"
                            R"("stream_mode":["values","updates"]})");
        const std::string place{first.headers.find("content-location").value()};
        run = place.substr(place.rfind('/') + 1);
        server.drain();
    }
    life second{loop, store, {long_graph()}};
    const answer again = second.send("GET", "/threads/t/runs/" + run + "/stream?stream_mode=values,updates");
    // The first one was also told the id of its run.
    BOOST_TEST(first.body.ends_with(again.body));
    BOOST_TEST(again.body.find("\"s6\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
