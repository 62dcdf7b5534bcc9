#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(replace_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> answer_given{"answer"};
inline constexpr weft::state_key<std::string> reply{"reply"};

weft::task<void> ask_person(weft::node_context& ctx)
{
    weft::question which{"Really?"};
    const std::string given = co_await ctx.ask<std::string>(std::move(which));
    ctx.set(answer_given, given);
}

weft::task<void> take_time(weft::node_context& ctx, std::string text)
{
    co_await weft::sleep_for(10s);
    ctx.set(reply, std::move(text));
}

/** @param asking   The name of the node that asks; `says` is what its runs reply. */
weft::graph support(const std::string& asking, std::string says)
{
    const auto answer = [says](weft::node_context& ctx) { ctx.set(reply, says + ' ' + ctx.get(answer_given)); };
    return weft::graph_builder{"support"}
        .state(answer_given, reply)
        .node(asking, ask_person)
        .node("answer", answer)
        .edge(weft::start, asking)
        .edge(asking, "answer")
        .build();
}

weft::graph slow(std::string says)
{
    const auto work = [says](weft::node_context& ctx) { return take_time(ctx, says); };
    return weft::graph_builder{"slow"}.state(reply).node("work", work).edge(weft::start, "work").build();
}

/** What its runs say is no part of its shape. */
weft::graph quick(std::string says, const std::string& node = "say")
{
    const auto say = [says](weft::node_context& ctx) { ctx.set(reply, says); };
    return weft::graph_builder{"quick"}.state(reply).node(node, say).edge(weft::start, node).build();
}

weft::served_entry timer_of(std::string id, std::string graph)
{
    weft::served_entry entry{.id = std::move(id), .graph = std::move(graph)};
    entry.every = 10min;
    return entry;
}

/** A server on a store, whose time is moved by hand. */
class replace_world {
public:
    explicit replace_world(std::vector<weft::served_graph> graphs) { begin(std::move(graphs)); }

