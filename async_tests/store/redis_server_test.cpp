#include "redis_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <optional>
#include <stdexcept>
#include <thread>

BOOST_AUTO_TEST_SUITE(redis_server_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::redis_client;
using weft::redis_command;
using weft::redis_options;
using weft::redis_value;
using weft::run_blocking;
using weft::task;
using weft_tests::redis_server;

namespace {

redis_command command_of(std::initializer_list<std::string> words)
{
    redis_command command{*words.begin()};
    for (auto word = words.begin() + 1; word != words.end(); ++word) command.add(*word);
    return command;
}

redis_value ask(const redis_client& client, std::initializer_list<std::string> words)
{
    return run_blocking(client.call(command_of(words)));
}

task<std::optional<error>> failure_of(redis_client client, redis_command command)
{
    try {
        const redis_value answer = co_await client.call(std::move(command));
    } catch (const error& e) {
        co_return e;
    }
    co_return std::nullopt;
}

task<void> count_up(redis_client client, int times)
{
    for (int i = 0; i < times; ++i) {
        redis_command command{"INCR"};
        command.add("count");
        const redis_value answer = co_await client.call(std::move(command));
        // No check of Boost.Test: it is called on several OS threads.
        if (!answer.is(redis_value::kind::integer)) throw std::runtime_error{"INCR did not answer with a number"};
    }
}

task<void> many_counters(redis_client client, int coroutines, int times)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope counters{context};
    for (int i = 0; i < coroutines; ++i) counters.spawn(count_up(client, times));
    co_await counters.join();
}

/** Tries again until a command succeeds. */
task<void> wait_until_served(redis_client client)
{
    for (int attempt = 0; attempt < 200; ++attempt) {
        redis_command ping{"PING"};
        ping.reads_only();
        const std::optional<error> failure = co_await failure_of(client, std::move(ping));
        if (!failure) co_return;
        co_await weft::sleep_for(10ms);
    }
    BOOST_FAIL("the server is not served again");
}

/** A connection is made, the server goes and comes, and the same client goes on. */
task<void> kill_and_restart(redis_server& server, redis_client client)
{
    redis_command first = command_of({"SET", "k", "v"});
    const redis_value before = co_await client.call(std::move(first));
    BOOST_TEST(before.text == "OK");
    server.kill();
    redis_command second = command_of({"SET", "k", "w"});
    const std::optional<error> away = co_await failure_of(client, std::move(second));
    BOOST_REQUIRE(away);
    BOOST_TEST((away->code() == errc::store_unavailable));
    server.restart();
    co_await wait_until_served(client);
    redis_command third = command_of({"GET", "k"});
    const redis_value after = co_await client.call(std::move(third));
    BOOST_TEST(after.is_null());
}

/** The server dies while commands are under way: each is answered or fails, none hangs. */
task<void> kill_in_the_middle(redis_server& server, redis_client client)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope counters{context, weft::failure_policy::keep_going};
    for (int i = 0; i < 20; ++i) counters.spawn(count_up(client, 100'000));
    co_await weft::sleep_for(50ms);
    server.kill();
    std::optional<error> failure;
    try {
        co_await counters.join();
    } catch (const error& e) {
        failure = e;
    }
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::store_outcome_unknown || failure->code() == errc::store_unavailable));
    BOOST_TEST(counters.failures() == 20u);
}

}  // namespace

