#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(run_control_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};
inline constexpr weft::state_key<std::string> last{"last"};
inline constexpr weft::state_key<bool> is_slow{"is_slow"};

/** Says what it got, and stays at it for as long as it is told to be slow. */
weft::graph speaking_graph()
{
    const auto first = [](weft::node_context& ctx) { ctx.set(said, "begun"); };
    const auto second = [](weft::node_context& ctx) -> weft::task<void> {
        if (ctx.find(is_slow) && ctx.get(is_slow)) co_await weft::sleep_for(1h);
        ctx.set(said, "done");
    };
    return weft::graph_builder{"speaking"}
        .state(said, last, is_slow)
        .node("first", first)
        .node("second", second)
        .edge(weft::start, "first")
        .edge("first", "second")
        .build();
}

std::string body_of(std::string_view input, std::string_view more = {})
{
    return R"({"assistant_id":"speaking","if_not_exists":"create","input":)" + std::string{input} + std::string{more} +
           '}';
}

/** The id of a run that was made. */
std::string made(const answer& of)
{
    BOOST_TEST_REQUIRE(of.status == 200, of.body);
    return std::string{of.json().at("run_id").as_string()};
}

struct speaking_life : life {
    explicit speaking_life(test_loop& loop, weft::memory_store& store) : life{loop, store, {speaking_graph()}} {}

    std::string status_of(const std::string& run)
    {
        return std::string{send("GET", "/threads/t/runs/" + run).json().at("status").as_string()};
    }
    /** A run that stays at its second node, and has written what the first one says. */
    std::string begin_slow(std::string_view more = {})
    {
        const std::string run = made(post("/threads/t/runs", body_of(R"({"is_slow":true,"last":"slow"})", more)));
        while (send("GET", "/threads/t/state").body.find("begun") == std::string::npos) {}
        return run;
    }
};

BOOST_AUTO_TEST_CASE(a_rollback_takes_back_what_the_run_before_has_written)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    const answer first = server.post("/threads/t/runs/wait", body_of(R"({"is_slow":false})"));
    BOOST_TEST(first.body == R"({"said":["begun","done"],"is_slow":false})");
    const std::string slow = server.begin_slow();
    const answer rolled = server.post("/threads/t/runs/wait", body_of("{}", R"(,"multitask_strategy":"rollback")"));
    // Two turns, and nothing of the one between them: the key that it alone had written has no value again.
    BOOST_TEST(rolled.body == R"({"said":["begun","done","begun","done"],"is_slow":false})");
    BOOST_TEST(server.status_of(slow) == "interrupted");
}

BOOST_AUTO_TEST_CASE(a_rollback_of_the_first_run_begins_with_nothing)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    (void)server.begin_slow();
    const answer rolled = server.post("/threads/t/runs/wait", body_of("{}", R"(,"multitask_strategy":"rollback")"));
    BOOST_TEST(rolled.body == R"({"said":["begun","done"]})");
}

BOOST_AUTO_TEST_CASE(a_run_in_line_is_cancelled_and_those_that_are_over_are_removed)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    const std::string slow = server.begin_slow();
    const std::string in_line = made(server.post("/threads/t/runs", body_of("{}")));
    BOOST_TEST(server.status_of(in_line) == "pending");
    BOOST_TEST(server.send("DELETE", "/threads/t/runs/" + in_line).status == 409);
    BOOST_TEST(server.post("/threads/t/runs/" + in_line + "/cancel", "{}").status == 202);
    BOOST_TEST(server.status_of(in_line) == "interrupted");
    BOOST_TEST(server.status_of(slow) == "running");
    BOOST_TEST(server.post("/threads/t/runs/" + slow + "/cancel?wait=true", "{}").status == 204);
    BOOST_TEST(server.status_of(slow) == "interrupted");
    BOOST_TEST(server.send("DELETE", "/threads/t/runs/" + slow).status == 204);
    BOOST_TEST(server.send("DELETE", "/threads/t/runs/" + slow).status == 404);
    BOOST_TEST(server.send("GET", "/threads/t/runs").json().as_array().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cancel_that_waits_is_woken_by_the_store_and_not_by_time)
{
    hand_clock stands_still;
    test_loop loop{stands_still};
    weft::memory_store store;
    speaking_life executes{loop, store};
    speaking_life asked{loop, store};
    const std::string slow = executes.begin_slow();
    BOOST_TEST(asked.post("/threads/t/runs/" + slow + "/cancel?wait=true", "{}").status == 204);
    BOOST_TEST(asked.status_of(slow) == "interrupted");
}

