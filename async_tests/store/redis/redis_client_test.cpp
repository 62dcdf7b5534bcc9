#include <weft/async/scope.hpp>
#include <weft/testing/async_test_case.hpp>

#include "store/scripted_redis.hpp"

#include <optional>

BOOST_AUTO_TEST_SUITE(redis_client_test)

using namespace std::chrono_literals;
using scripted_redis::server;
using scripted_redis::wire;
using scripted_redis::words;
using weft::errc;
using weft::error;
using weft::redis_client;
using weft::redis_command;
using weft::redis_options;
using weft::redis_value;
using weft::task;

namespace {

std::string echo(wire&, const words& said) { return scripted_redis::text(said.back()); }
std::string nothing(wire&, const words&) { return ""; }

redis_command get(const std::string& key)
{
    redis_command command{"GET"};
    command.add(key).reads_only();
    return command;
}

redis_command set(const std::string& key)
{
    redis_command command{"SET"};
    command.add(key).add("value");
    return command;
}

/** The error that a command ends with; none if it succeeds. */
task<std::optional<error>> failure_of(redis_client client, redis_command command)
{
    try {
        const redis_value answer = co_await client.call(std::move(command));
    } catch (const error& e) {
        co_return e;
    }
    co_return std::nullopt;
}

task<void> expect_echo(redis_client client, std::string key)
{
    const redis_value answer = co_await client.call(get(key));
    BOOST_TEST(answer.text == key);
}

task<void> note_failure(redis_client client, redis_command command, std::optional<errc>& noted)
{
    const std::optional<error> failure = co_await failure_of(std::move(client), std::move(command));
    if (failure) noted = failure->code();
}

std::string text_of(const std::optional<error>& failure) { return failure ? failure->what() : "no error"; }

}  // namespace

WEFT_ASYNC_TEST_CASE(many_coroutines_share_one_connection)
{
    server peer{echo};
    const redis_client client = peer.client();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope callers{context};
    for (int i = 0; i < 20; ++i) callers.spawn(expect_echo(client, "key " + std::to_string(i)));
    co_await callers.join();
    BOOST_TEST(peer.connections == 1);
    BOOST_TEST(client.counts().answers == 20u);
    BOOST_TEST(peer.heard.size() == 21u);
}

WEFT_ASYNC_TEST_CASE(commands_go_out_without_waiting_for_answers)
{
    // Nothing is answered before the third command has come: a client that waits would wait for ever.
    int heard = 0;
    server peer{[&](wire&, const words&) -> std::string { return ++heard < 3 ? "" : ":1\r\n:2\r\n:3\r\n"; }};
    const redis_client client = peer.client();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<errc> failures[3];
    weft::scope callers{context};
    for (std::optional<errc>& failure : failures) callers.spawn(note_failure(client, set("k"), failure));
    co_await callers.join();
    for (const std::optional<errc>& failure : failures) BOOST_TEST(!failure);
}

WEFT_ASYNC_TEST_CASE(a_greeting_says_who_we_are_before_anything_else)
{
    server peer{echo};
    redis_options options{"redis.test"};
    options.user = "ann";
    options.password = weft::secret_string{"hunter22"};
    options.database = 3;
    options.client_name = "weft-test";
    const redis_client client = peer.client(options);
    co_await expect_echo(client, "k");
    BOOST_REQUIRE(peer.heard.size() == 4u);
    BOOST_TEST((peer.heard[0] == words{"AUTH", "ann", "hunter22"}));
    BOOST_TEST((peer.heard[1] == words{"SELECT", "3"}));
    BOOST_TEST((peer.heard[2] == words{"CLIENT", "SETNAME", "weft-test"}));
}

WEFT_ASYNC_TEST_CASE(a_wrong_password_fails_all_who_wait_at_once_and_is_not_repeated)
{
    server peer{echo};
    peer.greetings["AUTH"] = "-WRONGPASS invalid username-password pair: hunter22 is wrong\r\n";
    redis_options options{"redis.test"};
    options.password = weft::secret_string{"hunter22"};
    const redis_client client = peer.client(options);
    std::optional<errc> other;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope callers{context};
    callers.spawn(note_failure(client, set("k"), other));
    const weft::time_point began = context.loop->now();
    const std::optional<error> failure = co_await failure_of(client, set("k"));
    co_await callers.join();
    BOOST_TEST((context.loop->now() - began < 1s));
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::store_refused));
    BOOST_TEST((other == errc::store_refused));
    BOOST_TEST(text_of(failure).find("WRONGPASS") != std::string::npos);
    BOOST_TEST(text_of(failure).find("hunter22") == std::string::npos);
}

