#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/agent/host/webhook_signature.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(entry_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> note{"note"};
inline constexpr weft::state_key<std::string> reply{"reply"};

weft::graph shop()
{
    const auto answer = [](weft::node_context& ctx) { ctx.set(reply, "got " + ctx.get(note)); };
    return weft::graph_builder{"shop"}.state(note, reply).node("answer", answer).edge(weft::start, "answer").build();
}

weft::served_entry orders()
{
    weft::served_entry entry{.id = "orders", .graph = "shop"};
    entry.webhook = weft::webhook_route{.path = "/hooks/orders", .secret = weft::secret_string{"between us"}};
    entry.input = {{"note", "$payload.order.note"}};
    return entry;
}

weft::served_entry each_ten_minutes()
{
    weft::served_entry entry{.id = "tick", .graph = "shop"};
    entry.every = 10min;
    entry.input = {{"note", "time"}};
    return entry;
}

/** A server with entries, on 2026-11-26 08:00 UTC, whose time is moved by hand. */
class entry_world {
public:
    explicit entry_world(std::vector<weft::served_entry> entries) { begin(std::move(entries)); }

    void begin(std::vector<weft::served_entry> entries)
    {
        weft::server_options options;
        options.entries = std::move(entries);
        server = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{shop()}, std::move(options));
        BOOST_TEST(server->send("GET", "/ok").status == 200);
    }
    void end()
    {
        server->drain();
        server.reset();
    }
    answer hook(std::string body, std::string_view key = {}, std::string_view secret = "between us")
    {
        weft::http_request request = server->request_to("POST", "/hooks/orders");
        request.header("X-Hub-Signature-256", weft::webhook_signature(body, weft::secret_string{secret}));
        if (!key.empty()) request.header("Idempotency-Key", key);
        request.body(std::move(body), "application/json");
        return server->send(std::move(request));
    }
    void pass(std::chrono::seconds span)
    {
        for (std::chrono::seconds i{0}; i < span; i += 1s) loop.advance(1s);
        for (int i = 0; i < 20; ++i) loop.advance(1ms);
    }
    boost::json::array threads() { return server->post("/threads/search", R"({"limit":100})").json().as_array(); }
    boost::json::array crons() { return server->post("/runs/crons/search", "{}").json().as_array(); }

    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{1'795'680'000}}};
    test_loop loop{clock};
    weft::memory_store store;
    std::unique_ptr<life> server;
};

BOOST_AUTO_TEST_CASE(a_signed_webhook_begins_a_run_that_is_kept)
{
    entry_world w{{orders()}};
    const answer taken = w.hook(R"({"order":{"note":"two pies"}})");
    BOOST_TEST(taken.status == 202);
    BOOST_TEST(taken.json().at("status") == "accepted");
    const std::string thread{taken.json().at("thread_id").as_string()};
    const std::string run{taken.json().at("run_id").as_string()};
    const answer joined = w.server->send("GET", "/threads/" + thread + "/runs/" + run + "/join");
    BOOST_TEST(joined.json().at("reply") == "got two pies");
    const answer shown = w.server->send("GET", "/threads/" + thread + "/runs/" + run);
    BOOST_TEST(shown.json().at("metadata").at("entry_point") == "orders");
}

BOOST_AUTO_TEST_CASE(a_webhook_without_its_signature_begins_nothing)
{
    entry_world w{{orders()}};
    BOOST_TEST(w.hook("{}", {}, "another secret").status == 401);
    BOOST_TEST(w.server->post("/hooks/orders", "{}").status == 401);
    BOOST_TEST(w.server->send("GET", "/hooks/orders").status == 405);
    BOOST_TEST(w.hook(R"({"order":{"note":7}})").status == 422);
    BOOST_TEST(w.hook(R"({"order":{"note":"x"}})", std::string(300, 'k')).status == 400);
    BOOST_TEST(w.hook(std::string(2 << 20, ' ')).status == 413);
    BOOST_TEST(w.threads().empty());
}

