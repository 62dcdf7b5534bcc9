#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <weft/async/run_blocking.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/test/data/test_case.hpp>

#include <optional>
#include <thread>

BOOST_AUTO_TEST_SUITE(http_client_test)

using weft::errc;
using weft::http_client;
using weft::http_request;
using weft::http_response;
using weft::secret_string;
using weft::task;
using weft::url;

using namespace http_fixture;

answer get(const http_client& client, const url& target)
{
    return weft::run_blocking(fetch(client, target));
}

BOOST_AUTO_TEST_CASE(a_request_over_tcp_is_answered)
{
    tls_peer peer{echo};
    const answer got = get(trusting_client(), peer.url("/models?x=1"));
    BOOST_TEST(got.status == 200);
    BOOST_TEST(got.body == "GET /models?x=1 HTTP/1.1\r\nHost: localhost:" + std::to_string(peer.port()) +
                               "\r\nUser-Agent: weft/0.1\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_request_over_tls_is_answered)
{
    tls_peer peer{secure(), echo};
    const answer got = get(trusting_client(), peer.url("/v1"));
    BOOST_TEST(got.status == 200);
    BOOST_TEST(got.body.starts_with("GET /v1 HTTP/1.1\r\n"));
}

BOOST_AUTO_TEST_CASE(a_request_over_ipv6_is_answered)
{
    tls_peer peer{{.listens_on_ipv6 = true}, echo};
    BOOST_TEST(get(trusting_client(), peer.url("/", "[::1]")).status == 200);
}

BOOST_DATA_TEST_CASE(bodies_of_every_size_arrive_whole,
                     boost::unit_test::data::make({0, 1, 100, 16'000, 16'384, 20'000, 1'000'000}), size)
{
    for (const bool is_secure : {false, true}) {
        tls_peer peer{with_tls(is_secure), echo};
        std::string body(static_cast<std::size_t>(size), 'x');
        if (size > 0) body.back() = 'y';
        http_request request{"POST", peer.url()};
        request.bearer(secret_string{"sk-TEST"}).body(body, "application/json");
        const answer got = weft::run_blocking(fetch(trusting_client(), std::move(request)));
        BOOST_TEST(got.body.ends_with("\r\n\r\n" + body));
        BOOST_TEST(got.body.find("Authorization: Bearer sk-TEST\r\n") != std::string::npos);
        BOOST_TEST(got.body.find("Content-Length: " + std::to_string(size) + "\r\n") != std::string::npos);
    }
}

task<std::vector<std::string>> pieces_of(http_client client, http_request request, std::function<void()> on_piece)
{
    http_response response = co_await client.send(std::move(request));
    std::vector<std::string> pieces;
    for (;;) {
        const std::string_view piece = co_await response.read_some();
        if (piece.empty()) break;
        pieces.emplace_back(piece);
        on_piece();
    }
    co_return pieces;
}

BOOST_DATA_TEST_CASE(each_chunk_is_given_out_as_soon_as_it_arrives, boost::unit_test::data::make({false, true}),
                     is_secure)
{
    std::atomic<int> received{0};
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(chunked_head());
                      for (int i = 0; i < 5; ++i) {
                          connection.write(chunk_of("data: " + std::to_string(i) + "\n\n"));
                          received.wait(i);  // the next one only when the client has this one
                      }
                      connection.write("0\r\n\r\n");
                  }};
    const auto pieces = weft::run_blocking(pieces_of(trusting_client(), http_request{"GET", peer.url()}, [&] {
        ++received;
        received.notify_all();
    }));
    const std::vector<std::string> expected = {"data: 0\n\n", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n",
                                               "data: 4\n\n"};
    BOOST_TEST(pieces == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chunks_that_arrive_together_are_given_out_together)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        std::string all = chunked_head();
        for (int i = 0; i < 10; ++i) all += chunk_of("data: x\n\n");
        connection.write(all + "0\r\n\r\n");
    }};
    const auto pieces = weft::run_blocking(pieces_of(trusting_client(), http_request{"GET", peer.url()}, [] {}));
    BOOST_TEST(pieces.size() == 1u);
    BOOST_TEST(pieces.at(0).size() == 90u);
}

BOOST_AUTO_TEST_CASE(interim_responses_are_skipped)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 100 Continue\r\n\r\n");
        connection.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + response_of("late"));
    }};
    BOOST_TEST(get(trusting_client(), peer.url()).body == "late");
}

BOOST_AUTO_TEST_CASE(a_redirect_is_a_response_and_not_followed)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 307 T\r\nLocation: http://localhost/other\r\nContent-Length: 0\r\n\r\n");
        (void)connection.read_request();
        BOOST_ERROR("a second request came");
    }};
    BOOST_TEST(get(trusting_client(), peer.url()).status == 307);
    BOOST_TEST(peer.connections() == 1);
}

BOOST_AUTO_TEST_CASE(error_statuses_are_responses)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 429 Too Many\r\nRetry-After: 2\r\nContent-Length: 2\r\n\r\n{}");
    }};
    const answer got = get(trusting_client(), peer.url());
    BOOST_TEST(got.status == 429);
    BOOST_TEST(got.body == "{}");
}

