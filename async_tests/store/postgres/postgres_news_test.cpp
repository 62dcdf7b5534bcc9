#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"

#include <weft/async/sleep.hpp>

#include <atomic>
#include <csignal>

namespace postgres_news_test {

namespace ut = boost::unit_test;

using namespace std::chrono_literals;
using namespace weft_tests;
using weft::store_notice;
using kind = store_notice::kind;

/** Counts what it hears, on whichever OS thread. */
struct counts_heard {
    explicit counts_heard(weft::store_news& news)
        : heard{news.subscribe([this](const store_notice& notice) {
              ++all;
              if (notice.what == kind::anything) ++anything;
          })}
    {
    }
    std::atomic<int> all{0};
    std::atomic<int> anything{0};
    weft::store_news::subscription heard;
};

weft::task<void> sleep_in_earnest(std::chrono::milliseconds span) { co_await weft::sleep_for(span); }

void pass(std::chrono::milliseconds span) { weft::run_blocking(sleep_in_earnest(span)); }

template <class Holds>
bool becomes(Holds holds)
{
    for (int i = 0; i < 2'000 && !holds(); ++i) pass(5ms);
    return holds();
}

void enter_run(weft::checkpoint_store& store, fresh_names& fresh, std::string thread)
{
    weft::new_run run{weft::thread_key{std::move(thread)}, fresh.run()};
    static_cast<void>(weft::run_blocking(store.enqueue(std::move(run))));
}

const char* const kill_listeners = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                   " WHERE query LIKE 'LISTEN %' AND pid <> pg_backend_pid()";

BOOST_AUTO_TEST_SUITE(postgres_news_test, *ut::precondition(has_postgres))

BOOST_AUTO_TEST_CASE(a_store_without_listeners_has_no_connection_for_them)
{
    postgres_server server{};
    fresh_names fresh;
    const auto store = open_store(options_on(server, fresh.schema()));
    enter_run(*store, fresh, "t");
    BOOST_TEST(!store->news()->is_complete());
    const char* const listeners = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
                                  " AND pid <> pg_backend_pid()";
    BOOST_TEST(server.query(listeners) == "0");
    counts_heard heard{*store->news()};
    BOOST_TEST(becomes([&] { return store->news()->is_complete(); }));
    counts_heard second{*store->news()};
    BOOST_TEST(server.query(listeners) == "1");
}

BOOST_AUTO_TEST_CASE(a_worker_that_has_nothing_to_do_has_at_most_three_connections)
{
    postgres_server server{};
    fresh_names fresh;
    weft::postgres_options options{server.connection() + " application_name=idle"};
    options.schema = fresh.schema();
    const auto store = open_store(options);
    counts_heard heard{*store->news()};
    const weft::worker_id worker = weft::run_blocking(store->enter("idle", std::chrono::seconds{60}));
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(weft::run_blocking(store->claim(worker, 8)).empty());
        BOOST_TEST(weft::run_blocking(store->heartbeat(worker, std::chrono::seconds{60})).is_alive);
        BOOST_TEST(weft::run_blocking(store->reap(8)) == 0u);
        static_cast<void>(weft::run_blocking(store->news()->next_due()));
    }
    BOOST_TEST_REQUIRE(becomes([&] { return store->news()->is_complete(); }));
    BOOST_TEST(std::stoi(server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idle'")) <= 3);
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_lost_is_replaced_and_what_it_missed_is_looked_for)
{
    postgres_server server{};
    fresh_names fresh;
    const weft::postgres_options options = options_on(server, fresh.schema());
    const auto here = open_store(options);
    const auto there = open_store(options);
    counts_heard heard{*there->news()};
    BOOST_TEST_REQUIRE(becomes([&] { return there->news()->is_complete(); }));
    BOOST_TEST(heard.anything == 1);
    BOOST_TEST(server.query(kill_listeners) == "1");
    BOOST_TEST(becomes([&] { return heard.anything == 2 && there->news()->is_complete(); }));
    const int before = heard.all;
    enter_run(*here, fresh, "t");
    BOOST_TEST(becomes([&] { return heard.all == before + 1; }));
}

BOOST_AUTO_TEST_CASE(others_hear_of_a_run_together_with_its_entry_and_once)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    auto store = open_store(options);
    raw_session other{shared_postgres_server().connection()};
    other.query("LISTEN \"weft." + options.schema + '"');
    enter_run(*store, fresh, "t");
    other.query("SELECT 1");
    BOOST_TEST(other.notifications() == 1);
    store.reset();  // it sends first what is queued
    other.query("SELECT 1");
    BOOST_TEST(other.notifications() == 0);
}

/** Takes 14 s: as long as a notice to oneself is not missed. */
BOOST_AUTO_TEST_CASE(a_connection_that_hangs_is_replaced_and_what_it_missed_is_looked_for)
{
    postgres_server server{};
    fresh_names fresh;
    const weft::postgres_options options = options_on(server, fresh.schema());
    const auto here = open_store(options);
    const auto there = open_store(options);
    counts_heard heard{*there->news()};
    BOOST_TEST_REQUIRE(becomes([&] { return there->news()->is_complete(); }));
    const std::string listener = server.query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
                                              " AND pid <> pg_backend_pid()");
    // As if a router between had forgotten the connection: nothing says that it is gone.
    BOOST_TEST_REQUIRE(::kill(std::stoi(listener), SIGSTOP) == 0);
    const auto is_noticed = [&] { return heard.anything == 2 && there->news()->is_complete(); };
    for (int i = 0; i < 2 && !is_noticed(); ++i) (void)becomes(is_noticed);
    BOOST_TEST(is_noticed());
    ::kill(std::stoi(listener), SIGCONT);
    const int before = heard.all;
    enter_run(*here, fresh, "t");
    BOOST_TEST(becomes([&] { return heard.all == before + 1; }));
}

BOOST_AUTO_TEST_CASE(what_is_announced_is_heard_though_the_store_closes_at_once)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    const auto there = open_store(options);
    counts_heard heard{*there->news()};
    BOOST_TEST_REQUIRE(becomes([&] { return there->news()->is_complete(); }));
    const int before = heard.all;
    {
        const auto here = open_store(options);
        enter_run(*here, fresh, "t");
    }
    BOOST_TEST(becomes([&] { return heard.all == before + 1; }));
}

