#include "store/redis_server.hpp"
#include "store/scripted_redis.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/redis/redis_thread_lock.hpp>
#include <weft/testing/async_test_case.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>

BOOST_AUTO_TEST_SUITE(redis_thread_lock_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::lock_fallback;
using weft::redis_client;
using weft::redis_lock_options;
using weft::redis_options;
using weft::redis_thread_lock;
using weft::run_blocking;
using weft::task;
using weft::thread_hold;
using weft::thread_key;
using weft_tests::redis_server;

namespace {

weft::redis_value ask(const redis_client& client, std::initializer_list<std::string> words)
{
    weft::redis_command command{*words.begin()};
    for (auto word = words.begin() + 1; word != words.end(); ++word) command.add(*word);
    return run_blocking(client.call(std::move(command)));
}

redis_lock_options lasting(std::chrono::milliseconds lifetime)
{
    redis_lock_options options;
    options.lifetime = lifetime;
    return options;
}

/** Asks for a lock until it is given, or patience ends. */
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
task<errc> code_of(task<T> work)
{
    try {
        co_await std::move(work);
    } catch (const error& e) {
        co_return e.code();
    }
    co_return errc{};
}

task<void> hold_long(std::chrono::milliseconds span, bool* is_done)
{
    co_await weft::sleep_for(span);
    *is_done = true;
}

/** The server stands still for longer than the client waits for an answer, then goes on. */
task<void> acquire_through_a_pause(redis_client client, redis_client other)
{
    redis_thread_lock lock{client};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> before = co_await lock.acquire(thread);
    BOOST_REQUIRE(before);
    const bool was_ours = co_await lock.release(*before);
    BOOST_TEST(was_ours);
    weft::redis_command pause{"CLIENT"};
    pause.add("PAUSE").add(450).add("ALL");
    const weft::redis_value paused = co_await other.call(std::move(pause));
    BOOST_TEST(paused.text == "OK");
    const std::optional<thread_hold> hold = co_await lock.acquire(thread);
    BOOST_REQUIRE(hold);
    const std::optional<thread_hold> renewed = co_await lock.renew(*hold);
    BOOST_TEST(renewed.has_value());
}

redis_client impatient(const redis_server& server)
{
    redis_options options = server.options();
    options.request_timeout = 200ms;
    return redis_client{options};
}

}  // namespace

WEFT_REDIS_TEST_CASE(SUL_13_one_of_two_processes_gets_the_thread_for_thirty_seconds)
{
    const redis_server server;
    redis_thread_lock ours{server.client()};
    redis_thread_lock theirs{server.client()};
    const thread_key thread{"t-1", "acme"};
    const std::optional<thread_hold> hold = run_blocking(ours.acquire(thread));
    BOOST_REQUIRE(hold);
    BOOST_TEST(!hold->is_local);
    BOOST_TEST(!run_blocking(theirs.acquire(thread)));
    BOOST_TEST(run_blocking(theirs.is_held(thread)));
    const redis_client client = server.client();
    BOOST_TEST(ask(client, {"GET", "weft:{acme/t-1}:lock"}).text == hold->owner);
    const std::int64_t left = ask(client, {"PTTL", "weft:{acme/t-1}:lock"}).integer;
    BOOST_TEST(left > 20'000);
    BOOST_TEST(left <= 30'000);
    BOOST_TEST(run_blocking(ours.release(*hold)));
    BOOST_TEST(!run_blocking(ours.release(*hold)));
    const std::optional<thread_hold> next = run_blocking(theirs.acquire(thread));
    BOOST_REQUIRE(next);
    BOOST_TEST(next->fence > hold->fence);
}

WEFT_REDIS_TEST_CASE(SUL_13_an_owner_whose_lock_ran_out_cannot_release_or_renew_the_next_one)
{
    const redis_server server;
    const thread_key thread{"t-1"};
    redis_thread_lock sleeper{server.client(), lasting(50ms)};
    redis_thread_lock other{server.client()};
    const std::optional<thread_hold> first = run_blocking(sleeper.acquire(thread));
    BOOST_REQUIRE(first);
    const std::optional<thread_hold> second = run_blocking(acquire_soon(other, thread));
    BOOST_REQUIRE(second);
    BOOST_TEST(second->fence > first->fence);
    BOOST_TEST(!run_blocking(sleeper.release(*first)));
    BOOST_TEST(!run_blocking(sleeper.renew(*first)));
    BOOST_TEST(run_blocking(other.is_held(thread)));
    BOOST_TEST(run_blocking(other.release(*second)));
}

WEFT_REDIS_TEST_CASE(a_renewed_lock_outlives_its_first_lifetime)
{
    const redis_server server;
    const thread_key thread{"t-1"};
    const auto lock = std::make_shared<redis_thread_lock>(server.client(), lasting(300ms));
    bool is_done = false;
    const auto work = [&](thread_hold) { return hold_long(1s, &is_done); };
    run_blocking(weft::run_holding(lock, thread, work));
    BOOST_TEST(is_done);
    BOOST_TEST(!run_blocking(lock->is_held(thread)));
}

WEFT_REDIS_TEST_CASE(fencing_numbers_grow_even_if_the_server_forgets_everything)
{
    redis_server server;
    redis_thread_lock lock{server.client()};
    const thread_key thread{"t-1"};
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        const std::optional<thread_hold> hold = run_blocking(acquire_soon(lock, thread));
        BOOST_REQUIRE(hold);
        BOOST_TEST(hold->fence > last);
        last = hold->fence;
        if (i == 2)
            server.restart();
        else
            run_blocking(lock.release(*hold));
    }
    // Also when its clock stands far behind: it counts on from what it has given.
    const redis_client client = server.client();
    ask(client, {"SET", "weft:{/t-1}:fence", "8000000000000000"});
    const std::optional<thread_hold> hold = run_blocking(lock.acquire(thread));
    BOOST_REQUIRE(hold);
    BOOST_TEST(hold->fence == 8'000'000'000'000'001);
}

WEFT_REDIS_TEST_CASE(a_lock_that_was_asked_for_and_not_answered_is_asked_for_again)
{
    const redis_server server;
    redis_options options = server.options();
    options.request_timeout = 300ms;
    run_blocking(acquire_through_a_pause(redis_client{options}, server.client()));
}

WEFT_REDIS_TEST_CASE(without_a_server_there_is_no_lock)
{
    redis_server server;
    redis_thread_lock lock{impatient(server)};
    server.kill();
    const thread_key thread{"t-1"};
    BOOST_TEST((run_blocking(code_of(lock.acquire(thread))) == errc::store_unavailable));
    BOOST_TEST((run_blocking(code_of(lock.is_held(thread))) == errc::store_unavailable));
}

WEFT_REDIS_TEST_CASE(a_lock_of_this_process_is_given_only_where_that_is_allowed_and_says_so)
{
    redis_server server;
    redis_lock_options options;
    options.when_away = lock_fallback::this_process;
    redis_thread_lock lock{impatient(server), options};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> real = run_blocking(lock.acquire(thread));
    BOOST_REQUIRE(real);
    server.kill();
    const std::optional<thread_hold> local = run_blocking(lock.acquire(thread));
    BOOST_REQUIRE(local);
    BOOST_TEST(local->is_local);
    BOOST_TEST(local->fence < real->fence);
    BOOST_TEST(!run_blocking(lock.acquire(thread)));
    BOOST_TEST(run_blocking(lock.is_held(thread)));
    BOOST_TEST(run_blocking(lock.renew(*local)).has_value());
    BOOST_TEST(run_blocking(lock.release(*local)));
}

WEFT_REDIS_TEST_CASE(names_cannot_reach_the_keys_of_others)
{
    const redis_server server;
    redis_thread_lock lock{server.client()};
    const thread_key awkward[] = {thread_key{"a/b", "c"}, thread_key{"b", "c/a"}, thread_key{"}:lock", ""},
                                  thread_key{"", ""},     thread_key{"%2F", ""}, thread_key{"/", ""},
                                  thread_key{"a b\r\n", ""}};
    for (const thread_key& thread : awkward) BOOST_TEST(run_blocking(lock.acquire(thread)).has_value());
    const redis_client client = server.client();
    for (const weft::redis_value& key : ask(client, {"KEYS", "*"}).items) {
        BOOST_TEST(std::count(key.text.begin(), key.text.end(), '{') == 1);
        BOOST_TEST(key.text.starts_with("weft:{"));
        BOOST_TEST(key.text.find(' ') == std::string::npos);
    }
    const thread_key endless{std::string(weft::store_limits::name_bytes_max + 1, 'x')};
    BOOST_TEST((run_blocking(code_of(lock.acquire(endless))) == errc::limit_reached));
}

WEFT_ASYNC_TEST_CASE(an_owner_that_did_not_hear_the_answer_asks_again_under_its_name)
{
    std::vector<scripted_redis::words> asked;
    scripted_redis::server peer{[&](scripted_redis::wire& at, const scripted_redis::words& said) -> std::string {
        asked.push_back(said);
        if (asked.size() > 1) return scripted_redis::text("7");
        at.hang_up();
        return "";
    }};
    redis_thread_lock lock{peer.client()};
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> hold = co_await lock.acquire(thread);
    BOOST_REQUIRE(hold);
    BOOST_TEST(hold->fence == 7);
    BOOST_REQUIRE(asked.size() == 2u);
    BOOST_TEST((asked[0] == asked[1]));
    BOOST_TEST(asked[0][5] == hold->owner);
}

BOOST_AUTO_TEST_SUITE_END()