BOOST_AUTO_TEST_CASE(many_runs_are_cancelled_by_status_or_by_their_ids)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    const std::string slow = server.begin_slow();
    const std::string in_line = made(server.post("/threads/t/runs", body_of("{}")));
    const auto cancel = [&](std::string body) { return server.post("/runs/cancel", std::move(body)); };
    BOOST_TEST(cancel("{}").status == 422);
    BOOST_TEST(cancel(R"({"status":"all","thread_id":"t","run_ids":["x"]})").status == 422);
    BOOST_TEST(cancel(R"({"thread_id":"t"})").status == 422);
    BOOST_TEST(cancel(R"({"status":"lost"})").body.find("pending, running, all") != std::string::npos);
    BOOST_TEST(cancel(R"({"thread_id":"t","run_ids":["none"]})").status == 404);
    BOOST_TEST(cancel(R"({"status":"pending"})").status == 204);
    BOOST_TEST(server.status_of(in_line) == "interrupted");
    BOOST_TEST(server.status_of(slow) == "running");
    const std::string next = made(server.post("/threads/t/runs", body_of("{}")));
    BOOST_TEST(cancel(R"({"thread_id":"t","run_ids":[")" + next + R"(",")" + slow + R"("]})").status == 204);
    while (server.status_of(slow) == "running") {}
    BOOST_TEST(server.status_of(slow) == "interrupted");
    BOOST_TEST(server.status_of(next) == "interrupted");
}

BOOST_AUTO_TEST_CASE(a_batch_begins_all_its_runs_or_none)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    const std::string one = body_of(R"({"said":["x"]})", R"(,"on_completion":"keep")");
    BOOST_TEST(server.post("/runs/batch", "{}").status == 422);
    const answer wrong = server.post("/runs/batch", '[' + one + R"(,{"assistant_id":"nobody"}])");
    BOOST_TEST(wrong.status == 422);
    const answer input = server.post("/runs", body_of(R"({"siad":["x"]})"));
    BOOST_TEST(input.status == 422);
    // The thread of the first run of the batch is made before the second one is looked at; no other one is.
    BOOST_TEST(server.post("/threads/search", "{}").json().as_array().size() == 1U);
    const answer right = server.post("/runs/batch", '[' + one + ',' + one + ']');
    BOOST_TEST_REQUIRE(right.status == 200, right.body);
    const boost::json::value runs = right.json();
    BOOST_TEST_REQUIRE(runs.as_array().size() == 2U);
    for (const boost::json::value& run : runs.as_array()) {
        const std::string thread{run.at("thread_id").as_string()};
        const answer joined =
            server.send("GET", "/threads/" + thread + "/runs/" + std::string{run.at("run_id").as_string()} + "/join");
        BOOST_TEST(joined.body == R"({"said":["x","begun","done"]})");
    }
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_before_its_client_hears_of_it_was_begun)
{
    test_loop loop;
    weft::memory_store store;
    const weft::graph breaking = weft::graph_builder{"breaking"}
                                     .state(said)
                                     .node("break", [](weft::node_context& ctx) { (void)ctx.get(said); })
                                     .edge(weft::start, "break")
                                     .build();
    life server{loop, store, {breaking}};
    for (int i = 0; i < 20; ++i) {
        // Its thread goes with it, before the answer as a rule.
        const answer made = server.post("/runs", R"({"assistant_id":"breaking"})");
        BOOST_TEST(made.status == 200, made.body);
    }
}