WEFT_ASYNC_TEST_CASE(a_server_that_is_away_is_waited_for_and_then_used)
{
    server peer{echo};
    peer.refused = 5;
    const redis_client client = peer.client();
    co_await expect_echo(client, "k");
    BOOST_TEST(peer.attempts == 6);
}

WEFT_ASYNC_TEST_CASE(a_server_that_stays_away_is_an_error_when_the_time_is_up_and_nothing_was_done)
{
    server peer{echo};
    peer.refused = 1'000'000;
    const redis_client client = peer.client();
    const weft::task_context& context = co_await weft::this_task::context();
    const weft::time_point began = context.loop->now();
    const std::optional<error> failure = co_await failure_of(client, set("k"));
    const auto elapsed = context.loop->now() - began;
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::store_unavailable));
    BOOST_TEST(text_of(failure).find("connection refused") != std::string::npos);
    BOOST_TEST((elapsed >= 5s && elapsed < 5100ms));
    // 50 ms, doubled up to 2 s, each with full jitter: some attempts, not thousands.
    BOOST_TEST(peer.attempts >= 3);
    BOOST_TEST(peer.attempts < 60);
    // No command waits: there is no attempt to connect.
    const int before = peer.attempts;
    co_await weft::sleep_for(60s);
    BOOST_TEST(peer.attempts <= before + 1);
    BOOST_TEST(peer.heard.empty());
}

WEFT_ASYNC_TEST_CASE(a_server_that_falls_silent_leaves_writes_in_doubt_and_reads_not)
{
    server peer{nothing};
    const redis_client client = peer.client();
    const weft::task_context& context = co_await weft::this_task::context();
    const weft::time_point began = context.loop->now();
    std::optional<errc> of_read;
    weft::scope callers{context};
    callers.spawn(note_failure(client, get("k"), of_read));
    const std::optional<error> of_write = co_await failure_of(client, set("k"));
    co_await callers.join();
    BOOST_TEST((context.loop->now() - began < 5100ms));
    BOOST_REQUIRE(of_write);
    BOOST_TEST((of_write->code() == errc::store_outcome_unknown));
    BOOST_TEST((of_read == errc::store_unavailable));
    // The next command does not wait behind the silent one: the connection was given up.
    co_await weft::sleep_for(10ms);
    const std::optional<error> next = co_await failure_of(client, get("k"));
    BOOST_TEST(peer.connections == 2);
    BOOST_TEST(client.counts().lost >= 1u);
    BOOST_REQUIRE(next);
}

WEFT_ASYNC_TEST_CASE(a_lost_connection_tells_whose_commands_were_sent_and_keeps_the_others)
{
    server peer{[](wire& at, const words& said) -> std::string {
        if (said.back() != "last words") return scripted_redis::text(said.back());
        at.hang_up();
        return "";
    }};
    const redis_client client = peer.client();
    co_await expect_echo(client, "first");
    redis_command last{"SET"};
    last.add("k").add("last words");
    const std::optional<error> lost = co_await failure_of(client, std::move(last));
    BOOST_REQUIRE(lost);
    BOOST_TEST((lost->code() == errc::store_outcome_unknown));
    BOOST_TEST(text_of(lost).find("SET") != std::string::npos);
    co_await expect_echo(client, "second");
    BOOST_TEST(peer.connections == 2);
    // It was sent once: the client repeats no write by itself.
    BOOST_TEST(std::count_if(peer.heard.begin(), peer.heard.end(),
                             [](const words& said) { return said.back() == "last words"; }) == 1);
}

WEFT_ASYNC_TEST_CASE(an_unused_connection_that_the_server_closed_is_no_error)
{
    server peer{echo};
    const redis_client client = peer.client();
    co_await expect_echo(client, "first");
    peer.newest()->hang_up();
    co_await expect_echo(client, "second");
    BOOST_TEST(peer.connections == 2);
}

WEFT_ASYNC_TEST_CASE(a_server_that_takes_connections_and_serves_none_is_not_hammered)
{
    server peer{echo};
    peer.greetings["CLIENT"] = "-ERR max number of clients reached\r\n";
    const redis_client client = peer.client();
    const std::optional<error> failure = co_await failure_of(client, get("k"));
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::store_unavailable));
    BOOST_TEST(text_of(failure).find("max number of clients") != std::string::npos);
    BOOST_TEST(peer.attempts < 60);
}

