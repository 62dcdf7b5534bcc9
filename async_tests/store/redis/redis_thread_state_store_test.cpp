#include "store/redis_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/redis/redis_thread_lock.hpp>
#include <weft/store/redis/redis_thread_state_store.hpp>
#include <weft/store/thread/fallback_thread_state_store.hpp>

#include <boost/json/parse.hpp>

#include <initializer_list>
#include <optional>

BOOST_AUTO_TEST_SUITE(redis_thread_state_store_test)

using namespace std::chrono_literals;
using boost::json::value;
using weft::errc;
using weft::error;
using weft::redis_client;
using weft::redis_options;
using weft::redis_thread_lock;
using weft::redis_thread_state_store;
using weft::run_blocking;
using weft::task;
using weft::thread_hold;
using weft::thread_key;
using weft::write_state;
using weft_tests::redis_server;

namespace {

weft::redis_value ask(const redis_client& client, std::initializer_list<std::string> words)
{
    weft::redis_command command{*words.begin()};
    for (auto word = words.begin() + 1; word != words.end(); ++word) command.add(*word);
    return run_blocking(client.call(std::move(command)));
}

value sample() { return boost::json::parse(R"({"messages": ["grüße", {"deep": [1, 2.5, null, true]}], "turn": 7})"); }

/** Whether a state is gone before patience ends. */
task<bool> is_gone_soon(redis_thread_state_store& store, thread_key thread)
{
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const std::optional<value> found = co_await store.load(thread);
        if (!found) co_return true;
        co_await weft::sleep_for(5ms);
    }
    co_return false;
}

task<std::optional<thread_hold>> acquire_soon(redis_thread_lock& lock, thread_key thread)
{
    for (int attempt = 0; attempt < 1000; ++attempt) {
        std::optional<thread_hold> hold = co_await lock.acquire(thread);
        if (hold) co_return hold;
        co_await weft::sleep_for(5ms);
    }
    co_return std::nullopt;
}

template <class T>
task<std::optional<error>> failure_of(task<T> work)
{
    try {
        co_await std::move(work);
    } catch (const error& e) {
        co_return e;
    }
    co_return std::nullopt;
}

}  // namespace

WEFT_REDIS_TEST_CASE(SUL_12_a_state_is_kept_for_an_hour_and_seen_by_other_processes)
{
    const redis_server server;
    redis_thread_state_store ours{server.client()};
    redis_thread_state_store theirs{server.client()};
    BOOST_TEST((ours.lifetime() == 3600s));
    const thread_key thread{"t-1", "acme"};
    BOOST_TEST(!run_blocking(ours.load(thread)));
    BOOST_TEST((run_blocking(ours.save(thread, sample())) == write_state::ok));
    const std::optional<value> found = run_blocking(theirs.load(thread));
    BOOST_REQUIRE(found);
    BOOST_TEST((*found == sample()));
    const std::int64_t left = ask(server.client(), {"TTL", "weft:{acme/t-1}:state"}).integer;
    BOOST_TEST(left > 3500);
    BOOST_TEST(left <= 3600);
    BOOST_TEST((run_blocking(theirs.erase(thread)) == write_state::ok));
    BOOST_TEST(!run_blocking(ours.load(thread)));
}

WEFT_REDIS_TEST_CASE(SUL_12_a_state_ends_by_itself)
{
    const redis_server server;
    redis_thread_state_store store{server.client(), 100ms};
    const thread_key thread{"t-1"};
    BOOST_TEST((run_blocking(store.save(thread, sample())) == write_state::ok));
    BOOST_TEST(run_blocking(is_gone_soon(store, thread)));
}

