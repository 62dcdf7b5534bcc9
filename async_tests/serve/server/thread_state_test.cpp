#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/question.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/data/test_case.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(thread_state_test)

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> notes{"notes"};

weft::task<void> review(weft::node_context& ctx)
{
    weft::question question = weft::question::approval("Send " + ctx.get(topic) + "?");
    const bool answer = co_await ctx.ask<bool>(std::move(question));
    ctx.set(notes, (answer ? "sent " : "kept ") + ctx.get(topic));
}

weft::graph reviewing()
{
    return weft::graph_builder{"reviewing"}
        .state(topic, notes)
        .node("draft", [](weft::node_context& ctx) { ctx.set(notes, "drafted " + ctx.get(topic)); })
        .node("review", review)
        .edge(weft::start, "draft")
        .edge("draft", "review")
        .build();
}

struct reviewing_life : life {
    reviewing_life(test_loop& loop, weft::memory_store& store) : life{loop, store, {reviewing()}} {}

    std::string values(std::string_view thread)
    {
        return boost::json::serialize(send("GET", "/threads/" + std::string{thread} + "/state").json().at("values"));
    }
    boost::json::value thread(std::string_view more = {})
    {
        return send("GET", "/threads/t" + std::string{more}).json();
    }
};

struct reviewing_world {
    test_loop loop;
    weft::memory_store store;
    reviewing_life server{loop, store};
};

BOOST_FIXTURE_TEST_CASE(values_are_changed_while_a_question_is_open, reviewing_world)
{
    (void)server.post("/threads", R"({"thread_id":"t"})");
    (void)server.post("/threads/t/runs/wait", R"({"assistant_id":"reviewing","input":{"topic":"a"}})");
    const answer changed = server.post("/threads/t/state", R"({"values":{"topic":"b"},"as_node":"draft"})");
    BOOST_TEST(changed.status == 200, changed.body);
    const boost::json::value state = server.send("GET", "/threads/t/state").json();
    BOOST_TEST(state.at("values").at("topic").as_string() == "b");
    BOOST_TEST(state.at("next").at(0).as_string() == "review");
    BOOST_TEST(state.at("interrupts").as_array().size() == 1u);
    BOOST_TEST(server.thread().at("status").as_string() == "interrupted");
    const answer found = server.post("/threads/search", R"({"values":{"topic":"b"}})");
    BOOST_TEST(found.json().as_array().size() == 1u);
    const answer done =
        server.post("/threads/t/runs/wait", R"({"assistant_id":"reviewing","command":{"resume":true}})");
    BOOST_TEST(done.body == R"({"topic":"b","notes":["drafted a","sent b"]})");
    BOOST_TEST(server.thread().at("status").as_string() == "idle");
}

BOOST_FIXTURE_TEST_CASE(a_thread_goes_back_while_a_question_is_open, reviewing_world)
{
    (void)server.post("/threads", R"({"thread_id":"t"})");
    (void)server.post("/threads/t/runs/wait", R"({"assistant_id":"reviewing","input":{"topic":"a"}})");
    const answer changed =
        server.post("/threads/t/state", R"({"values":{"topic":"b"},"checkpoint_id":"0000000000"})");
    BOOST_TEST(changed.status == 200, changed.body);
    BOOST_TEST(server.values("t") == R"({"topic":"b"})");
    BOOST_TEST(server.thread().at("status").as_string() == "idle");
}

BOOST_FIXTURE_TEST_CASE(a_state_is_written_before_the_first_run, reviewing_world)
{
    (void)server.post("/threads", R"({"thread_id":"u"})");
    BOOST_TEST(server.post("/threads/u/state", R"({"values":{"topic":"b"}})").status == 409);
    (void)server.post("/threads", R"({"thread_id":"t","metadata":{"graph_id":"reviewing"}})");
    const answer several =
        server.post("/threads/t/state", R"({"values":[{"topic":"b"},{"notes":["x"]},{"notes":["y"]}]})");
    BOOST_TEST(several.status == 200, several.body);
    BOOST_TEST(server.values("t") == R"({"topic":"b","notes":["x","y"]})");
    const answer nobody = server.post("/threads/t/state", R"({"values":{},"as_node":"nobody"})");
    BOOST_TEST(nobody.status == 422);
    BOOST_TEST(nobody.body.find("body.as_node") != std::string::npos, nobody.body);
    const answer later = server.post("/threads/t/state", R"({"values":[{},{"notes":7}]})");
    BOOST_TEST(later.body.find("body.values[1].notes") != std::string::npos, later.body);
}

BOOST_FIXTURE_TEST_CASE(the_sdk_in_javascript_notes_metadata_at_the_state, reviewing_world)
{
    (void)server.post("/threads", R"({"thread_id":"t","metadata":{"a":1}})");
    const answer noted = server.send("PATCH", "/threads/t/state", R"({"metadata":{"b":2}})");
    BOOST_TEST(noted.status == 200);
    BOOST_TEST(boost::json::serialize(server.thread().at("metadata")) == R"({"a":1,"b":2})");
    BOOST_TEST(server.send("PATCH", "/threads/none/state", "{}").status == 404);
}