BOOST_AUTO_TEST_CASE(answers_to_head_have_no_body_whatever_their_length_says)
{
    tls_peer peer{[](peer_connection& connection) {
        for (;;) {
            (void)connection.read_request();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
        }
    }};
    const http_client client = trusting_client();
    BOOST_TEST(weft::run_blocking(fetch(client, http_request{"HEAD", peer.url()})).body == "");
}

BOOST_AUTO_TEST_CASE(a_body_that_ends_with_the_stream_is_complete_after_a_proper_goodbye)
{
    for (const bool is_secure : {false, true}) {
        tls_peer peer{with_tls(is_secure), [](peer_connection& connection) {
                          (void)connection.read_request();
                          connection.write("HTTP/1.1 200 OK\r\n\r\nall of it");
                          connection.close();
                      }};
        BOOST_TEST(get(trusting_client(), peer.url()).body == "all of it");
    }
}

task<std::string> first_bytes(http_client client, http_request request, std::size_t bytes_max)
{
    http_response response = co_await client.send(std::move(request));
    std::string begin = co_await response.read_at_most(bytes_max);
    std::string next = co_await response.read_at_most(3);
    co_return begin + '|' + next;
}

BOOST_AUTO_TEST_CASE(a_part_of_a_body_can_be_read)
{
    tls_peer peer{echo};
    http_request request{"POST", peer.url()};
    BOOST_TEST(weft::run_blocking(first_bytes(trusting_client(), std::move(request), 4)) == "POST| / ");
}

BOOST_AUTO_TEST_CASE(the_head_is_there_before_the_body)
{
    std::atomic<bool> head_is_there{false};
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 200 Fine\r\nX-Request-Id: r-1\r\nContent-Length: 2\r\n\r\n");
        head_is_there.wait(false);
        connection.write("hi");
    }};
    test_loop loop;
    const http_client client = trusting_client();
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    http_response response = sent.result();
    BOOST_TEST(response.head().reason == "Fine");
    BOOST_TEST(response.head().headers.find("x-request-id").value() == "r-1");
    BOOST_TEST(!response.is_complete());
    head_is_there = true;
    head_is_there.notify_all();
    started rest{loop, response.read_all(10)};
    BOOST_TEST(rest.result() == "hi");
    BOOST_TEST(response.is_complete());
}

BOOST_AUTO_TEST_CASE(one_client_serves_one_loop_after_the_other)
{
    tls_peer peer{secure(), echo};
    const http_client client = trusting_client();
    for (int i = 0; i < 3; ++i) BOOST_TEST(get(client, peer.url()).status == 200);
    BOOST_TEST(client.counts().opened == 3u);
    BOOST_TEST(client.counts().open == 0u);  // each loop took its connection along
}

BOOST_AUTO_TEST_CASE(one_client_serves_several_loops_at_the_same_time)
{
    tls_peer peer{secure(), echo};
    const http_client client = trusting_client();
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 5; ++k) answered += get(client, peer.url()).status == 200;
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(answered == 20);
    BOOST_TEST(client.counts().opened == 20u);
    BOOST_TEST(client.counts().open == 0u);
}

/** As `fetch`, without a copy of the client that would keep it. */
task<int> fetch_status(const http_client* client, url target)
{
    http_response response = co_await client->send(http_request{"GET", std::move(target)});
    const std::string body = co_await response.read_all(1000);
    co_return body.empty() ? 0 : response.status();
}

BOOST_AUTO_TEST_CASE(a_client_may_go_while_its_loops_run_elsewhere)
{
    tls_peer peer{echo};
    for (int round = 0; round < 10; ++round) {
        std::optional<http_client> client = trusting_client();
        boost::asio::io_context io{1};
        auto keep_running = boost::asio::make_work_guard(io);
        std::atomic<bool> is_done{false};
        std::thread runner{[&, url = peer.url()] {
            weft::stop_scope scope;
            const weft::task_context context{&weft::serial_loop::of(io), &scope};
            task<int> work = fetch_status(&*client, url);
            (void)work.start(context, [](void* done) {
                *static_cast<std::atomic<bool>*>(done) = true;
                static_cast<std::atomic<bool>*>(done)->notify_all();
            }, &is_done);
            io.run();
            BOOST_TEST(work.take() == 200);
        }};
        is_done.wait(false);
        client.reset();
        peer.wait_until_done(round + 1);  // the loop over there has closed the unused connection
        keep_running.reset();
        io.stop();
        runner.join();
    }
}

BOOST_AUTO_TEST_CASE(a_secret_goes_to_other_machines_over_tls_only)
{
    http_request request{"GET", url{"http://api.example.com/"}};
    request.bearer(secret_string{"sk-TEST-0123456789abcdef"});
    test_loop loop;
    const http_client client = trusting_client();
    started sent{loop, client.send(std::move(request))};
    const weft::error failure = sent.failure();
    BOOST_TEST((failure.code() == errc::invalid_configuration));
    BOOST_TEST(failure.where() == "api.example.com:80");
    BOOST_TEST(std::string_view{failure.what()}.find("sk-TEST") == std::string_view::npos);
}

BOOST_AUTO_TEST_SUITE_END()