WEFT_ASYNC_TEST_CASE(what_is_not_a_redis_server_is_named)
{
    server peer{echo};
    peer.greetings["CLIENT"] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    const redis_client client = peer.client();
    const std::optional<error> failure = co_await failure_of(client, get("k"));
    BOOST_TEST(text_of(failure).find("not of a Redis server") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(an_answer_that_nobody_asked_for_ends_the_connection)
{
    server peer{[](wire&, const words& said) { return scripted_redis::text(said.back()) + "+surplus\r\n"; }};
    const redis_client client = peer.client();
    co_await expect_echo(client, "first");
    co_await expect_echo(client, "second");
    BOOST_TEST(peer.connections == 2);
}

WEFT_ASYNC_TEST_CASE(errors_of_the_server_say_what_kind_they_are)
{
    server peer{[](wire&, const words& said) { return "-" + said.back() + "\r\n"; }};
    const redis_client client = peer.client();
    const std::pair<const char*, errc> cases[] = {
        {"ERR unknown command 'FOO'", errc::store_refused},
        {"WRONGTYPE Operation against a key", errc::store_refused},
        {"NOPERM this user has no permissions", errc::store_refused},
        {"READONLY You can't write against a read only replica.", errc::store_refused},
        {"OOM command not allowed when used memory > 'maxmemory'.", errc::store_full},
        {"LOADING Redis is loading the dataset in memory", errc::store_unavailable},
        {"BUSY Redis is busy running a script.", errc::store_unavailable},
        {"MASTERDOWN Link with MASTER is down", errc::store_unavailable},
    };
    for (const auto& [words, code] : cases) {
        const std::optional<error> failure = co_await failure_of(client, get(words));
        BOOST_REQUIRE(failure);
        BOOST_TEST((failure->code() == code), words);
        BOOST_TEST(text_of(failure).find(words) != std::string::npos);
    }
    BOOST_TEST(peer.connections == 1);
}

WEFT_ASYNC_TEST_CASE(more_commands_than_may_wait_are_refused_at_once)
{
    server peer{nothing};
    redis_options options{"redis.test"};
    options.pending_max = 2;
    const redis_client client = peer.client(options);
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<errc> failures[2];
    weft::scope callers{context};
    for (std::optional<errc>& failure : failures) callers.spawn(note_failure(client, set("k"), failure));
    const weft::time_point began = context.loop->now();
    const std::optional<error> third = co_await failure_of(client, set("k"));
    BOOST_TEST((context.loop->now() == began));
    BOOST_REQUIRE(third);
    BOOST_TEST((third->code() == errc::limit_reached));
    co_await callers.join();
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_wait_at_once_and_the_answer_goes_to_nobody)
{
    server peer{[](wire&, const words& said) -> std::string {
        if (said.back() == "slow") return "";
        return scripted_redis::text(said.back());
    }};
    const redis_client client = peer.client();
    co_await expect_echo(client, "first");
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<errc> stopped;
    weft::scope callers{context};
    callers.spawn(note_failure(client, get("slow"), stopped));
    co_await weft::sleep_for(100ms);
    callers.request_stop();
    const weft::time_point began = context.loop->now();
    co_await callers.join();
    BOOST_TEST((context.loop->now() == began));
    BOOST_TEST((stopped == errc::cancelled));
    // The answer to the abandoned command comes, and the next one still gets its own.
    peer.newest()->say(scripted_redis::text("slow"));
    co_await expect_echo(client, "next");
    BOOST_TEST(peer.connections == 1);
}

WEFT_ASYNC_TEST_CASE(a_command_that_was_stopped_before_it_was_sent_is_not_sent)
{
    server peer{echo};
    peer.refused = 3;
    const redis_client client = peer.client();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<errc> stopped;
    weft::scope callers{context};
    callers.spawn(note_failure(client, set("never"), stopped));
    callers.request_stop();
    co_await callers.join();
    BOOST_TEST((stopped == errc::cancelled));
    co_await expect_echo(client, "next");
    for (const words& said : peer.heard) BOOST_TEST(said[0] != "SET");
}

WEFT_ASYNC_TEST_CASE(a_script_is_sent_once_and_then_named)
{
    bool is_known = false;
    server peer{[&](wire&, const words& said) -> std::string {
        if (said[0] == "EVALSHA" && !is_known) return "-NOSCRIPT No matching script. Please use EVAL.\r\n";
        is_known = true;
        return scripted_redis::text(said[0] + " " + said[2] + " " + said[3] + " " + said[4]);
    }};
    const redis_client client = peer.client();
    const weft::redis_script script{"return ARGV[1]"};
    const std::vector<std::string> keys(1, "key");
    const std::vector<std::string> arguments(1, "argument");
    const redis_value first = co_await client.run(script, keys, arguments);
    BOOST_TEST(first.text == "EVAL 1 key argument");
    const redis_value second = co_await client.run(script, keys, arguments);
    BOOST_TEST(second.text == "EVALSHA 1 key argument");
}

WEFT_ASYNC_TEST_CASE(commands_outlive_the_client)
{
    server peer{echo};
    task<redis_value> asking = peer.client().call(get("k"));
    const redis_value answer = co_await std::move(asking);
    BOOST_TEST(answer.text == "k");
}

BOOST_AUTO_TEST_SUITE_END()
