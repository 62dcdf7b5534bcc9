#include "serve/server/guarded_life.hpp"
#include "serve/studio/looked_at_text.hpp"

#include <weft/base/budget_ledger.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <utility>

BOOST_AUTO_TEST_SUITE(studio_graph_files_test)

using boost::json::object;
using boost::json::value;

constexpr std::string_view asking_file = R"({"name": "asking", "state": [{"name": "name", "type": "string"}],
 "nodes": [{"name": "ask", "kind": "function"}],
 "edges": [{"from": "__start__", "to": "ask"}]})";

weft::server_options with_page()
{
    weft::server_options options;
    options.shows_studio = true;
    return options;
}

/** A server with the file of a graph in which the thread `t1` waits. */
struct file_world {
    file_world()
    {
        BOOST_TEST_REQUIRE(server.post("/threads", R"({"thread_id":"t1"})").status == 200);
        const answer waited = server.post("/threads/t1/runs/wait", R"({"assistant_id":"asking","input":{}})");
        BOOST_TEST_REQUIRE(waited.status == 200, waited.body);
    }
    value check(std::string text, std::string_view from = {}, std::string_view to = {})
    {
        for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != text.npos; at += to.size())
            text.replace(at, from.size(), to);
        const answer got =
            server.post("/studio/api/graphs/asking/check", boost::json::serialize(object{{"text", text}}));
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }

    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {served_with_file(std::string{asking_file})}, with_page()};
    const std::string file{asking_file};
};

BOOST_AUTO_TEST_CASE(a_file_stands_beside_its_graph_with_what_a_check_finds)
{
    file_world world;
    const value shown = world.server.send("GET", "/studio/api/graphs/asking/file").json();
    BOOST_TEST(shown.at("file") == "asking.json");
    BOOST_TEST(shown.at("text").as_string() == asking_file);
    BOOST_TEST(shown.at("findings").as_array().empty());
    BOOST_TEST(world.server.send("GET", "/studio/api/graphs/asking").json().at("has_file").as_bool());
    BOOST_TEST(world.server.send("GET", "/studio/api/graphs/none/file").status == 404);
    life without{world.loop, world.store, {asking_graph()}, with_page()};
    BOOST_TEST(without.send("GET", "/studio/api/graphs/asking/file").status == 404);
    BOOST_TEST(!without.send("GET", "/studio/api/graphs/asking").json().at("has_file").as_bool());
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_text_have_their_lines)
{
    file_world world;
    const value found = world.check(world.file, R"("function"})", R"("functoin"})");
    BOOST_TEST_REQUIRE(found.at("findings").as_array().size() == 1U);
    const value& first = found.at("findings").at(0);
    BOOST_TEST(first.at("line") == 2);
    BOOST_TEST(first.at("severity") == "error");
    BOOST_TEST(first.at("message").as_string().find("functoin") != std::string::npos);
    BOOST_TEST(!found.as_object().contains("changes"));
    BOOST_TEST(world.server.post("/studio/api/graphs/asking/check", "{}").status == 422);
    const object large{{"text", std::string(300 << 10, ' ')}};
    BOOST_TEST(world.server.post("/studio/api/graphs/asking/check", boost::json::serialize(large)).status == 422);
}

BOOST_AUTO_TEST_CASE(a_text_in_the_place_of_a_file_says_what_threads_that_wait_can_do)
{
    file_world world;
    const value same = world.check(world.file);
    BOOST_TEST(same.at("changes").as_array().empty());
    BOOST_TEST(same.at("threads").at("go_on") == 1);
    BOOST_TEST(same.at("threads").at("stuck") == 0);
    const value other = world.check(world.file, R"("ask")", R"("question")");
    BOOST_TEST(!other.at("changes").as_array().empty());
    BOOST_TEST(other.at("threads").at("stuck") == 1);
    BOOST_TEST(other.at("threads").at("examples").at(0).at("thread") == "t1");
    const std::string reason{other.at("threads").at("examples").at(0).at("reason").as_string()};
    BOOST_TEST(reason.find("node 'ask'") != reason.npos, reason);
    const value renamed = world.check(world.file, R"("asking")", R"("inquiring")");
    BOOST_TEST(renamed.at("threads").at("stuck") == 1);
    BOOST_TEST(renamed.at("changes").at(0).as_string().find("by its name") != std::string::npos);
    // Nothing has changed: the thread is answered as before.
    const answer answered =
        world.server.post("/threads/t1/runs/wait", R"({"assistant_id":"asking","command":{"resume":"Ada"}})");
    BOOST_TEST(answered.json().at("name") == "Ada");
}