    void begin(std::vector<weft::served_graph> graphs, std::vector<weft::served_entry> entries = {})
    {
        weft::server_options options;
        options.entries = std::move(entries);
        server = std::make_unique<life>(loop, store, std::move(graphs), std::move(options));
        BOOST_TEST(server->send("GET", "/ok").status == 200);
    }
    std::vector<weft::waiting_threads> replace(std::vector<weft::served_graph> graphs,
                                               std::vector<weft::served_entry> entries = {})
    {
        started<std::vector<weft::waiting_threads>> replacing{
            loop, server->server().replace_graphs(std::move(graphs), std::move(entries))};
        return replacing.result();
    }
    std::string new_thread()
    {
        return std::string{server->post("/threads", "{}").json().at("thread_id").as_string()};
    }
    /** A thread that waits for the answer to its question. */
    std::string waiting_thread()
    {
        std::string thread = new_thread();
        const answer asked =
            server->post("/threads/" + thread + "/runs/wait", R"({"assistant_id":"support","input":{}})");
        BOOST_TEST(asked.json().as_object().contains("__interrupt__"), asked.body);
        return thread;
    }
    answer answered(const std::string& thread)
    {
        return server->post("/threads/" + thread + "/runs/wait",
                            R"({"assistant_id":"support","command":{"resume":"yes"}})");
    }
    std::string said_by(const std::string& graph)
    {
        const answer got = server->post("/runs/wait", R"({"assistant_id":")" + graph + R"(","input":{}})");
        BOOST_TEST(got.status == 200, got.body);
        return std::string{got.json().at("reply").as_string()};
    }
    void pass(std::chrono::seconds span)
    {
        for (std::chrono::seconds i{0}; i < span; i += 1s) loop.advance(1s);
        for (int i = 0; i < 20; ++i) loop.advance(1ms);
    }
    std::size_t crons() { return server->post("/runs/crons/search", "{}").json().as_array().size(); }
    std::size_t threads() { return server->post("/threads/search", R"({"limit":100})").json().as_array().size(); }

    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{1'795'680'000}}};
    test_loop loop{clock};
    weft::memory_store store;
    std::unique_ptr<life> server;
};

BOOST_AUTO_TEST_CASE(a_run_under_way_ends_with_its_graph_and_the_next_one_has_the_new_one)
{
    replace_world w{{slow("old"), quick("old")}};
    const std::string thread = w.new_thread();
    const answer begun =
        w.server->post("/threads/" + thread + "/runs", R"({"assistant_id":"slow","input":{}})");
    BOOST_TEST_REQUIRE(begun.status == 200, begun.body);
    const std::string run{begun.json().at("run_id").as_string()};
    w.loop.advance(1s);
    BOOST_TEST(w.replace({slow("new"), quick("new", "tell")}).empty());
    BOOST_TEST(w.said_by("quick") == "new");
    w.pass(10s);
    const answer joined = w.server->send("GET", "/threads/" + thread + "/runs/" + run + "/join");
    BOOST_TEST(joined.json().at("reply") == "old", joined.body);
    const answer drawn = w.server->send("GET", "/assistants/quick/graph");
    BOOST_TEST(drawn.body.find("tell") != std::string::npos);
    BOOST_TEST(drawn.body.find("say") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_events_of_a_run_outlive_its_graph)
{
    replace_world w{{quick("first", "a_node_whose_name_is_not_short")}};
    const std::string thread = w.new_thread();
    const answer waited =
        w.server->post("/threads/" + thread + "/runs/wait", R"({"assistant_id":"quick","input":{}})");
    BOOST_TEST(waited.status == 200, waited.body);
    // More than there are former versions that stay.
    for (int i = 0; i < 12; ++i) (void)w.replace({quick("later", "node_" + std::to_string(i))});
    const answer runs = w.server->send("GET", "/threads/" + thread + "/runs");
    const std::string run{runs.json().as_array().at(0).at("run_id").as_string()};
    weft::http_request again = w.server->request_to("GET", "/threads/" + thread + "/runs/" + run +
                                                               "/stream?stream_mode=updates");
    again.header("Last-Event-ID", "0");
    const answer stream = w.server->send(std::move(again));
    BOOST_TEST(stream.body.find("a_node_whose_name_is_not_short") != std::string::npos, stream.body);
}

BOOST_AUTO_TEST_CASE(threads_that_wait_go_on_with_the_new_graph_if_it_has_a_place_for_them)
{
    replace_world w{{support("ask", "old")}};
    const std::string first = w.waiting_thread();
    const std::string second = w.waiting_thread();
    // The same shape: nothing is to be told.
    BOOST_TEST(w.replace({support("ask", "newer")}).empty());
    BOOST_TEST(w.answered(first).json().at("reply") == "newer yes");
    const std::string third = w.waiting_thread();

    const std::vector<weft::waiting_threads> told = w.replace({support("question", "newest"), quick("hello")});
    BOOST_TEST_REQUIRE(told.size() == 1u);
    BOOST_TEST(told[0].graph == "support");
    BOOST_TEST(told[0].go_on == 0u);
    BOOST_TEST(told[0].stuck == 2u);
    BOOST_TEST(!told[0].is_removed);
    BOOST_TEST_REQUIRE(told[0].examples.size() == 2u);
    BOOST_TEST(told[0].examples[0].reason.find("ask") != std::string::npos, told[0].examples[0].reason);
    BOOST_TEST(told[0].text().starts_with("2 threads of 'support' wait: 0 go on with the new version, 2 cannot ("),
               told[0].text());
    const std::string fourth = w.waiting_thread();
    // Those that cannot have the old version, and newer threads the new one.
    BOOST_TEST(w.answered(second).json().at("reply") == "newer yes");
    BOOST_TEST(w.answered(fourth).json().at("reply") == "newest yes");
    w.server->drain();
    w.begin({support("question", "newest")});
    // After a restart there is no old version any more, and the answer says so.
    const answer refused = w.answered(third);
    BOOST_TEST(refused.body.find("ask") != std::string::npos, refused.body);
    BOOST_TEST(refused.body.find("graph_changed") != std::string::npos, refused.body);
}

BOOST_AUTO_TEST_CASE(a_graph_that_is_gone_begins_nothing_and_its_waiting_threads_go_on)
{
    replace_world w{{support("ask", "old"), quick("hello")}};
    const std::string thread = w.waiting_thread();
    const std::vector<weft::waiting_threads> told = w.replace({quick("hello")});
    BOOST_TEST_REQUIRE(told.size() == 1u);
    BOOST_TEST(told[0].is_removed);
    BOOST_TEST(told[0].text() ==
               "1 thread of 'support' waits: 0 go on with the new version, 1 cannot, because the graph is gone (" +
                   thread + "): the old version serves them until this process ends; answer or cancel them before "
                            "that");
    BOOST_TEST(w.server->send("GET", "/info").json().at("graphs") == 1);
    const answer refused = w.server->post("/runs/wait", R"({"assistant_id":"support","input":{}})");
    BOOST_TEST(refused.status == 422, refused.body);
    BOOST_TEST(w.server->send("GET", "/threads/" + thread + "/state").status == 200);
    // It comes back, and its threads find it.
    BOOST_TEST(w.replace({quick("hello"), support("ask", "again")}).empty());
    BOOST_TEST(w.answered(thread).json().at("reply") == "again yes");
}

BOOST_AUTO_TEST_CASE(graphs_that_cannot_be_served_change_nothing)
{
    replace_world w{{quick("old")}};
    const auto is_refusal = [](const weft::error& e) { return e.code() == weft::errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION((void)w.replace({}), weft::error, is_refusal);
    BOOST_CHECK_EXCEPTION((void)w.replace({quick("a"), quick("b")}), weft::error, is_refusal);
    BOOST_CHECK_EXCEPTION((void)w.replace({quick("a")}, {timer_of("tick", "nowhere")}), weft::error, is_refusal);
    weft::served_entry taken{.id = "hook", .graph = "quick"};
    taken.webhook = weft::webhook_route{.path = "/runs", .secret = weft::secret_string{"s"}};
    BOOST_CHECK_EXCEPTION((void)w.replace({quick("a")}, {taken}), weft::error, is_refusal);
    BOOST_TEST(w.said_by("quick") == "old");
    BOOST_TEST(w.crons() == 0u);
}

BOOST_AUTO_TEST_CASE(assistants_webhooks_and_timers_follow_the_new_graphs)
{
    replace_world w{{quick("hello")}};
    weft::served_entry hook{.id = "hook", .graph = "quick"};
    hook.webhook = weft::webhook_route{.path = "/hooks/new", .secret = weft::secret_string{"s"}};
    BOOST_TEST(w.server->post("/hooks/new", "{}").status == 404);
    (void)w.replace({quick("hello"), slow("x")}, {hook, timer_of("tick", "slow")});
    BOOST_TEST(w.server->post("/hooks/new", "{}").status == 401);  // there, and not signed
    BOOST_TEST(w.server->send("GET", "/openapi.json").body.find("/hooks/new") != std::string::npos);
    BOOST_TEST(w.server->send("GET", "/assistants/slow/graph").status == 200);
    BOOST_TEST(w.server->post("/assistants/search", R"({"graph_id":"slow"})").json().as_array().size() == 1u);
    BOOST_TEST(w.crons() == 1u);
    w.pass(10min + 1s);
    BOOST_TEST(w.threads() == 1u);
    (void)w.replace({quick("hello"), slow("x")});
    BOOST_TEST(w.crons() == 0u);
    BOOST_TEST(w.server->post("/hooks/new", "{}").status == 404);
    // Of a graph that is gone the timer ends when it is due.
    (void)w.replace({quick("hello"), slow("x")}, {timer_of("tick", "slow")});
    (void)w.replace({quick("hello")});
    w.pass(10min + 1s);
    BOOST_TEST(w.crons() == 0u);
    BOOST_TEST(w.threads() == 1u);
}

BOOST_AUTO_TEST_CASE(a_timer_stays_as_long_as_any_server_has_it)
{
    replace_world w{{quick("old")}};
    w.server->drain();
    w.begin({quick("new")}, {timer_of("both", "quick"), timer_of("newer", "quick")});
    {
        // One with the older file starts in the middle of a deploy.
        weft::server_options older;
        older.entries = {timer_of("both", "quick"), timer_of("older", "quick")};
        life other{w.loop, w.store, {quick("old")}, older};
        BOOST_TEST(other.send("GET", "/ok").status == 200);
        BOOST_TEST(w.crons() == 3u);
        w.pass(10min + 1s);
        BOOST_TEST(w.threads() == 3u);  // each began once, wherever
        BOOST_TEST(w.crons() == 3u);
        other.drain();
    }
    // With the last server that has it a timer goes, when it is due at the latest.
    w.pass(10min);
    BOOST_TEST(w.crons() == 2u);
    BOOST_TEST(w.threads() == 5u);
    (void)w.replace({quick("new")}, {timer_of("newer", "quick")});
    BOOST_TEST(w.crons() == 1u);
}

BOOST_AUTO_TEST_CASE(the_timers_of_a_server_that_was_killed_stay_for_two_minutes)
{
    replace_world w{{quick("old")}};
    w.server->drain();
    w.begin({quick("new")}, {timer_of("newer", "quick")});
    w.server->kill();
    w.begin({quick("old")});
    BOOST_TEST(w.crons() == 1u);
    w.server->drain();
    w.loop.advance(2min + 1s);
    w.begin({quick("old")});
    BOOST_TEST(w.crons() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