BOOST_FIXTURE_TEST_CASE(a_thread_comes_with_its_past, reviewing_world)
{
    const answer made = server.post("/threads", R"({"thread_id":"t","graph_id":"reviewing","supersteps":[
        {"updates":[{"values":{"topic":"a"},"as_node":"__input__"}]},
        {"updates":[{"values":{"notes":["one"]},"as_node":"draft"},
                    {"command":{"update":{"notes":["two"]},"goto":[]},"values":null,"as_node":"review"}]}]})");
    BOOST_TEST(made.status == 200, made.body);
    BOOST_TEST(server.values("t") == R"({"topic":"a","notes":["one","two"]})");
    const boost::json::value past = server.send("GET", "/threads/t/history").json();
    BOOST_TEST(past.as_array().size() == 2u);
    BOOST_TEST(boost::json::serialize(past.at(1).at("values")) == R"({"topic":"a"})");
    BOOST_TEST(past.at(0).at("next").as_array().empty());
    BOOST_TEST(server.thread().at("values").at("topic").as_string() == "a");
    const answer next = server.post("/threads/t/runs/wait", R"({"assistant_id":"reviewing","input":{"topic":"b"}})");
    BOOST_TEST(server.values("t") == R"({"topic":"b","notes":["one","two","drafted b"]})", next.body);
    const answer runs = server.send("GET", "/threads/t/runs");
    BOOST_TEST(runs.json().as_array().size() == 1u);  // what was written by hand is no run
}

struct bad_past {
    std::string_view body;
    std::string_view named;
    friend std::ostream& operator<<(std::ostream& out, const bad_past& row) { return out << row.body; }
};
const std::vector<bad_past> bad_pasts{
    {R"("supersteps":[{"updates":[]}])", "graph_id"},
    {R"("graph_id":"nobody","supersteps":[{"updates":[]}])", "reviewing"},
    {R"("graph_id":"reviewing","supersteps":[{}])", "body.supersteps[0].updates"},
    {R"("graph_id":"reviewing","supersteps":[{"updates":[{"values":{}}]}])", "body.supersteps[0].updates[0].as_node"},
    {R"("graph_id":"reviewing","supersteps":[{"updates":[{"values":{"x":1},"as_node":"draft"}]}])",
     "body.supersteps[0].updates[0].values.x"},
    {R"("graph_id":"reviewing","supersteps":[{"updates":[{"command":{"goto":"draft"},"as_node":"draft"}]}])",
     "body.supersteps[0].updates[0].command.goto"},
    {R"("ttl":"long")", "body.ttl"},
    {R"("ttl":0)", "body.ttl"},
    {R"("ttl":{"strategy":"delete"})", "body.ttl"},
    {R"("ttl":{"ttl":1,"strategy":"keep"})", "body.ttl"},
};

BOOST_DATA_TEST_CASE(what_a_thread_cannot_begin_with_is_told_with_its_place, bad_pasts)
{
    reviewing_world w;
    const answer got = w.server.post("/threads", R"({"thread_id":"t",)" + std::string{sample.body} + '}');
    BOOST_TEST(got.status == 422);
    BOOST_TEST(got.body.find(sample.named) != std::string::npos, got.body);
    BOOST_TEST(w.server.send("GET", "/threads/t").status == 404);
}

BOOST_FIXTURE_TEST_CASE(a_thread_says_how_long_it_stays, reviewing_world)
{
    (void)server.post("/threads", R"({"thread_id":"t","ttl":1.5})");
    BOOST_TEST(!server.thread().as_object().contains("ttl"));
    const boost::json::value first = server.thread("?include=ttl").at("ttl");
    BOOST_TEST(first.at("ttl_minutes").as_double() == 1.5);
    BOOST_TEST(first.at("strategy").as_string() == "delete");
    const answer longer =
        server.send("PATCH", "/threads/t", R"({"ttl":{"ttl":60,"strategy":"keep_latest"},"metadata":{"a":1}})");
    BOOST_TEST(longer.json().at("metadata").at("a").as_int64() == 1);
    const boost::json::value second = server.thread("?include=ttl").at("ttl");
    BOOST_TEST(second.at("ttl_minutes").as_double() == 60.0);
    BOOST_TEST(second.at("strategy").as_string() == "keep_latest");
    BOOST_TEST(second.at("expires_at").as_string() > first.at("expires_at").as_string());
    // A thread that comes later under the same id has no lifetime.
    (void)server.send("DELETE", "/threads/t");
    (void)server.post("/threads", R"({"thread_id":"t"})");
    BOOST_TEST(!server.thread("?include=ttl").as_object().contains("ttl"));
    weft::http_request quiet = server.request_to("PATCH", "/threads/t");
    quiet.body(R"({"metadata":{"b":2}})", "application/json").header("Prefer", "return=minimal");
    BOOST_TEST(server.send(std::move(quiet)).status == 204);
    BOOST_TEST(server.thread().at("metadata").at("b").as_int64() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
