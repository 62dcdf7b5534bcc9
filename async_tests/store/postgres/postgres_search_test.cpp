#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_fixture.hpp"

#include <algorithm>

namespace postgres_search_test {

namespace ut = boost::unit_test;

using namespace weft_tests;
using weft::list_order;

/** Threads 1 to 8,000, all with `common`, and each hundredth with `rare`; those with `old` are the first 6,000. */
struct many_threads {
    many_threads() : schema{fresh.schema()}, store{open_store(options_on(shared_postgres_server(), schema))}
    {
        static_cast<void>(shared_postgres_server().query(
            "INSERT INTO " + schema + ".thread (tenant, name, changed, metadata, state_values)"
            " SELECT '', 't' || lpad(i::text, 5, '0'), now() - i * interval '1 second',"
            "   jsonb_build_object('common', true, 'old', i <= 6000, 'rare', i % 100 = 0, 'no', i),"
            "   jsonb_build_object('topic', 'topic ' || i % 1000)"
            " FROM generate_series(1, 8000) i"));
    }

    [[nodiscard]] std::vector<std::string> names(weft::thread_query query, std::size_t pages_max) const
    {
        std::vector<std::string> found;
        for (std::size_t page = 0; page < pages_max; ++page) {
            const weft::thread_page part = weft::run_blocking(store->service().threads().search(query));
            for (const weft::stored_thread& each : part.threads) found.push_back(each.thread.thread);
            query.after = part.next;
            if (part.next.empty()) break;
        }
        return found;
    }
    [[nodiscard]] int scans_of(const std::string& index) const
    {
        // What a connection has counted it reports when it is idle.
        static_cast<void>(shared_postgres_server().query("SELECT pg_sleep(1.2)"));
        static_cast<void>(weft::run_blocking(store->service().threads().find(weft::thread_key{"t00001"})));
        const std::string counted = "SELECT idx_scan FROM pg_stat_all_indexes WHERE schemaname = '" + schema +
                                    "' AND indexrelname = '" + index + "'";
        return std::stoi(shared_postgres_server().query(counted));
    }

    fresh_names fresh;
    std::string schema;
    std::unique_ptr<weft::postgres_store> store;
};

BOOST_AUTO_TEST_SUITE(postgres_search_test, *ut::precondition(has_postgres))

BOOST_FIXTURE_TEST_CASE(few_matches_come_in_every_order_page_by_page, many_threads)
{
    weft::thread_query query;
    query.metadata_contains = R"({"rare": true})";
    query.count_max = 30;
    for (const list_order order : {list_order::newest_first, list_order::oldest_first, list_order::last_changed_first,
                                   list_order::by_name}) {
        query.order = order;
        const std::vector<std::string> found = names(query, 10);
        BOOST_TEST_REQUIRE(found.size() == 80u);
        // The newest were changed first.
        const bool falls = order == list_order::newest_first;
        BOOST_TEST(found.front() == (falls ? "t08000" : "t00100"));
        BOOST_TEST(found.back() == (falls ? "t00100" : "t08000"));
        BOOST_TEST((std::is_sorted(found.begin(), found.end()) || std::is_sorted(found.rbegin(), found.rend())));
    }
    BOOST_TEST(weft::run_blocking(store->service().threads().count(query)) == 80u);
    BOOST_TEST(scans_of("thread_metadata") > 0);
}

BOOST_FIXTURE_TEST_CASE(values_are_found_by_their_index, many_threads)
{
    weft::thread_query query;
    query.values_contain = R"({"topic": "topic 17"})";
    query.order = list_order::by_name;
    const std::vector<std::string> wanted{"t00017", "t01017", "t02017", "t03017",
                                          "t04017", "t05017", "t06017", "t07017"};
    BOOST_TEST(names(query, 1) == wanted, boost::test_tools::per_element());
    query.metadata_contains = R"({"old": true})";
    BOOST_TEST(names(query, 1).size() == 6u);
    BOOST_TEST(weft::run_blocking(store->service().threads().count(query)) == 6u);
    query.metadata_contains = "{ }";  // asks for nothing
    BOOST_TEST(names(query, 1).size() == 8u);
    BOOST_TEST(scans_of("thread_values") > 0);
}

BOOST_FIXTURE_TEST_CASE(more_matches_than_are_sorted_are_found_by_a_walk, many_threads)
{
    weft::thread_query query;
    query.metadata_contains = R"({"old": true})";
    query.count_max = 2;
    BOOST_TEST((names(query, 2) == std::vector<std::string>{"t06000", "t05999", "t05998", "t05997"}));
    BOOST_TEST(weft::run_blocking(store->service().threads().count(query)) == 6'000u);
    query.metadata_contains = R"({"nowhere": true})";
    BOOST_TEST(names(query, 1).empty());
    BOOST_TEST(weft::run_blocking(store->service().threads().count(query)) == 0u);
}

BOOST_FIXTURE_TEST_CASE(runs_are_found_by_their_metadata, many_threads)
{
    static_cast<void>(shared_postgres_server().query(
        "INSERT INTO " + schema + ".run (id, thread, tenant, phase, attempts_max, graph, input, metadata)"
        " SELECT gen_random_uuid(), no, '', 4, 5, 'g', '', CASE WHEN no % 1000 = 0 THEN"
        " jsonb_build_object('team', 'blue', 'no', no) ELSE '{}' END FROM " + schema + ".thread"));
    weft::run_query query;
    query.contains = R"({"team": "blue"})";
    query.count_max = 5;
    const weft::run_page first = weft::run_blocking(store->service().runs().search(query));
    BOOST_TEST_REQUIRE(first.runs.size() == 5u);
    BOOST_TEST(first.runs[0].thread.thread == "t08000");
    query.after = first.next;
    const weft::run_page second = weft::run_blocking(store->service().runs().search(query));
    BOOST_TEST_REQUIRE(second.runs.size() == 3u);
    BOOST_TEST(second.runs[2].thread.thread == "t01000");
    BOOST_TEST(second.next.empty());
    query.after.clear();
    query.is_newest_first = false;
    BOOST_TEST(weft::run_blocking(store->service().runs().search(query)).runs[0].thread.thread == "t01000");
    BOOST_TEST(weft::run_blocking(store->service().runs().count(query)) == 8u);
    BOOST_TEST(scans_of("run_metadata") > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_search_test

#endif
