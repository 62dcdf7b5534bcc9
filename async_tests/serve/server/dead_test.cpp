#include "net/test_loop.hpp"
#include "serve/server/dead_run.hpp"
#include "serve/server/guarded_life.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(dead_test)

BOOST_AUTO_TEST_CASE(dead_runs_are_shown_with_their_cause_retried_and_purged)
{
    test_loop loop;
    weft::memory_store store;
    started one{loop, make_dead(store, "acme", "t1")};
    const std::string first = one.result();
    started two{loop, make_dead(store, "acme", "t2")};
    const std::string second = two.result();
    guarded_life server{loop, store};
    const std::string key = server.make_key("acme", R"(["*","queue:*"])");
    const std::string other = server.make_key("other", R"(["queue:*"])");
    const boost::json::value listed = server.as(key, "GET", "/admin/dead").json();
    BOOST_TEST_REQUIRE(listed.at("runs").as_array().size() == 2u);
    const boost::json::value& shown = listed.at("runs").at(1);
    BOOST_TEST(shown.at("run_id").as_string() == first);
    BOOST_TEST(shown.at("thread_id") == "t1");
    BOOST_TEST(shown.at("graph") == "asking");
    BOOST_TEST(shown.at("attempts") == 1);
    BOOST_TEST(!shown.at("cause").as_string().empty());
    const answer lost = server.as(key, "GET", "/admin/dead?after=nonsense");
    BOOST_TEST(lost.status == 422);
    BOOST_TEST(lost.body.find("after: it is not one that a page gave") != std::string::npos, lost.body);
    // Those of another tenant are not there.
    BOOST_TEST(server.as(other, "GET", "/admin/dead").json().at("runs").as_array().empty());
    BOOST_TEST(server.as(other, "POST", "/admin/dead/" + first + "/retry", "{}").status == 404);
    BOOST_TEST(server.as(other, "DELETE", "/admin/dead/" + first).status == 404);

    BOOST_TEST(server.as(key, "POST", "/admin/dead/" + first + "/retry", "{}").status == 202);
    while (server.as(key, "GET", "/threads/t1/state").body.find("interrupts") == std::string::npos) {}
    BOOST_TEST(server.as(key, "POST", "/admin/dead/" + first + "/retry", "{}").status == 404);
    BOOST_TEST(server.as(key, "DELETE", "/admin/dead/" + second).status == 204);
    BOOST_TEST(server.as(key, "GET", "/admin/dead").json().at("runs").as_array().empty());

    BOOST_TEST(server.audited("queue.update").size() == 1u);
    BOOST_TEST(server.audited("queue.delete").size() == 1u);
}

BOOST_AUTO_TEST_CASE(all_dead_runs_of_a_graph_are_retried_or_purged_in_one_call)
{
    test_loop loop;
    weft::memory_store store;
    constexpr std::int64_t runs = 130;  // more than a page
    for (int i = 0; i < runs; ++i) (void)started{loop, make_dead(store, "acme", "t" + std::to_string(i))}.result();
    (void)started{loop, make_dead(store, "other", "theirs")}.result();
    guarded_life server{loop, store};
    const std::string key = server.make_key("acme", R"(["*","queue:*"])");
    const boost::json::value none = server.as(key, "POST", "/admin/dead/retry", R"({"graph":"unknown"})").json();
    BOOST_TEST(boost::json::serialize(none) == R"({"changed":0,"left":0,"has_more":false})");
    const boost::json::value all = server.as(key, "POST", "/admin/dead/retry", R"({"graph":"asking"})").json();
    BOOST_TEST(all.at("changed").as_int64() == runs);
    BOOST_TEST(server.as(key, "GET", "/admin/dead").json().at("runs").as_array().empty());
    while (server.as(key, "GET", "/threads/t0/state").body.find("interrupts") == std::string::npos) {}
    // That of another tenant is still there, and is theirs to remove.
    const std::string other = server.make_key("other", R"(["queue:*"])");
    BOOST_TEST(server.as(other, "POST", "/admin/dead/purge", "{}").status == 422);
    BOOST_TEST(server.as(other, "POST", "/admin/dead/purge", R"({"all":true})").json().at("changed") == 1);
    BOOST_TEST(server.as(other, "GET", "/admin/dead").json().at("runs").as_array().empty());
    const std::string reader = server.make_key("acme", R"(["queue:read"])");
    BOOST_TEST(server.as(reader, "POST", "/admin/dead/purge", "{}").status == 403);
    BOOST_TEST(server.audited("queue.update").size() == 2u);
    BOOST_TEST(server.audited("queue.delete").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
