#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/store/service/cron_table.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(cron_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

weft::graph greeter()
{
    const auto greet = [](weft::node_context& ctx) { ctx.set(said, std::string{"hello"}); };
    return weft::graph_builder{"greeter"}.state(said).node("greet", greet).edge(weft::start, "greet").build();
}

/** A server on a Thursday, 2026-11-26 08:00 UTC, whose time is moved by hand. */
class cron_world {
public:
    cron_world() { begin(); }

    void begin() { server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{greeter()}, options); }
    boost::json::value post(std::string_view target, std::string body)
    {
        const answer got = server->post(target, std::move(body));
        BOOST_TEST(got.status == 200, got.body);
        return got.json();
    }
    std::string made(std::string_view members, std::string_view target = "/runs/crons")
    {
        const boost::json::value cron =
            post(target, R"({"assistant_id":"greeter","input":{},)" + std::string{members} + '}');
        return std::string{cron.at("cron_id").as_string()};
    }
    /** Moves the time second by second, and lets the server do what is due. */
    void pass(std::chrono::seconds span)
    {
        for (std::chrono::seconds i{0}; i < span; i += 1s) loop.advance(1s);
        for (int i = 0; i < 20; ++i) loop.advance(1ms);
    }
    boost::json::array threads() { return post("/threads/search", R"({"limit":100})").as_array(); }
    boost::json::array runs_of(const std::string& thread)
    {
        return server->send("GET", "/threads/" + thread + "/runs?limit=100").json().as_array();
    }
    boost::json::value show(const std::string& cron) { return server->send("GET", "/runs/crons/" + cron).json(); }

    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{1'795'680'000}}};
    test_loop loop{clock};
    weft::memory_store store;
    weft::server_options options;
    std::unique_ptr<life> server;
};

BOOST_AUTO_TEST_CASE(a_cron_runs_now_when_it_is_told_to_and_keeps_its_moments)
{
    cron_world w;
    w.post("/threads", R"({"thread_id":"t"})");
    const std::string cron = w.made(R"("schedule":"*/10 * * * *")", "/threads/t/runs/crons");
    BOOST_TEST(w.server->post("/runs/crons/" + cron + "/run", "").status == 202);
    w.pass(10s);
    BOOST_TEST(w.runs_of("t").size() == 1u);
    BOOST_TEST(w.show(cron).at("next_run_date") == "2026-11-26T08:10:00.000000+00:00");
    w.pass(10min);
    BOOST_TEST(w.runs_of("t").size() == 2u);
    BOOST_TEST(w.server->send("PATCH", "/runs/crons/" + cron, R"({"enabled":false})").status == 200);
    BOOST_TEST(w.server->post("/runs/crons/" + cron + "/run", "").status == 409);
    BOOST_TEST(w.server->post("/runs/crons/none/run", "").status == 404);
}

BOOST_AUTO_TEST_CASE(a_cron_runs_in_its_thread_at_its_moments)
{
    cron_world w;
    w.post("/threads", R"({"thread_id":"t"})");
    const std::string cron =
        w.made(R"("schedule":"*/10 * * * *","metadata":{"team":"blue"})", "/threads/t/runs/crons");
    BOOST_TEST(w.show(cron).at("next_run_date") == "2026-11-26T08:10:00.000000+00:00");
    w.pass(9min + 55s);
    BOOST_TEST(w.runs_of("t").empty());
    w.pass(10s);
    const boost::json::array runs = w.runs_of("t");
    BOOST_TEST_REQUIRE(runs.size() == 1u);
    BOOST_TEST(runs[0].at("status") == "success");
    BOOST_TEST(runs[0].at("metadata").at("team") == "blue");
    BOOST_TEST(runs[0].at("metadata").at("cron_id").as_string() == cron);
    BOOST_TEST(w.show(cron).at("next_run_date") == "2026-11-26T08:20:00.000000+00:00");
    w.pass(20min);
    BOOST_TEST(w.runs_of("t").size() == 3u);
}

