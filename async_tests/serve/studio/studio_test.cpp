#include "serve/server/guarded_life.hpp"
#include "serve/studio/graph_picture.hpp"
#include "serve/studio/studio_files.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/testing/scripted_model.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

BOOST_AUTO_TEST_SUITE(studio_test)

using boost::json::array;
using boost::json::object;
using boost::json::value;

weft::server_options with_studio(weft::server_options options = weft::server_options{})
{
    options.shows_studio = true;
    return options;
}

/** A server without keys, with a run that waits in the thread `t1`. */
struct studio_world {
    studio_world()
    {
        BOOST_TEST_REQUIRE(server.post("/threads", R"({"thread_id":"t1","metadata":{"team":"blue"}})").status == 200);
        const answer waited = server.post("/threads/t1/runs/wait", R"({"assistant_id":"asking","input":{}})");
        BOOST_TEST_REQUIRE(waited.status == 200, waited.body);
        run = runs("").at(0).at("run_id").as_string();
    }
    value get(std::string_view target)
    {
        const answer got = server.send("GET", target);
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    array runs(const std::string& query) { return get("/studio/api/runs" + query).at("runs").as_array(); }

    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {asking_graph()}, with_studio()};
    std::string run;
};

BOOST_AUTO_TEST_CASE(the_page_is_there_if_it_is_asked_for_and_takes_nothing_from_elsewhere)
{
    test_loop loop;
    weft::memory_store store;
    life without{loop, store, {asking_graph()}};
    BOOST_TEST(without.send("GET", "/studio/").status == 404);
    life with{loop, store, {asking_graph()}, with_studio()};
    const answer moved = with.send("GET", "/studio");
    BOOST_TEST(moved.status == 308);
    BOOST_TEST(moved.headers.find("location").value() == "studio/");
    const answer page = with.send("GET", "/studio/");
    BOOST_TEST(page.status == 200);
    BOOST_TEST(page.body.starts_with("<!doctype html>"));
    const std::string policy{page.headers.find("content-security-policy").value()};
    for (const char* const part : {"default-src 'none'", "script-src 'self';", "style-src 'self';",
                                   "connect-src 'self'", "require-trusted-types-for 'script'",
                                   "frame-ancestors 'none'"})
        BOOST_TEST(policy.find(part) != policy.npos, part);
    BOOST_TEST(policy.find("unsafe") == policy.npos);
    BOOST_TEST(with.send("GET", "/studio/none.mjs").status == 404);
    weft::http_request again = with.request_to("GET", "/studio/app.mjs");
    again.header("If-None-Match", with.send("GET", "/studio/app.mjs").headers.find("etag").value());
    BOOST_TEST(with.send(std::move(again)).status == 304);
}

