#include <boost/test/unit_test.hpp>

#include "server_fixture.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>

#include <boost/test/data/test_case.hpp>

#include <boost/asio/local/stream_protocol.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

BOOST_AUTO_TEST_SUITE(http_server_test)

using namespace server_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::http_call;
using weft::http_error;
using weft::http_reply;
using weft::task;

struct answer {
    int status;
    std::string body;
};

task<answer> fetch(weft::http_client client, weft::http_request request)
{
    weft::http_response response = co_await client.send(std::move(request));
    std::string body = co_await response.read_all(64 * 1024 * 1024);
    co_return answer{response.status(), std::move(body)};
}

BOOST_AUTO_TEST_CASE(requests_are_answered_on_one_connection)
{
    test_loop loop;
    running_server running{loop, echo};
    const weft::http_client client;
    for (int i = 0; i < 3; ++i) {
        weft::http_request request{"POST", running.url("/" + std::to_string(i))};
        request.body("hello");
        started got{loop, fetch(client, std::move(request))};
        const answer answered = got.result();
        BOOST_TEST(answered.status == 200);
        BOOST_TEST(answered.body == "POST /" + std::to_string(i) + " hello");
    }
    BOOST_TEST(running.server().counts().accepted == 1u);
    BOOST_TEST(running.server().counts().requests == 3u);
    BOOST_TEST(running.server().counts().idle == 1u);
}

BOOST_DATA_TEST_CASE(bodies_of_every_size_arrive_whole_both_ways,
                     boost::unit_test::data::make({0, 1, 500, 1024, 16'384, 70'000, 3'000'000}), size)
{
    test_loop loop;
    running_server running{loop, echo};
    std::string body(static_cast<std::size_t>(size), 'x');
    for (std::size_t i = 0; i < body.size(); i += 7) body[i] = static_cast<char>('a' + i % 26);
    weft::http_request request{"PUT", running.url()};
    request.body(body);
    started got{loop, fetch(weft::http_client{}, std::move(request))};
    BOOST_TEST((got.result().body == "PUT / " + body));
}

BOOST_AUTO_TEST_CASE(a_body_in_chunks_is_put_together)
{
    test_loop loop;
    running_server running{loop, echo};
    const std::string got = running.exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    BOOST_TEST(got.ends_with("POST / abcde"));
}

BOOST_AUTO_TEST_CASE(requests_that_are_sent_ahead_are_answered_in_order)
{
    test_loop loop;
    running_server running{loop, echo};
    std::string requests;
    for (int i = 0; i < 20; ++i) requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    raw_client client = running.connect();
    client.send(requests);
    const std::string& got = client.read_until("GET /19 ");
    std::size_t at = 0;
    for (int i = 0; i < 20; ++i) {
        const std::size_t found = got.find("GET /" + std::to_string(i) + " ", at);
        BOOST_REQUIRE(found != std::string::npos);
        at = found;
    }
}