BOOST_AUTO_TEST_CASE(a_thread_with_nothing_to_go_on_with_is_no_failure_of_the_server)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {speaking_graph()}};
    (void)server.post("/threads", R"({"thread_id":"t"})");
    const answer got = server.post("/threads/t/runs", R"({"assistant_id":"speaking"})");
    BOOST_TEST(got.status == 404, got.body);
    BOOST_TEST(got.body.find("no run that waits") != std::string::npos, got.body);
}

BOOST_AUTO_TEST_CASE(threads_are_pruned)
{
    test_loop loop;
    weft::memory_store store;
    speaking_life server{loop, store};
    for (const char* const thread : {"a", "b"})
        BOOST_TEST(server.post("/threads/" + std::string{thread} + "/runs/wait", body_of("{}")).status == 200);
    BOOST_TEST(server.post("/threads/prune", R"({"thread_ids":["a"],"strategy":"some"})").status == 422);
    const answer kept = server.post("/threads/prune", R"({"thread_ids":["a","none"],"strategy":"keep_latest"})");
    BOOST_TEST(kept.body == R"({"pruned_count":1})");
    BOOST_TEST(server.send("GET", "/threads/a/history").json().as_array().size() == 1U);
    const answer gone = server.post("/threads/prune", R"({"thread_ids":["a","b"]})");
    BOOST_TEST(gone.body == R"({"pruned_count":2})");
    BOOST_TEST(server.send("GET", "/threads/b").status == 404);
}

weft::task<void> read_thread(weft::http_client client, weft::http_request request, std::string& into)
{
    weft::http_response response = co_await client.send(std::move(request));
    for (;;) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty()) break;
        into.append(bytes);
    }
}

BOOST_AUTO_TEST_CASE(the_stream_of_a_thread_tells_of_one_run_after_the_other)
{
    test_loop loop;
    weft::memory_store store;
    std::string seen;
    std::string last_id;
    {
        speaking_life server{loop, store};
        BOOST_TEST(server.send("GET", "/threads/none/stream").status == 404);
        BOOST_TEST(server.post("/threads", R"({"thread_id":"t"})").status == 200);
        BOOST_TEST(server.send("GET", "/threads/t/stream?stream_mode=all").status == 422);
        started watching{loop, read_thread(weft::http_client{}, server.request_to("GET", "/threads/t/stream"), seen)};
        loop.run_until([&] { return seen.find("ready") != std::string::npos; });
        const std::string first = made(server.post("/threads/t/runs", body_of("{}")));
        const std::string second = made(server.post("/threads/t/runs", body_of("{}")));
        const std::string end = R"({"status":"run_done","run_id":")" + second + "\"}";
        loop.run_until([&] { return seen.find(end) != std::string::npos; });
        const std::size_t begun = seen.find("event: metadata\ndata: {\"run_id\":\"" + first);
        const std::size_t done = seen.find(R"({"status":"run_done","run_id":")" + first);
        BOOST_TEST((begun < done && done < seen.find("data: {\"run_id\":\"" + second)));
        BOOST_TEST(seen.find("event: updates\ndata: {\"second\":{\"said\":[\"done\"]}}") != std::string::npos);
        server.drain();
        loop.run_until([&] { return watching.is_done(); });
        const std::size_t place = seen.rfind("id: ");
        last_id = seen.substr(place + 4, seen.find('\n', place) - place - 4);
    }
    // A later life of the server numbers on, so that a client which comes back gets what is new.
    speaking_life server{loop, store};
    std::string more;
    weft::http_request again = server.request_to("GET", "/threads/t/stream?stream_mode=lifecycle");
    again.header("Last-Event-ID", last_id);
    started watching{loop, read_thread(weft::http_client{}, std::move(again), more)};
    loop.run_until([&] { return more.find("ready") != std::string::npos; });
    const std::string third = made(server.post("/threads/t/runs", body_of("{}")));
    loop.run_until([&] { return more.find(third) != std::string::npos; });
    BOOST_TEST(more.find("event: updates") == std::string::npos);
    server.drain();
}

BOOST_AUTO_TEST_SUITE_END()