WEFT_REDIS_TEST_CASE(SUL_13_a_zombie_whose_lock_ran_out_writes_nothing)
{
    const redis_server server;
    weft::redis_lock_options brief;
    brief.lifetime = 50ms;
    redis_thread_lock sleeping_lock{server.client(), brief};
    redis_thread_lock lock{server.client()};
    redis_thread_state_store store{server.client()};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> zombie = run_blocking(sleeping_lock.acquire(thread));
    BOOST_REQUIRE(zombie);
    const std::optional<thread_hold> next = run_blocking(acquire_soon(lock, thread));
    BOOST_REQUIRE(next);
    BOOST_TEST((run_blocking(store.save(*next, value(1))) == write_state::ok));
    BOOST_TEST((run_blocking(store.save(*zombie, value(2))) == write_state::fenced));
    BOOST_TEST((run_blocking(store.erase(*zombie)) == write_state::fenced));
    BOOST_TEST((run_blocking(store.save(thread, value(3))) == write_state::fenced));
    BOOST_TEST((*run_blocking(store.load(thread)) == value(1)));
    // Also when no other holder has taken the thread since: what ran out is no right to write.
    BOOST_TEST(run_blocking(lock.release(*next)));
    BOOST_TEST((run_blocking(store.save(*zombie, value(2))) == write_state::fenced));
    BOOST_TEST((run_blocking(store.save(thread, value(3))) == write_state::ok));
}

WEFT_REDIS_TEST_CASE(a_server_that_forgot_the_lock_takes_no_writes_of_its_holder)
{
    redis_server server;
    redis_thread_lock lock{server.client()};
    redis_thread_state_store store{server.client()};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> hold = run_blocking(lock.acquire(thread));
    BOOST_REQUIRE(hold);
    server.restart();
    BOOST_TEST((run_blocking(store.save(*hold, value(1))) == write_state::fenced));
}

WEFT_REDIS_TEST_CASE(a_lock_of_this_process_writes_only_while_nobody_holds_the_thread_on_the_server)
{
    const redis_server server;
    redis_thread_lock lock{server.client()};
    redis_thread_state_store store{server.client()};
    const thread_key thread{"t-1"};
    thread_hold local{thread};
    local.owner = "somebody";
    local.is_local = true;
    BOOST_TEST((run_blocking(store.save(local, value(1))) == write_state::ok));
    const std::optional<thread_hold> hold = run_blocking(lock.acquire(thread));
    BOOST_REQUIRE(hold);
    BOOST_TEST((run_blocking(store.save(local, value(2))) == write_state::fenced));
}

WEFT_REDIS_TEST_CASE(what_is_no_json_is_named)
{
    const redis_server server;
    redis_thread_state_store store{server.client()};
    ask(server.client(), {"SET", "weft:{/t-1}:state", "{broken"});
    const thread_key thread{"t-1"};
    const std::optional<error> corrupt = run_blocking(failure_of(store.load(thread)));
    BOOST_REQUIRE(corrupt);
    BOOST_TEST((corrupt->code() == errc::store_corrupt));
    BOOST_TEST(std::string{corrupt->what()}.find("weft:{/t-1}:state") != std::string::npos);
    ask(server.client(), {"DEL", "weft:{/t-1}:state"});
    ask(server.client(), {"LPUSH", "weft:{/t-1}:state", "a list"});
    const std::optional<error> refused = run_blocking(failure_of(store.load(thread)));
    BOOST_REQUIRE(refused);
    BOOST_TEST((refused->code() == errc::store_refused));
}

WEFT_REDIS_TEST_CASE(a_state_that_is_too_long_is_refused)
{
    const redis_server server;
    redis_thread_state_store store{server.client()};
    const thread_key thread{"t-1"};
    const value long_text(std::string(9u << 20, 'x'));
    const std::optional<error> refused = run_blocking(failure_of(store.save(thread, long_text)));
    BOOST_REQUIRE(refused);
    BOOST_TEST((refused->code() == errc::limit_reached));
}

WEFT_REDIS_TEST_CASE(SUL_12_this_process_goes_on_while_the_server_is_away)
{
    redis_server server;
    redis_options options = server.options();
    options.request_timeout = 200ms;
    const auto primary = std::make_shared<redis_thread_state_store>(redis_client{options});
    weft::fallback_thread_state_store store{primary};
    const thread_key thread{"t-1"};
    BOOST_TEST((run_blocking(store.save(thread, value(1))) == write_state::ok));
    server.kill();
    BOOST_TEST((run_blocking(store.save(thread, value(2))) == write_state::ok));
    BOOST_TEST((*run_blocking(store.load(thread)) == value(2)));
    server.restart();
    BOOST_TEST((*run_blocking(store.load(thread)) == value(2)));
    BOOST_TEST((*run_blocking(primary->load(thread)) == value(2)));
}

BOOST_AUTO_TEST_SUITE_END()