BOOST_AUTO_TEST_CASE(threads_of_another_tenant_are_not_counted)
{
    test_loop loop;
    weft::memory_store store;
    weft::server_options options = with_page();
    options.auth.api_keys = true;
    guarded_life server{loop, store, std::move(options), {served_with_file(std::string{asking_file})}};
    const std::string acme = server.make_key("acme", R"(["*","graphs:read"])");
    BOOST_TEST(server.as(acme, "POST", "/threads", R"({"thread_id":"t1"})").status == 200);
    const std::string begun = R"({"assistant_id":"asking","input":{}})";
    BOOST_TEST(server.as(acme, "POST", "/threads/t1/runs/wait", begun).status == 200);
    const std::string body = boost::json::serialize(object{{"text", asking_file}});
    const auto go_on = [&](const std::string& key) {
        return server.as(key, "POST", "/studio/api/graphs/asking/check", body).json().at("threads").at("go_on");
    };
    BOOST_TEST(go_on(acme) == 1);
    BOOST_TEST(go_on(server.make_key("other", R"(["graphs:read"])")) == 0);
}

BOOST_AUTO_TEST_CASE(the_list_of_runs_has_what_they_have_spent)
{
    const auto spend = [](weft::node_context& ctx) {
        ctx.emit("usage", R"({"input":7,"output":3})");
        const std::shared_ptr<weft::budget_ledger> ledger = ctx.budget();
        if (!ledger) return;
        weft::spending real;
        real.tokens = weft::tokens{12};
        real.cost = weft::usd_micros{1900};
        ledger->reserve(real).settle(real);
    };
    const auto spender = [&](const char* name) {
        return weft::graph_builder{name}.state(asked_name).node("spend", spend).edge(weft::start, "spend").build();
    };
    weft::budget limit;
    limit.tokens = weft::tokens{1000};
    test_loop loop;
    weft::memory_store store;
    const auto runs = [](life& of) { return of.send("GET", "/studio/api/runs").json().at("runs"); };
    {
        life server{loop, store,
                    {spender("plain"), weft::served_graph{spender("counted"), weft::run_options{}.budget(limit)}},
                    with_page()};
        for (const char* const name : {"plain", "counted"}) {
            BOOST_TEST(server.post("/threads", R"({"thread_id":")" + std::string{name} + R"("})").status == 200);
            const std::string place = "/threads/" + std::string{name} + "/runs/wait";
            const object wanted{{"assistant_id", name}, {"input", object{}}};
            BOOST_TEST(server.post(place, boost::json::serialize(wanted)).status == 200);
        }
        const value listed = runs(server);
        BOOST_TEST(listed.at(0).at("tokens") == 12);
        BOOST_TEST(listed.at(0).at("cost_usd_micros") == 1900);
        BOOST_TEST(listed.at(1).at("tokens") == 10);
        BOOST_TEST(!listed.at(1).as_object().contains("cost_usd_micros"));
        server.drain();
    }
    // A later process has not seen them, and reads no log for a list.
    life later{loop, store, {spender("plain"), spender("counted")}, with_page()};
    const value unknown = runs(later);
    BOOST_TEST(!unknown.at(1).as_object().contains("tokens"));
    const std::string run{unknown.at(1).at("run_id").as_string()};
    BOOST_TEST(later.send("GET", "/studio/api/runs/" + run + "/stream").status == 200);
    BOOST_TEST(runs(later).at(1).at("tokens") == 10);  // now it has
}

BOOST_AUTO_TEST_SUITE_END()