BOOST_AUTO_TEST_CASE(an_answer_to_head_has_the_length_and_no_body)
{
    test_loop loop;
    running_server running{loop, echo};
    const std::string got = running.exchange("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    BOOST_TEST(got.find("Content-Length: 8\r\n") != std::string::npos);
    BOOST_TEST(got.ends_with("\r\n\r\n"));
}

BOOST_AUTO_TEST_CASE(a_client_that_waits_for_100_continue_gets_it_when_the_body_is_wanted)
{
    test_loop loop;
    running_server running{loop, echo};
    raw_client client = running.connect();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    client.read_until("HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    client.read_until("POST / abc");
}

BOOST_AUTO_TEST_CASE(a_body_that_is_too_large_is_refused_before_it_is_sent)
{
    test_loop loop;
    running_server running{loop, echo};
    const std::string got = running.exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n");
    BOOST_TEST(got.starts_with("HTTP/1.1 413 "));
    BOOST_TEST(got.find("100 Continue") == std::string::npos);
    BOOST_TEST(got.find("Connection: close\r\n") != std::string::npos);
    BOOST_TEST(got.find("larger than 4194304 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_body_in_chunks_that_grows_too_large_is_refused_and_the_answer_arrives)
{
    test_loop loop;
    weft::http_server_options options;
    options.body_bytes_max = 10'000;
    running_server running{loop, echo, options};
    raw_client client = running.connect();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100 && !client.is_ended(); ++i) client.send("3e8\r\n" + std::string(1000, 'x') + "\r\n");
    const std::string& got = client.read_to_end();
    BOOST_TEST(got.starts_with("HTTP/1.1 413 "));
    BOOST_TEST(!client.was_reset());
}

BOOST_AUTO_TEST_CASE(what_is_no_http_is_refused_as_json_and_the_connection_ends)
{
    test_loop loop;
    running_server running{loop, echo};
    const std::string got = running.exchange("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\nGET /next HTTP/1.1\r\n");
    BOOST_TEST(got.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    BOOST_TEST(got.find("Content-Type: application/json\r\n") != std::string::npos);
    BOOST_TEST(got.ends_with(R"({"error":{"code":"invalid_request",)"
                             R"("message":"there must be one header Host, and there are 2"}})"));
    BOOST_TEST(running.server().counts().refused == 1u);
    BOOST_TEST(running.server().counts().requests == 0u);
}

BOOST_AUTO_TEST_CASE(an_error_of_a_handler_is_told_if_it_is_meant_for_the_client)
{
    test_loop loop;
    std::string told;
    weft::http_server_options options;
    options.on_error = [&told](std::string_view target, std::string_view what) {
        told += std::string{target} + ": " + std::string{what} + '\n';
    };
    const auto handler = [](http_call& call) -> task<void> {
        if (call.path() == "/known") {
            http_error refused{429, "too_many", "wait"};
            refused.header("Retry-After", "3");
            throw refused;
        }
        if (call.path() == "/secret") throw std::runtime_error{"password hunter2"};
        co_return;
    };
    running_server running{loop, handler, options};
    raw_client client = running.connect();
    client.send("GET /known HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string known = client.read_until("wait");
    BOOST_TEST(known.starts_with("HTTP/1.1 429 Too Many Requests\r\n"));
    BOOST_TEST(known.find("Retry-After: 3\r\n") != std::string::npos);
    client.received().clear();
    client.send("GET /secret HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string secret = client.read_until("}}");
    BOOST_TEST(secret.starts_with("HTTP/1.1 500 "));
    BOOST_TEST(secret.find("hunter2") == std::string::npos);
    client.received().clear();
    client.send("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    BOOST_TEST(client.read_until("}}").starts_with("HTTP/1.1 500 "));
    BOOST_TEST(told == "/secret: password hunter2\n/nothing: the handler returned without an answer\n");
}

BOOST_AUTO_TEST_CASE(a_stream_is_sent_piece_by_piece)
{
    test_loop loop;
    weft::signal next;
    const auto handler = [&next](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/event-stream");
        for (int i = 0; i < 3; ++i) {
            co_await next.wait();
            const std::string piece = "data: " + std::to_string(i) + "\n\n";
            co_await call.write(piece);
        }
    };
    running_server running{loop, handler};
    raw_client client = running.connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(client.received().find("data: " + std::to_string(i)) == std::string::npos);
        loop.settle();
        next.notify();
        client.read_until("9\r\ndata: " + std::to_string(i) + "\n\n\r\n");
    }
    client.read_until("0\r\n\r\n");
    // The connection serves the next request, also one that was sent while the stream went on.
    client.received().clear();
    client.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("200 OK");
    client.send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
        loop.settle();
        next.notify();
        client.read_until("data: " + std::to_string(i));
    }
    loop.run_until([&] { return running.server().counts().requests == 3; });
}

BOOST_AUTO_TEST_CASE(a_stream_to_http_1_0_ends_with_the_connection)
{
    test_loop loop;
    const auto handler = [](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/plain");
        co_await call.write("ab");
        co_await call.end_stream("cd");
    };
    running_server running{loop, handler};
    const std::string got = running.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    BOOST_TEST(got.find("chunked") == std::string::npos);
    BOOST_TEST(got.find("Connection: close\r\n") != std::string::npos);
    BOOST_TEST(got.ends_with("\r\n\r\nabcd"));
}

BOOST_AUTO_TEST_CASE(a_handler_may_end_the_connection_with_its_answer)
{
    test_loop loop;
    const auto handler = [](http_call& call) -> task<void> {
        call.close_afterwards();
        co_await call.reply(http_reply{200, "bye"});
    };
    running_server running{loop, handler};
    const std::string got = running.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    BOOST_TEST(got.find("Connection: close\r\n") != std::string::npos);
    BOOST_TEST(got.ends_with("\r\n\r\nbye"));
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_is_cut_so_that_nobody_takes_it_for_whole)
{
    test_loop loop;
    const auto handler = [](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/plain");
        co_await call.write("ab");
        throw std::runtime_error{"broken"};
    };
    running_server running{loop, handler};
    const std::string got = running.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    BOOST_TEST(got.ends_with("2\r\nab\r\n"));
}

/** What became of a handler that waits for ever. */
struct waiting {
    bool has_begun = false;
    bool was_stopped = false;
};

auto wait_for_ever(waiting& seen, bool is_stream)
{
    return [&seen, is_stream](http_call& call) -> task<void> {
        seen.has_begun = true;
        if (is_stream)
            co_await call.start_stream(200, "text/event-stream");
        else
            call.stop_when_gone();
        try {
            co_await weft::sleep_for(1h);
        } catch (const weft::error& e) {
            seen.was_stopped = e.code() == errc::cancelled;
            throw;
        }
    };
}

BOOST_DATA_TEST_CASE(a_handler_is_stopped_when_its_client_goes_away, boost::unit_test::data::make({false, true}),
                     is_stream)
{
    test_loop loop;
    waiting seen;
    running_server running{loop, wait_for_ever(seen, is_stream)};
    raw_client client = running.connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    loop.run_until([&] { return seen.has_begun; });
    client.close();
    loop.run_until([&] { return seen.was_stopped; });
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_DATA_TEST_CASE(a_client_that_does_not_read_stops_the_writer_and_is_given_up,
                     boost::unit_test::data::make({std::size_t{0}, std::size_t{16 * 1024}}), send_buffer_bytes)
{
    hand_clock time;
    test_loop loop{time};
    std::size_t written = 0;
    std::optional<errc> failure;
    const auto handler = [&](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/event-stream");
        const std::string piece(16 * 1024, 'x');
        try {
            for (;; written += piece.size()) co_await call.write(piece);
        } catch (const weft::error& e) {
            failure = e.code();
            throw;
        }
    };
    weft::http_server_options options;
    options.send_buffer_bytes = send_buffer_bytes;
    running_server running{loop, handler, options};
    boost::asio::ip::tcp::socket stalled{loop.context()};
    stalled.open(boost::asio::ip::tcp::v4());
    stalled.set_option(boost::asio::socket_base::receive_buffer_size{4096});
    stalled.connect({boost::asio::ip::address_v4::loopback(), running.port()});
    boost::asio::write(stalled, boost::asio::buffer(std::string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"}));
    std::size_t before = 1;
    for (int calm = 0; calm < 20; ++calm) {
        loop.context().restart();
        loop.context().run_for(5ms);
        if (written != before) calm = 0;
        before = written;
    }
    BOOST_TEST(written < 256u * 1024);  // what the two kernels keep
    BOOST_TEST(!failure);
    loop.advance(31s);
    loop.run_until([&] { return failure.has_value(); });
    BOOST_TEST((failure == errc::send_timeout));
    BOOST_TEST(running.server().counts().open == 0u);
}

struct late_row {
    std::string_view what;
    std::string_view sent;
    std::chrono::seconds just_in_time;
    friend std::ostream& operator<<(std::ostream& out, const late_row& r) { return out << r.what; }
};

BOOST_DATA_TEST_CASE(a_client_that_is_too_slow_is_given_up,
                     boost::unit_test::data::make({
                         late_row{"no request", "", 74s},
                         late_row{"half a head", "GET / HTTP/1.1\r\nHo", 9s},
                         late_row{"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", 4s},
                         late_row{"idle after a request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 74s},
                     }),
                     row)
{
    hand_clock time;
    test_loop loop{time};
    running_server running{loop, echo};
    raw_client client = running.connect();
    client.send(row.sent);
    for (int i = 0; i < 5; ++i) loop.settle();
    loop.run_until([&] { return running.server().counts().open == 1; });
    for (int i = 0; i < 5; ++i) loop.settle();
    loop.advance(row.just_in_time);
    BOOST_TEST(running.server().counts().open == 1u);
    loop.advance(2s);
    client.read_to_end();
    BOOST_TEST(running.server().counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(a_client_that_drips_bytes_does_not_get_more_time_for_its_head)
{
    hand_clock time;
    test_loop loop{time};
    running_server running{loop, echo};
    raw_client client = running.connect();
    const std::string_view head = "GET / HTTP/1.1\r\nHost: x\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    std::size_t sent = 0;
    while (sent < head.size() && !client.is_ended()) {
        client.send(head.substr(sent++, 1));
        for (int i = 0; i < 3; ++i) loop.settle();
        loop.advance(1s);
    }
    client.read_to_end();
    BOOST_TEST(sent <= 12u);
}

BOOST_AUTO_TEST_CASE(a_drain_closes_idle_connections_and_lets_the_others_finish)
{
    test_loop loop;
    weft::signal finish;
    const auto handler = [&finish](http_call& call) -> task<void> {
        if (call.path() == "/slow") co_await finish.wait();
        co_await call.reply(http_reply{200, "done"});
    };
    running_server running{loop, handler};
    raw_client idle = running.connect();
    idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    idle.read_until("done");
    raw_client fresh = running.connect();
    raw_client busy = running.connect();
    busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    loop.run_until([&] { return running.server().counts().requests == 2 && running.server().counts().open == 3; });
    running.server().drain();
    idle.read_to_end();
    fresh.read_to_end();
    BOOST_CHECK_THROW((void)running.connect(), boost::system::system_error);
    BOOST_TEST(!running.is_over());
    finish.notify();
    const std::string& answered = busy.read_to_end();
    BOOST_TEST(answered.find("Connection: close\r\n") != std::string::npos);
    BOOST_TEST(answered.ends_with("done"));
    running.wait_until_over();
}

BOOST_AUTO_TEST_CASE(a_connection_whose_answer_ends_during_a_drain_does_not_become_idle)
{
    hand_clock time;  // stands still: no limit of the drain ends it
    test_loop loop{time};
    weft::signal finish;
    const auto handler = [&finish](http_call& call) -> task<void> {
        // The head says that the connection is kept: it goes out before the drain.
        co_await call.start_stream(200, "text/plain");
        co_await finish.wait();
        co_await call.end_stream("done");
    };
    running_server running{loop, handler};
    raw_client client = running.connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("200 OK");
    running.server().drain();
    finish.notify();
    BOOST_TEST(client.read_to_end().ends_with("\r\n4\r\ndone\r\n0\r\n\r\n"));
    running.wait_until_over();
}

BOOST_AUTO_TEST_CASE(a_drain_ends_after_its_time_whatever_handlers_do)
{
    hand_clock time;
    test_loop loop{time};
    waiting seen;
    running_server running{loop, wait_for_ever(seen, true)};
    raw_client client = running.connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("200 OK");
    running.server().drain();
    loop.advance(4s);
    BOOST_TEST(!running.is_over());
    loop.advance(2s);
    client.read_to_end();
    running.wait_until_over();
}

BOOST_AUTO_TEST_CASE(a_stop_closes_everything_at_once)
{
    test_loop loop;
    waiting seen;
    running_server running{loop, wait_for_ever(seen, true)};
    raw_client streaming = running.connect();
    streaming.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    streaming.read_until("200 OK");
    raw_client idle = running.connect();
    loop.run_until([&] { return running.server().counts().open == 2; });
    running.stop();
    running.wait_until_over();
    streaming.read_to_end();
    idle.read_to_end();
    BOOST_TEST(running.server().counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(a_server_may_be_destroyed_while_its_handlers_wait)
{
    test_loop loop;
    waiting seen;
    std::optional<raw_client> client;
    {
        running_server running{loop, wait_for_ever(seen, true)};
        client.emplace(running.connect());
        client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        client->read_until("200 OK");
    }
    client->read_to_end();
}

BOOST_AUTO_TEST_CASE(beyond_the_limit_the_connection_that_was_idle_longest_makes_room)
{
    test_loop loop;
    weft::http_server_options options;
    options.connections_max = 2;
    running_server running{loop, echo, options};
    raw_client first = running.connect();
    loop.run_until([&] { return running.server().counts().open == 1; });
    raw_client second = running.connect();
    loop.run_until([&] { return running.server().counts().open == 2; });
    raw_client third = running.connect();
    third.send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
    third.read_until("GET /3");
    BOOST_TEST(first.is_ended());
    BOOST_TEST(!second.is_ended());
}

BOOST_AUTO_TEST_CASE(who_comes_while_all_connections_are_at_work_is_told_when_to_come_back)
{
    test_loop loop;
    waiting seen;
    weft::http_server_options options;
    options.connections_max = 2;
    running_server running{loop, wait_for_ever(seen, true), options};
    raw_client first = running.connect();
    first.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    first.read_until("200 OK");
    raw_client second = running.connect();
    second.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
    second.read_until("200 OK");
    for (std::uint64_t i = 1; i <= 3; ++i) {
        raw_client third = running.connect();
        const std::string& refused = third.read_to_end();
        BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
        BOOST_TEST(refused.find("\r\nRetry-After: 1\r\n") != std::string::npos, refused);
        BOOST_TEST(!third.was_reset());
        BOOST_TEST(running.server().counts().turned_away == i);
    }
    BOOST_TEST(!first.is_ended());
    BOOST_TEST(!second.is_ended());
    first.close();
    loop.run_until([&] { return running.server().counts().open == 1; });
    raw_client fourth = running.connect();
    fourth.send("GET /4 HTTP/1.1\r\nHost: x\r\n\r\n");
    fourth.read_until("200 OK");
}

BOOST_AUTO_TEST_CASE(one_address_has_only_so_many_connections)
{
    test_loop loop;
    weft::http_server_options options;
    options.connections_per_peer_max = 2;
    running_server running{loop, echo, options};
    raw_client first = running.connect();
    raw_client second = running.connect();
    loop.run_until([&] { return running.server().counts().open == 2; });
    raw_client third = running.connect();
    third.send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string& refused = third.read_to_end();
    BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
    BOOST_TEST(refused.find("\r\nRetry-After: 1\r\n") != std::string::npos, refused);
    BOOST_TEST(refused.ends_with("your address has as many connections as it may; try again\"}}"), refused);
    BOOST_TEST(running.server().counts().turned_away == 1u);
    first.close();
    loop.run_until([&] { return running.server().counts().open == 1; });
    raw_client fourth = running.connect();
    fourth.send("GET /4 HTTP/1.1\r\nHost: x\r\n\r\n");
    fourth.read_until("GET /4");
}

/** While it is there, this process can open no further file. */
class no_files_left {
public:
    no_files_left()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int next = ::dup(0);  // the lowest number that is free
        ::close(next);
        rlimit none = before_;
        none.rlim_cur = static_cast<rlim_t>(next);
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~no_files_left() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    no_files_left(const no_files_left&) = delete;
    no_files_left& operator=(const no_files_left&) = delete;

private:
    rlimit before_{};
};

BOOST_AUTO_TEST_CASE(a_client_for_which_no_file_is_left_is_told_when_to_come_back)
{
    test_loop loop;
    std::string told;
    weft::http_server_options options;
    options.on_error = [&told](std::string_view where, std::string_view what) { told.append(where).append(what); };
    running_server running{loop, echo, options};
    raw_client first = running.connect();
    loop.run_until([&] { return running.server().counts().open == 1; });
    raw_client second = running.connect();
    std::string refused;
    {
        const no_files_left limit;
        refused = second.read_to_end();
    }
    loop.run_until([&] { return running.server().counts().turned_away == 1; });
    BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
    BOOST_TEST(refused.find("\r\nRetry-After: 1\r\n") != std::string::npos, refused);
    BOOST_TEST(!second.was_reset());
    BOOST_TEST(told.find("ulimit -n") != std::string::npos, told);
    raw_client third = running.connect();
    third.send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
    third.read_until("GET /3");
}

BOOST_AUTO_TEST_CASE(a_head_that_is_held_goes_out_with_the_first_piece_or_the_end)
{
    const auto handler = [](http_call& call) -> task<void> {
        call.begin_stream(200, "text/plain");
        const std::string path{call.path()};
        if (path == "/fails") throw http_error{503, "draining", "not now"};
        if (path == "/flushed") co_await call.flush();
        if (path != "/empty") co_await call.write("first");
        if (path != "/returns") co_await call.end_stream("last");
    };
    test_loop loop;
    running_server running{loop, handler};
    const auto answer_of = [&](const std::string& target, std::string_view method = "GET") {
        return running.exchange(std::string{method} + ' ' + target +
                                " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    };
    for (const std::string target : {"/", "/flushed"})
        BOOST_TEST(answer_of(target).ends_with("\r\n\r\n5\r\nfirst\r\n4\r\nlast\r\n0\r\n\r\n"));
    BOOST_TEST(answer_of("/empty").ends_with("\r\n\r\n4\r\nlast\r\n0\r\n\r\n"));
    BOOST_TEST(answer_of("/returns").ends_with("\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"));
    BOOST_TEST(answer_of("/", "HEAD").ends_with("chunked\r\nConnection: close\r\n\r\n"));
    // The client has seen nothing of the answer that had begun.
    const std::string refused = answer_of("/fails");
    BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
    BOOST_TEST(refused.ends_with("not now\"}}"), refused);
}

BOOST_AUTO_TEST_CASE(a_client_that_sends_ahead_does_not_keep_the_loop_to_itself)
{
    constexpr std::uint64_t count = 400;
    test_loop loop;
    running_server running{loop, echo};
    raw_client client = running.connect();
    std::string ahead;
    for (std::uint64_t i = 0; i < count; ++i) ahead += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    client.send_ahead(ahead);
    std::uint64_t most = 0;
    loop.run_until([&, before = std::uint64_t{0}]() mutable {
        const std::uint64_t now = running.server().counts().requests;
        most = std::max(most, now - std::exchange(before, now));
        return now == count;
    });
    BOOST_TEST(most <= 20u);
    client.read_until("GET /399");
}

BOOST_AUTO_TEST_CASE(accesses_are_told_with_what_they_cost)
{
    test_loop loop;
    std::string log;
    weft::http_server_options options;
    options.on_access = [&log](const weft::http_access& done) {
        log += std::string{done.peer} + ' ' + std::string{done.method} + ' ' + std::string{done.target} + ' ' +
               std::to_string(done.status) + ' ' + std::to_string(done.bytes_in) + ' ' +
               std::to_string(done.bytes_out) + '\n';
    };
    running_server running{loop, echo, options};
    running.exchange("POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
    running.exchange("nonsense\r\n\r\n");
    BOOST_TEST(log == "127.0.0.1 POST /a 200 2 10\n127.0.0.1   400 0 " +
                          log.substr(log.rfind(' ') + 1));
}

BOOST_AUTO_TEST_CASE(a_unix_socket_serves_and_is_removed)
{
    const std::string path = "/tmp/weft-http-server-test-" + std::to_string(::getpid()) + ".sock";
    test_loop loop;
    {
        weft::http_server server{loop.loop(), echo};
        server.listen(weft::listen_address{"unix:" + path});
        started running{loop, server.run()};
        boost::asio::local::stream_protocol::socket client{loop.context()};
        client.connect(boost::asio::local::stream_protocol::endpoint{path});
        boost::asio::write(client, boost::asio::buffer(std::string{"GET /u HTTP/1.0\r\n\r\n"}));
        client.non_blocking(true);
        std::string got;
        loop.run_until([&] {
            char bytes[4096];
            boost::system::error_code code;
            got.append(bytes, client.read_some(boost::asio::buffer(bytes), code));
            return code == boost::asio::error::eof;
        });
        BOOST_TEST(got.ends_with("GET /u "));
    }
    BOOST_TEST(::access(path.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(an_address_in_use_is_an_error_that_says_what_to_do)
{
    test_loop loop;
    weft::http_server first{loop.loop(), echo};
    const weft::listen_address at = first.listen(weft::listen_address{"127.0.0.1:0"});
    weft::http_server second{loop.loop(), echo};
    BOOST_CHECK_EXCEPTION(second.listen(at), weft::error, [&](const weft::error& e) {
        const std::string_view what = e.what();
        return e.code() == errc::listen_failed && what.find(at.to_string()) != std::string_view::npos &&
               what.find("another process listens there") != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(servers_of_several_loops_share_a_port)
{
    test_loop loop;
    weft::http_server first{loop.loop(), echo};
    const weft::listen_address at = first.listen(weft::listen_address{"127.0.0.1:0"}.shared());
    weft::http_server second{loop.loop(), echo};
    BOOST_CHECK_NO_THROW(second.listen(at));
}

BOOST_AUTO_TEST_CASE(a_server_may_go_before_its_loop_while_it_runs)
{
    boost::asio::io_context context{1};
    weft::http_server server{weft::serial_loop::of(context), echo};
    server.listen(weft::listen_address{"127.0.0.1:0"});
    weft::async_start(server.loop(), server.run(), [](std::exception_ptr) {});
    // As a program that stops its context: the loop destroys what ran on it when the server is gone.
    BOOST_TEST(context.poll() > 0u);
}

BOOST_AUTO_TEST_CASE(options_out_of_range_are_all_named)
{
    test_loop loop;
    weft::http_server_options options;
    options.connections_max = 0;
    options.timeouts.head = 0s;
    BOOST_CHECK_EXCEPTION((weft::http_server{loop.loop(), echo, options}), weft::error, [](const weft::error& e) {
        const std::string_view what = e.what();
        return e.code() == errc::invalid_configuration && what.find("connections_max") != std::string_view::npos &&
               what.find("timeouts") != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