BOOST_AUTO_TEST_CASE(the_page_is_small_and_refers_to_no_other_place)
{
    std::size_t bytes = 0;
    for (const weft::serve_detail::studio_file& file : weft::serve_detail::studio_files()) {
        BOOST_TEST(!file.text.empty(), file.name);
        if (file.name.ends_with(".txt")) continue;  // who wants to read the licences asks for them
        bytes += file.text.size();
        if (file.name == "icon.svg") continue;
        for (const char* const foreign : {"src=\"http", "href=\"http", "import(", "from\"preact\"", "innerHTML =",
                                          "sourceMappingURL", "<style", "style=\""})
            BOOST_TEST(file.text.find(foreign) == file.text.npos, file.name << " has " << foreign);
    }
    BOOST_TEST(bytes > 50'000U);
    BOOST_TEST(bytes <= 150'000U);
}

BOOST_AUTO_TEST_CASE(runs_of_all_threads_are_listed_and_filtered)
{
    studio_world world;
    BOOST_TEST(world.server.post("/threads", R"({"thread_id":"t2"})").status == 200);
    const std::string noted = R"({"assistant_id":"asking","input":{},"metadata":{"k":"v"}})";
    BOOST_TEST(world.server.post("/threads/t2/runs/wait", noted).status == 200);
    BOOST_TEST(world.runs("").size() == 2U);
    BOOST_TEST(world.runs("?thread=t1").size() == 1U);
    BOOST_TEST(world.runs("?thread=t1").at(0).at("phase") == "waiting");
    BOOST_TEST(world.runs("?phase=failed").empty());
    BOOST_TEST(world.runs("?phase=waiting&graph=asking").size() == 2U);
    BOOST_TEST(world.runs("?metadata=%7B%22k%22%3A%22v%22%7D").at(0).at("thread_id") == "t2");
    const value first = world.get("/studio/api/runs?limit=1");
    const std::string next{first.at("next").as_string()};
    BOOST_TEST(world.runs("?limit=1&after=" + next).at(0).at("thread_id") == "t1");
    BOOST_TEST(world.server.send("GET", "/studio/api/runs?phase=lost").status == 422);
    BOOST_TEST(world.server.send("GET", "/studio/api/runs?after=nonsense").status == 422);
    // A change of the state by hand is no run.
    BOOST_TEST(world.server.post("/threads", R"({"thread_id":"t3","metadata":{"graph_id":"asking"}})").status == 200);
    BOOST_TEST(world.server.post("/threads/t3/state", R"({"values":{"name":"Ada"}})").status == 200);
    BOOST_TEST(world.runs("").size() == 2U);
}

BOOST_AUTO_TEST_CASE(the_events_of_a_run_come_with_what_was_written_and_behind_the_last_one_that_is_known)
{
    studio_world world;
    const answer all = world.server.send("GET", "/studio/api/runs/" + world.run + "/stream");
    BOOST_TEST(all.headers.find("content-type").value() == "text/event-stream");
    BOOST_TEST(all.body.find("\"kind\":\"question_asked\"") != all.body.npos);
    BOOST_TEST(all.body.find("event: end\ndata: {\"phase\":\"waiting\"") != all.body.npos);
    const answer answered =
        world.server.post("/threads/t1/runs/wait", R"({"assistant_id":"asking","command":{"resume":"Ada"}})");
    BOOST_TEST(answered.status == 200, answered.body);
    weft::http_request behind = world.server.request_to("GET", "/studio/api/runs/" + world.run + "/stream");
    behind.header("Last-Event-ID", "2");
    const std::string rest = world.server.send(std::move(behind)).body;
    BOOST_TEST(rest.starts_with("id: 3\ndata: {\"sequence\":3,"));
    BOOST_TEST(rest.find(R"("written":[["name","Ada"]])") != rest.npos);
    BOOST_TEST(rest.find("event: end\ndata: {\"phase\":\"finished\"") != rest.npos);
    // What a killed process told behind its last checkpoint is not in the log: its page begins anew.
    weft::http_request lost = world.server.request_to("GET", "/studio/api/runs/" + world.run + "/stream");
    lost.header("Last-Event-ID", "4000000000");
    const std::string again = world.server.send(std::move(lost)).body;
    BOOST_TEST(again.starts_with("event: anew\ndata: {}\n\nid: 1\n"));
    BOOST_TEST(again.ends_with(rest));
    const value shown = world.get("/studio/api/runs/" + world.run);
    BOOST_TEST(shown.at("phase") == "finished");
    BOOST_TEST(shown.at("lists").as_array().empty());
    BOOST_TEST(!shown.at("ended_at").as_string().empty());
    BOOST_TEST(world.server.send("GET", "/studio/api/runs/none").status == 404);
}

BOOST_AUTO_TEST_CASE(what_models_are_sent_is_shown_to_the_studio_and_to_no_other_client)
{
    test_loop loop;
    weft::memory_store store;
    const auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(weft::testing::scripted_turn{"Water."});
    weft::llm_node_options asking{.settings = {.prompt = "A canary: what is rain?"}, .writes = {"said"}};
    weft::graph_builder builder{"rain"};
    builder.state(weft::state_key<std::string>{"said"}).node("ask", weft::llm_node{model, std::move(asking)});
    life server{loop, store, {builder.edge(weft::start, "ask").build()}, with_studio()};
    BOOST_TEST(server.post("/threads", R"({"thread_id":"t"})").status == 200);
    const std::string modes = R"(["custom","events","values","updates","messages","debug","tasks","checkpoints"])";
    const std::string order = R"({"assistant_id":"rain","input":{},"stream_mode":)" + modes + "}";
    const std::string streamed = server.post("/threads/t/runs/stream", order).body;
    BOOST_TEST(streamed.find("Water.") != streamed.npos, streamed);
    const std::string run{server.send("GET", "/threads/t/runs").json().at(0).at("run_id").as_string()};
    const std::string joined = server.send("GET", "/threads/t/runs/" + run + "/stream?stream_mode=custom").body;
    const std::string seen = server.send("GET", "/studio/api/runs/" + run + "/stream").body;
    for (const std::string_view word : {"canary", "model_request", "model_reply"}) {
        BOOST_TEST(streamed.find(word) == streamed.npos, streamed);
        BOOST_TEST(joined.find(word) == joined.npos, joined);
        BOOST_TEST(seen.find(word) != seen.npos, seen);
    }
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_thread_says_what_it_is_a_copy_of)
{
    studio_world world;
    const value copy = world.server.post("/threads/t1/copy", "{}").json();
    const std::string thread{copy.at("thread_id").as_string()};
    const value source = world.get("/threads/t1/state");
    BOOST_TEST(!source.at("metadata").as_object().contains("forked_from"));
    const value state = world.get("/threads/" + thread + "/state");
    BOOST_TEST(state.at("metadata").at("forked_from") == source.at("checkpoint"));
    BOOST_TEST(world.get("/threads/" + thread + "/history").at(0).at("metadata") == state.at("metadata"));
    BOOST_TEST(world.server.send("DELETE", "/threads/t1").status == 204);
    const value alone = world.get("/threads/" + thread + "/state");
    BOOST_TEST(!alone.at("metadata").as_object().contains("forked_from"));
}

BOOST_AUTO_TEST_CASE(open_questions_of_all_runs_are_one_list)
{
    studio_world world;
    const value questions = world.get("/studio/api/questions").at("questions");
    BOOST_TEST_REQUIRE(questions.as_array().size() == 1U);
    const value& asked = questions.at(0);
    BOOST_TEST(asked.at("run_id").as_string() == world.run);
    BOOST_TEST(asked.at("question").at("text") == "Which one?");
    const object answer_of{{"assistant_id", "asking"},
                           {"command", object{{"resume", object{{asked.at("id").as_string(), "Ada"}}}}}};
    BOOST_TEST(world.server.post("/threads/t1/runs/wait", boost::json::serialize(answer_of)).status == 200);
    BOOST_TEST(world.get("/studio/api/questions").at("questions").as_array().empty());
}

BOOST_AUTO_TEST_CASE(a_search_looks_into_ids_metadata_and_values)
{
    studio_world world;
    const auto hits = [&](const std::string& text) {
        return world.get("/studio/api/search?q=" + text).at("hits").as_array();
    };
    BOOST_TEST(hits("ASKING").at(0).at("kind") == "run");
    BOOST_TEST(hits("blue").at(0).at("thread_id") == "t1");
    BOOST_TEST(hits("blue").at(0).at("where") == "metadata");
    BOOST_TEST(hits("nothing-has-that").empty());
    BOOST_TEST(world.server.send("GET", "/studio/api/search").status == 422);
}

BOOST_AUTO_TEST_CASE(a_graph_has_its_nodes_and_edges_also_where_there_is_no_layout)
{
    studio_world world;
    const value shown = world.get("/studio/api/graphs/asking");
    BOOST_TEST(shown.at("nodes").as_array().size() == 3U);
    BOOST_TEST(shown.at("nodes").at(1).at("name") == "ask");
    const bool has_layout = shown.at("layout").is_object();
    BOOST_TEST(has_layout == shown.at("why").as_string().empty());
    BOOST_TEST(world.get("/studio/api/graphs").at("graphs").at(0).at("name") == "asking");
    BOOST_TEST(world.server.send("GET", "/studio/api/graphs/none").status == 404);
}

BOOST_AUTO_TEST_CASE(graphs_in_nodes_are_framed_and_no_text_of_a_graph_is_in_what_the_layout_reads)
{
    weft::graph inner = weft::graph_builder{"inner"}
                            .state(asked_name)
                            .node("evil\"];", [](weft::node_context&) {})
                            .edge(weft::start, "evil\"];")
                            .build();
    const weft::graph outer = weft::graph_builder{"outer"}
                                  .state(asked_name)
                                  .node("within", weft::subgraph{.graph = std::move(inner)})
                                  .edge(weft::start, "within")
                                  .edge("within", weft::end)
                                  .build();
    const weft::serve_detail::graph_picture picture = weft::serve_detail::picture_of(outer);
    BOOST_TEST(picture.nodes.at(1).at("kind") == "graph");
    BOOST_TEST(picture.nodes.at(3).at("id") == "within/evil\"];");
    BOOST_TEST(picture.nodes.at(3).at("parent") == "within");
    BOOST_TEST(picture.dot.find("cluster_1") != picture.dot.npos);
    BOOST_TEST(picture.dot.find("evil") == picture.dot.npos);
    BOOST_TEST(picture.edges.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_run_is_one_file_in_which_no_text_is_markup)
{
    studio_world world;
    const std::string answered = R"({"assistant_id":"asking","command":{"resume":"</script><img src=x onerror=y>"}})";
    BOOST_TEST(world.server.post("/threads/t1/runs/wait", answered).status == 200);
    const answer file = world.server.send("GET", "/studio/api/runs/" + world.run + "/file");
    BOOST_TEST_REQUIRE(file.status == 200, file.body);
    BOOST_TEST(file.headers.find("content-disposition").value().starts_with("attachment"));
    BOOST_TEST(file.body.find(R"(\u003c/script>\u003cimg src=x)") != file.body.npos);
    BOOST_TEST(file.body.find("<img") == file.body.npos);
    BOOST_TEST(file.body.find("\"kind\":\"run_finished\"") != file.body.npos);
    BOOST_TEST(file.body.find("weft/app.mjs\":\"data:text/javascript;base64,") != file.body.npos);
    BOOST_TEST(world.server.send("GET", "/studio/api/runs/none/file").status == 404);
}

/** Every route of the studio, with what it takes. */
struct studio_row {
    const char* target;
    const char* scope;
    const char* method = "GET";
};
constexpr studio_row studio_rows[]{
    {"/studio/api/runs", "threads:search"},        {"/studio/api/runs/none", "threads:read"},
    {"/studio/api/runs/none/file", "threads:read"},
    {"/studio/api/runs/none/stream", "threads:read"}, {"/studio/api/questions", "threads:search"},
    {"/studio/api/search?q=x", "threads:search"},  {"/studio/api/graphs", "assistants:search"},
    {"/studio/api/graphs/asking", "assistants:read"},
    {"/studio/api/graphs/asking/file", "graphs:read"},
    {"/studio/api/graphs/asking/check", "graphs:read", "POST"},
};

BOOST_AUTO_TEST_CASE(the_page_is_open_and_what_it_shows_asks_who_calls)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store, with_studio(asking_who())};
    BOOST_TEST(server.send("GET", "/studio/").status == 200);
    const std::string nothing = server.make_key("acme", "[]");
    for (const studio_row& each : studio_rows) {
        BOOST_TEST_CONTEXT(each.target) {
            BOOST_TEST(server.send(each.method, each.target).status == 401);
            BOOST_TEST(server.as(nothing, each.method, each.target).status == 403);
            const std::string fitting = server.make_key("acme", R"([")" + std::string{each.scope} + R"("])");
            const int status = server.as(fitting, each.method, each.target).status;
            BOOST_TEST((status == 200 || status == 404));
        }
    }
    const object paths = server.as(server.make_key("acme"), "GET", "/openapi.json").json().at("paths").as_object();
    std::size_t of_studio = 0;
    for (const auto& [path, methods] : paths) of_studio += path.starts_with("/studio") ? 1 : 0;
    BOOST_TEST(of_studio == std::size(studio_rows) + 2, "a route of the studio has no row in this table");
}

BOOST_AUTO_TEST_CASE(runs_of_another_tenant_are_not_there)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store, with_studio(asking_who())};
    const std::string acme = server.make_key("acme");
    const std::string other = server.make_key("other");
    BOOST_TEST(server.as(acme, "POST", "/threads", R"({"thread_id":"t1"})").status == 200);
    const std::string begun = R"({"assistant_id":"asking","input":{}})";
    BOOST_TEST(server.as(acme, "POST", "/threads/t1/runs/wait", begun).status == 200);
    const value runs = server.as(acme, "GET", "/studio/api/runs").json().at("runs");
    BOOST_TEST_REQUIRE(runs.as_array().size() == 1U);
    const std::string place = "/studio/api/runs/" + std::string{runs.at(0).at("run_id").as_string()};
    BOOST_TEST(server.as(acme, "GET", place).status == 200);
    for (const std::string& target : {place, place + "/stream", place + "/file"})
        BOOST_TEST(server.as(other, "GET", target).status == 404);
    for (const char* const list : {"runs", "questions", "hits"}) {
        const std::string name = list == std::string_view{"hits"} ? "search?q=a" : list;
        BOOST_TEST(server.as(other, "GET", "/studio/api/" + name).json().at(list).as_array().empty());
    }
}

BOOST_AUTO_TEST_SUITE_END()