WEFT_REDIS_TEST_CASE(values_of_any_bytes_and_sizes_come_back)
{
    const redis_server server;
    const redis_client client = server.client();
    std::string value;
    for (int i = 0; i < 256; ++i) value += static_cast<char>(i);
    for (const std::size_t repeat : {1u, 1000u, 20'000u}) {
        std::string large;
        for (std::size_t i = 0; i < repeat; ++i) large += value;
        BOOST_TEST(ask(client, {"SET", "k", large}).text == "OK");
        BOOST_TEST((ask(client, {"GET", "k"}).text == large));
    }
    BOOST_TEST(ask(client, {"GET", "nothing"}).is_null());
    BOOST_TEST(ask(client, {"STRLEN", "k"}).integer == 5'120'000);
    BOOST_TEST(ask(client, {"MGET", "k", "x"}).items.size() == 2u);
}

WEFT_REDIS_TEST_CASE(many_coroutines_share_a_connection_and_all_are_answered)
{
    const redis_server server;
    const redis_client client = server.client();
    run_blocking(many_counters(client, 50, 40));
    BOOST_TEST(client.counts().connections == 1u);
    BOOST_TEST(ask(client, {"GET", "count"}).text == "2000");
}

WEFT_REDIS_TEST_CASE(each_os_thread_has_a_connection_of_its_own)
{
    const redis_server server;
    const redis_client client = server.client();
    std::vector<std::thread> os_threads;
    for (int i = 0; i < 3; ++i)
        os_threads.emplace_back([client] { run_blocking(many_counters(client, 10, 20)); });
    for (std::thread& one : os_threads) one.join();
    BOOST_TEST(client.counts().connections == 3u);
    BOOST_TEST(ask(client, {"GET", "count"}).text == "600");
}

WEFT_REDIS_TEST_CASE(a_password_is_needed_right_and_never_repeated)
{
    const redis_server server{{.arguments = {"--requirepass", "hunter22-hunter22"}}};
    redis_options options = server.options();
    options.database = 2;
    options.password = weft::secret_string{"hunter22-hunter22"};
    const redis_client right{options};
    BOOST_TEST(ask(right, {"SET", "k", "v"}).text == "OK");

    options.password = weft::secret_string{"wrong-and-secret"};
    const redis_client wrong{options};
    const std::optional<error> refused = run_blocking(failure_of(wrong, command_of({"PING"})));
    BOOST_REQUIRE(refused);
    BOOST_TEST((refused->code() == errc::store_refused));
    BOOST_TEST(std::string{refused->what()}.find("WRONGPASS") != std::string::npos);
    BOOST_TEST(std::string{refused->what()}.find("secret") == std::string::npos);

    const redis_client none{options};
    const std::optional<error> unnamed = run_blocking(failure_of(none, command_of({"PING"})));
    BOOST_REQUIRE(unnamed);
    BOOST_TEST((unnamed->code() == errc::store_refused));
    BOOST_TEST(std::string{unnamed->what()}.find("check user and password") != std::string::npos);
}

WEFT_REDIS_TEST_CASE(a_database_that_is_not_there_is_refused)
{
    const redis_server server;
    redis_options options = server.options();
    options.database = 99;
    const std::optional<error> refused = run_blocking(failure_of(redis_client{options}, command_of({"PING"})));
    BOOST_REQUIRE(refused);
    BOOST_TEST((refused->code() == errc::store_refused));
}

WEFT_REDIS_TEST_CASE(a_server_that_dies_and_comes_again_is_found_again)
{
    redis_server server;
    redis_options options = server.options();
    options.request_timeout = 300ms;
    run_blocking(kill_and_restart(server, redis_client{options}));
}

WEFT_REDIS_TEST_CASE(a_server_that_dies_in_the_middle_leaves_nobody_waiting)
{
    redis_server server;
    redis_options options = server.options();
    options.request_timeout = 500ms;
    run_blocking(kill_in_the_middle(server, redis_client{options}));
}

WEFT_REDIS_TEST_CASE(a_server_that_stands_still_is_given_up_after_the_request_timeout)
{
    const redis_server server;
    redis_options options = server.options();
    options.request_timeout = 200ms;
    const redis_client client{options};
    BOOST_TEST(ask(client, {"PING"}).text == "PONG");
    server.pause();
    const auto began = std::chrono::steady_clock::now();
    const std::optional<error> slow = run_blocking(failure_of(client, command_of({"SET", "k", "v"})));
    const auto elapsed = std::chrono::steady_clock::now() - began;
    server.go_on();
    BOOST_REQUIRE(slow);
    BOOST_TEST((slow->code() == errc::store_unavailable || slow->code() == errc::store_outcome_unknown));
    BOOST_TEST((elapsed >= 200ms && elapsed < 5s));
    run_blocking(wait_until_served(client));
}

WEFT_REDIS_TEST_CASE(tls_is_spoken_and_the_certificate_checked)
{
    const redis_server server{{.has_tls = true}};
    const redis_client client = server.client();
    run_blocking(many_counters(client, 20, 20));
    BOOST_TEST(ask(client, {"GET", "count"}).text == "400");
    const std::string large(1'000'000, 'x');
    BOOST_TEST(ask(client, {"SET", "k", large}).text == "OK");
    BOOST_TEST((ask(client, {"GET", "k"}).text == large));

    const weft::testing::certificate_authority other;
    redis_options options{"localhost", server.port()};
    options.tls = weft::tls_options{.ca_pem = other.certificate_pem()};
    const std::optional<error> untrusted = run_blocking(failure_of(redis_client{options}, command_of({"PING"})));
    BOOST_REQUIRE(untrusted);
    BOOST_TEST((untrusted->code() == errc::tls_untrusted));

    redis_options plain{"localhost", server.port()};
    plain.request_timeout = 300ms;
    const std::optional<error> unspoken = run_blocking(failure_of(redis_client{plain}, command_of({"PING"})));
    BOOST_REQUIRE(unspoken);
    BOOST_TEST((unspoken->code() == errc::store_unavailable));
}

WEFT_REDIS_TEST_CASE(a_script_survives_that_the_server_forgets_it)
{
    const redis_server server;
    const redis_client client = server.client();
    const weft::redis_script script{"return {KEYS[1], ARGV[1]}"};
    for (int i = 0; i < 3; ++i) {
        const redis_value answer = run_blocking(client.run(script, {"k"}, {"a"}));
        BOOST_REQUIRE(answer.items.size() == 2u);
        BOOST_TEST(answer.items[1].text == "a");
        if (i == 1) ask(client, {"SCRIPT", "FLUSH"});
    }
}

WEFT_REDIS_TEST_CASE(a_full_server_says_so)
{
    const redis_server server{{.arguments = {"--maxmemory", "3mb", "--maxmemory-policy", "noeviction"}}};
    const redis_client client = server.client();
    std::optional<error> full;
    for (int i = 0; i < 50 && !full; ++i)
        full = run_blocking(failure_of(client, command_of({"SET", std::to_string(i), std::string(200'000, 'x')})));
    BOOST_REQUIRE(full);
    BOOST_TEST((full->code() == errc::store_full));
}

BOOST_AUTO_TEST_SUITE_END()