const char* const listens = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%.events\"'"
                            " AND query LIKE 'LISTEN %' AND pid <> pg_backend_pid()";

BOOST_AUTO_TEST_CASE(events_are_heard_by_processes_that_want_them_and_by_no_others)
{
    postgres_server server{};
    fresh_names fresh;
    const weft::postgres_options options = options_on(server, fresh.schema());
    const auto here = open_store(options);
    const auto follows = open_store(options);
    const auto works = open_store(options);
    counts_heard changes{*works->news()};
    std::atomic<int> events{0};
    const auto wanted = follows->news()->subscribe(
        [&](const store_notice& notice) {
            if (notice.what == kind::events) ++events;
        },
        weft::store_news::interest::changes_and_events);
    BOOST_TEST_REQUIRE(becomes([&] { return works->news()->is_complete() && server.query(listens) == "1"; }));
    enter_run(*here, fresh, "t");
    const weft::worker_id worker = weft::run_blocking(here->enter(weft::worker_entry{"w", 1h}));
    const std::vector<weft::run_claim> claims = weft::run_blocking(here->claim(worker, 1));
    BOOST_TEST_REQUIRE(claims.size() == 1u);
    BOOST_TEST(becomes([&] { return changes.all >= 2; }));
    const int before = changes.all;
    for (int i = 1; i <= 3; ++i) {
        std::vector<weft::event_draft> drafts{{"output", "{}"}};
        static_cast<void>(weft::run_blocking(
            here->service().run_events().append(claims.front().fence, std::move(drafts), weft::event_log_limits{})));
        BOOST_TEST(becomes([&] { return events == i; }));
    }
    BOOST_TEST(changes.all == before);
}

BOOST_AUTO_TEST_CASE(schemas_do_not_hear_each_other)
{
    fresh_names fresh;
    const auto one = open_store(options_on(shared_postgres_server(), fresh.schema()));
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    const auto two = open_store(options);
    const auto three = open_store(options);
    counts_heard heard{*three->news()};
    BOOST_TEST_REQUIRE(becomes([&] { return three->news()->is_complete(); }));
    const int before = heard.all;
    enter_run(*one, fresh, "a");
    pass(50ms);
    enter_run(*two, fresh, "b");
    BOOST_TEST(becomes([&] { return heard.all > before; }));
    BOOST_TEST(heard.all == before + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_news_test

#endif