BOOST_AUTO_TEST_CASE(a_webhook_that_comes_again_gets_the_first_run_also_after_a_restart)
{
    entry_world w{{orders()}};
    const std::string body = R"({"order":{"note":"pie"}})";
    const answer first = w.hook(body, "delivery-1");
    BOOST_TEST(first.status == 202);
    BOOST_TEST(w.hook(body, "delivery-1").body == first.body);
    BOOST_TEST(w.hook(body, "delivery-2").body != first.body);
    w.end();
    w.begin({orders()});
    BOOST_TEST(w.hook(body, "delivery-1").body == first.body);
    BOOST_TEST(w.threads().size() == 2u);
    // Though its thread is gone.
    const std::string thread{first.json().at("thread_id").as_string()};
    BOOST_TEST(w.server->send("DELETE", "/threads/" + thread).status == 204);
    BOOST_TEST(w.hook(body, "delivery-1").body == first.body);
    BOOST_TEST(w.threads().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_timer_begins_runs_and_goes_with_its_entry)
{
    weft::served_entry breakfast{.id = "breakfast", .graph = "shop"};
    breakfast.cron = "30 9 * * *";
    breakfast.time_zone = "Europe/Berlin";
    breakfast.input = {{"note", "eggs"}};
    entry_world w{{each_ten_minutes(), breakfast}};
    BOOST_TEST(w.crons().size() == 2u);
    w.pass(10min + 5s);
    BOOST_TEST_REQUIRE(w.threads().size() == 1u);
    BOOST_TEST(w.threads()[0].at("values").at("reply") == "got time");
    w.pass(20min);
    BOOST_TEST(w.threads().size() == 4u);
    w.end();
    // What passes meanwhile has one run; an entry that is gone has none.
    w.loop.advance(48h);
    w.begin({each_ten_minutes()});
    BOOST_TEST(w.crons().size() == 1u);
    w.pass(5s);
    BOOST_TEST(w.threads().size() == 5u);
    w.end();
    weft::served_entry changed = each_ten_minutes();
    changed.every = 1h;
    w.begin({changed});
    const boost::json::array crons = w.crons();
    BOOST_TEST_REQUIRE(crons.size() == 1u);
    BOOST_TEST(crons[0].at("schedule") == "@every 3600s");
    BOOST_TEST(crons[0].at("cron_id") == "entry.tick");
    const answer off = w.server->send("PATCH", "/runs/crons/entry.tick", R"({"enabled":false})");
    BOOST_TEST(off.status == 200, off.body);
}

BOOST_AUTO_TEST_CASE(the_entry_points_of_a_graph_file_are_entries)
{
    weft::graph_spec spec;
    spec.name = "shop";
    spec.entry_points.resize(3);
    spec.entry_points[0].id = "early";
    spec.entry_points[0].timer = weft::timer_spec{.cron = "30 7 * * *", .time_zone = "Europe/Berlin"};
    spec.entry_points[1].id = "often";
    spec.entry_points[1].timer = weft::timer_spec{.every = weft::spec_duration{5min}};
    spec.entry_points[2].id = "orders";
    spec.entry_points[2].webhook = weft::webhook_spec{.path = "/hooks/orders", .secret_env = "ORDERS_SECRET"};
    spec.entry_points[2].input = {{"note", "$payload.note"}};
    const auto environment = [](const std::string& name) -> std::optional<std::string> {
        if (name == "ORDERS_SECRET") return "between us";
        return std::nullopt;
    };
    const std::vector<weft::served_entry> entries = weft::entries_of(spec, environment);
    BOOST_TEST_REQUIRE(entries.size() == 3u);
    BOOST_TEST(entries[0].id == "shop.early");
    BOOST_TEST(entries[0].graph == "shop");
    BOOST_TEST(entries[0].cron == "30 7 * * *");
    BOOST_TEST(entries[0].time_zone == "Europe/Berlin");
    BOOST_TEST((entries[1].every == 5min));
    BOOST_TEST(entries[2].webhook->path == "/hooks/orders");
    BOOST_TEST(entries[2].webhook->secret->reveal() == "between us");
    BOOST_TEST(entries[2].input.at("note") == "$payload.note");
    spec.entry_points[2].webhook->secret_env = "OTHER_SECRET";
    BOOST_CHECK_EXCEPTION((void)weft::entries_of(spec, environment), weft::error, [](const weft::error& e) {
        const std::string_view text{e.what()};
        return text.find("OTHER_SECRET") != text.npos && text.find("'orders'") != text.npos;
    });
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_entries_is_told_at_once)
{
    weft::served_entry timer{.id = "a\n", .graph = "nowhere"};
    timer.cron = "0 25 * * *";
    timer.time_zone = "Berlin";
    timer.every = 5s;
    weft::served_entry hook{.id = "hook", .graph = "shop"};
    hook.webhook = weft::webhook_route{.path = "hooks?"};
    const weft::served_entry nothing{.id = "hook", .graph = "shop"};
    test_loop loop;
    weft::memory_store store;
    const auto make = [&](std::vector<weft::served_entry> entries) {
        weft::server_options options;
        options.entries = std::move(entries);
        const weft::server made{loop.loop(), weft::server_stores{store}, {shop()}, std::move(options)};
    };
    BOOST_CHECK_EXCEPTION(make({timer, hook, nothing}), weft::error, [](const weft::error& e) {
        const std::string_view text{e.what()};
        bool has_all = e.code() == weft::errc::invalid_configuration;
        for (const char* const part :
             {"id: is 1 to 200 bytes", "no graph 'nowhere'", "cron, every: give one", "cron: the hour '25'",
              "'Berlin'", "webhook.secret: is missing", "webhook.path: begins", "another entry has it",
              "has neither a timer nor a webhook"}) {
            BOOST_TEST((text.find(part) != text.npos), part);
            has_all = has_all && text.find(part) != text.npos;
        }
        return has_all;
    });
    weft::served_entry taken = orders();
    taken.webhook->path = "/runs";
    BOOST_CHECK_THROW(make({taken}), weft::error);
    BOOST_CHECK_NO_THROW(make({orders(), each_ten_minutes()}));
}

BOOST_AUTO_TEST_SUITE_END()