BOOST_AUTO_TEST_CASE(the_thread_of_a_run_goes_with_it_or_stays)
{
    cron_world w;
    w.made(R"("schedule":"*/10 * * * *","on_run_completed":"keep")");
    w.made(R"("schedule":"*/10 * * * *")");
    w.pass(20min + 5s);
    const boost::json::array threads = w.threads();
    BOOST_TEST_REQUIRE(threads.size() == 2u);
    for (const boost::json::value& each : threads) BOOST_TEST(each.at("values").at("said").as_array().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_server_that_dies_between_run_and_note_makes_no_second_run)
{
    cron_world w;
    const std::string id = w.made(R"("schedule":"0 9 * * *","on_run_completed":"keep")");
    weft::cron_table crons{w.store.service().documents()};
    const auto read = [&] {
        started finding{w.loop, crons.find("", id)};
        return finding.result().value();
    };
    weft::cron before = read();
    w.pass(1h + 5s);
    BOOST_TEST(w.threads().size() == 1u);
    // As if the note of the run had never been written.
    weft::cron again = read();
    again.next = before.next;
    started writing{w.loop, crons.update(std::move(again))};
    BOOST_TEST(writing.result());
    w.pass(5s);
    const boost::json::array threads = w.threads();
    BOOST_TEST_REQUIRE(threads.size() == 1u);
    BOOST_TEST(w.runs_of(std::string{threads[0].at("thread_id").as_string()}).size() == 1u);
    BOOST_TEST(w.show(id).at("next_run_date") == "2026-11-27T09:00:00.000000+00:00");
}

BOOST_AUTO_TEST_CASE(a_server_that_comes_back_makes_one_run_for_what_it_missed)
{
    cron_world w;
    w.made(R"("schedule":"*/10 * * * *","on_run_completed":"keep")");
    w.server->drain();
    w.server.reset();
    w.loop.advance(3h + 5min);
    w.begin();
    w.pass(5s);
    BOOST_TEST(w.threads().size() == 1u);
    w.pass(5min);
    BOOST_TEST(w.threads().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_cron_is_shown_changed_found_and_deleted)
{
    cron_world w;
    const std::string cron = w.made(R"("schedule":"30 9 * * *","timezone":"Europe/Berlin","metadata":{"a":1},)"
                                    R"("end_time":"2026-12-31T00:00:00+01:00","multitask_strategy":"interrupt")");
    boost::json::value shown = w.show(cron);
    BOOST_TEST(shown.at("schedule") == "30 9 * * *");
    BOOST_TEST(shown.at("timezone") == "Europe/Berlin");
    BOOST_TEST(shown.at("next_run_date") == "2026-11-26T08:30:00.000000+00:00");
    BOOST_TEST(shown.at("end_time") == "2026-12-30T23:00:00.000000+00:00");
    BOOST_TEST(shown.at("enabled").as_bool());
    BOOST_TEST(shown.at("thread_id").is_null());
    BOOST_TEST(shown.at("on_run_completed") == "delete");
    BOOST_TEST(shown.at("metadata").at("a") == 1);
    BOOST_TEST(shown.at("payload").at("multitask_strategy") == "interrupt");
    BOOST_TEST(!shown.at("payload").as_object().contains("schedule"));

    const auto patch = [&](std::string body) {
        const answer got = w.server->send("PATCH", "/runs/crons/" + cron, std::move(body));
        BOOST_TEST(got.status == 200, got.body);
        return got.json();
    };
    shown = patch(R"({"timezone":"Asia/Tokyo","end_time":null,"on_run_completed":"keep"})");
    BOOST_TEST(shown.at("next_run_date") == "2026-11-27T00:30:00.000000+00:00");
    BOOST_TEST(shown.at("end_time").is_null());
    BOOST_TEST(shown.at("schedule") == "30 9 * * *");
    BOOST_TEST(shown.at("on_run_completed") == "keep");
    shown = patch(R"({"enabled":false})");
    BOOST_TEST(shown.at("next_run_date").is_null());
    w.pass(24h);
    BOOST_TEST(w.threads().empty());
    // What was missed meanwhile is not made up for.
    shown = patch(R"({"enabled":true})");
    BOOST_TEST(shown.at("next_run_date") == "2026-11-28T00:30:00.000000+00:00");

    BOOST_TEST(w.server->send("DELETE", "/runs/crons/" + cron).status == 200);
    BOOST_TEST(w.server->send("DELETE", "/runs/crons/" + cron).status == 404);
    BOOST_TEST(w.server->send("GET", "/runs/crons/" + cron).status == 404);
    BOOST_TEST(w.server->send("PATCH", "/runs/crons/" + cron, R"({"enabled":true})").status == 404);
    w.pass(24h);
    BOOST_TEST(w.threads().empty());
}

BOOST_AUTO_TEST_CASE(crons_are_found_by_what_they_are)
{
    cron_world w;
    w.post("/threads", R"({"thread_id":"t"})");
    const std::string late = w.made(R"("schedule":"0 23 * * *","metadata":{"team":"blue"})");
    const std::string early = w.made(R"("schedule":"0 9 * * *","enabled":true)");
    const std::string off = w.made(R"("schedule":"0 10 * * *","enabled":false)", "/threads/t/runs/crons");
    const auto found = [&](std::string body) {
        std::vector<std::string> ids;
        const boost::json::value list = w.post("/runs/crons/search", std::move(body));
        for (const boost::json::value& each : list.as_array())
            ids.emplace_back(each.at("cron_id").as_string());
        return ids;
    };
    using list = std::vector<std::string>;
    BOOST_TEST(found("{}") == (list{off, early, late}));
    BOOST_TEST(found(R"({"limit":1,"offset":1})") == list{early});
    BOOST_TEST(found(R"({"thread_id":"t"})") == list{off});
    BOOST_TEST(found(R"({"enabled":true})") == (list{early, late}));
    BOOST_TEST(found(R"({"metadata":{"team":"blue"}})") == list{late});
    BOOST_TEST(found(R"({"assistant_id":"greeter"})").size() == 3u);
    BOOST_TEST(found(R"({"assistant_id":"other"})").empty());
    BOOST_TEST(found(R"({"sort_by":"next_run_date","sort_order":"asc"})") == (list{early, late, off}));
    BOOST_TEST(found(R"({"sort_by":"next_run_date"})") == (list{late, early, off}));
    BOOST_TEST(w.post("/runs/crons/count", R"({"thread_id":"t"})") == 1);
    BOOST_TEST(w.post("/runs/crons/count", "{}") == 3);
    const boost::json::value some = w.post("/runs/crons/search", R"({"limit":1,"select":["cron_id","enabled"]})");
    BOOST_TEST(some.at(0).as_object().size() == 2u);
    const answer page = w.server->post("/runs/crons/search", R"({"limit":2})");
    BOOST_TEST(page.headers.find("x-pagination-next").value() == "2");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_cron_is_refused_by_the_member)
{
    cron_world w;
    const std::pair<const char*, const char*> rows[]{
        {R"({"schedule":"0 9 * * *"})", "body.assistant_id: "},
        {R"({"assistant_id":"greeter"})", "body.schedule: "},
        {R"({"assistant_id":"greeter","schedule":"0 25 * * *"})", "body.schedule: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","timezone":"Berlin"})", "body.timezone: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","end_time":"soon"})", "body.end_time: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","on_run_completed":"stay"})", "body.on_run_completed: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","webhook":"http://127.0.0.1/"})", "body.webhook: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","multitask_strategy":"rollback"})",
         "body.multitask_strategy: "},
        {R"({"assistant_id":"greeter","schedule":"0 9 * * *","input":{"x":1}})", "body.input"},
        {R"({"assistant_id":"nowhere","schedule":"0 9 * * *"})", "there is no assistant"},
    };
    for (const auto& [body, detail] : rows) {
        const answer got = w.server->post("/runs/crons", body);
        BOOST_TEST(got.status == 422, body);
        BOOST_TEST(std::string{got.json().at("detail").as_string()}.find(detail) == 0u, got.body);
    }
    const char* const good = R"({"assistant_id":"greeter","schedule":"0 9 * * *"})";
    BOOST_TEST(w.server->post("/threads/none/runs/crons", good).status == 404);
    BOOST_TEST(w.post("/runs/crons/count", "{}") == 0);
    BOOST_TEST(w.server->send("GET", "/info").json().at("flags").at("crons").as_bool());
}

BOOST_AUTO_TEST_CASE(a_tenant_has_so_many_crons_and_a_cron_of_a_thread_ends_with_it)
{
    cron_world w;
    w.server->drain();
    w.options.crons_max = 1;
    w.begin();
    w.post("/threads", R"({"thread_id":"t"})");
    const std::string cron = w.made(R"("schedule":"*/10 * * * *")", "/threads/t/runs/crons");
    BOOST_TEST(w.server->post("/runs/crons", R"({"assistant_id":"greeter","schedule":"0 9 * * *"})").status == 429);
    BOOST_TEST(w.server->send("DELETE", "/threads/t").status == 204);
    w.pass(10min + 5s);
    BOOST_TEST(w.show(cron).at("next_run_date").is_null());
    BOOST_TEST(w.threads().empty());
}

BOOST_AUTO_TEST_SUITE_END()
