#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/test/data/test_case.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(http_client_cancel_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::http_client;
using weft::http_request;
using weft::http_response;
using weft::http_timeouts;
using weft::url;
namespace asio = boost::asio;

const auto secure_or_not = boost::unit_test::data::make({false, true});

/** A port whose backlog is full: the system answers no further connection attempt. */
class deaf_port {
public:
    deaf_port()
    {
        listener_.open(asio::ip::tcp::v4());
        listener_.bind({asio::ip::address_v4::loopback(), 0});
        listener_.listen(0);
        only_guest_.connect(listener_.local_endpoint());
    }
    [[nodiscard]] weft::url url() const
    {
        return weft::url{"http://127.0.0.1:" + std::to_string(listener_.local_endpoint().port())};
    }

private:
    asio::io_context io_;
    asio::ip::tcp::acceptor listener_{io_};
    asio::ip::tcp::socket only_guest_{io_};
};

/** The ways in which a request is given up. */
enum class ending { stop, destroy };
std::ostream& operator<<(std::ostream& out, ending e) { return out << (e == ending::stop ? "stop" : "destroy"); }
const auto endings = boost::unit_test::data::make({ending::stop, ending::destroy});

template <class T>
void end(started<T>& work, ending how)
{
    if (how == ending::destroy) return work.destroy();
    work.stop();
    BOOST_TEST((work.failure().code() == errc::cancelled));
}

/** Ends a request while it waits for `peer`, which has let us know that the moment has come. */
void check_that_the_peer_notices(tls_peer& peer, const std::atomic<bool>& is_reached, ending how,
                                 std::size_t body_size = 0)
{
    test_loop loop;
    const http_client client = trusting_client();
    http_request request{"POST", peer.url()};
    request.body(std::string(body_size, 'x'));
    started fetched{loop, fetch(client, std::move(request))};
    loop.run_until([&] { return is_reached.load(); });
    loop.settle();
    BOOST_TEST(!fetched.is_done());
    end(fetched, how);
    loop.settle();
    peer.wait_until_done(1);
    BOOST_TEST(client.counts().open == 0u);
    BOOST_TEST(client.counts().idle == 0u);
}

void reach(std::atomic<bool>& moment) { moment = true; }

BOOST_DATA_TEST_CASE(X_2_while_the_host_is_looked_up_the_wait_ends_at_once, endings, how)
{
    test_loop loop;
    const http_client client = trusting_client();
    started fetched{loop, fetch(client, url{"https://no-such-host.invalid/"})};
    BOOST_TEST(!fetched.is_done());  // the loop has not run since: what the system found is not known here
    end(fetched, how);
    loop.settle();
    BOOST_TEST(client.counts().opened == 0u);
}

BOOST_DATA_TEST_CASE(X_2_while_connecting_it_ends_at_once, endings, how)
{
    const deaf_port port;
    test_loop loop;
    const http_client client = trusting_client();
    started fetched{loop, fetch(client, port.url())};
    loop.settle();
    BOOST_TEST(!fetched.is_done());
    end(fetched, how);
    loop.settle();
    BOOST_TEST(client.counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_never_accepted_is_a_connect_timeout)
{
    const deaf_port port;
    hand_clock time;
    test_loop loop{time};
    const http_client client{trusting({.timeouts = {.connect = 5s}})};
    started fetched{loop, fetch(client, port.url())};
    loop.advance(4s);
    BOOST_TEST(!fetched.is_done());
    loop.advance(1s);
    const weft::error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::connect_timeout));
    BOOST_TEST(failure.detail().find("127.0.0.1: no answer") != std::string::npos);
}

BOOST_DATA_TEST_CASE(X_2_while_shaking_hands_the_socket_is_closed, endings, how)
{
    std::atomic<bool> is_reached{false};
    tls_peer_options options = secure();
    options.shakes_hands = false;
    tls_peer peer{options, [&](peer_connection& connection) {
                      reach(is_reached);
                      connection.wait_until_closed();
                  }};
    check_that_the_peer_notices(peer, is_reached, how);
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_socket_of_a_tls_stream_before_the_loop_turns)
{
    std::atomic<bool> is_reached{false};
    std::atomic<bool> is_closed{false};
    tls_peer peer{secure(), [&](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(chunked_head() + chunk_of("data: 1\n\n"));
                      reach(is_reached);
                      connection.wait_until_closed();
                      is_closed = true;
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    started fetched{loop, fetch(client, peer.url())};
    loop.run_until([&] { return is_reached.load(); });
    loop.settle();
    fetched.stop();
    peer.wait_until_done(1);
    BOOST_TEST(is_closed);
    BOOST_TEST(!fetched.is_done());
    BOOST_TEST((fetched.failure().code() == errc::cancelled));
}

BOOST_DATA_TEST_CASE(X_2_while_sending_the_socket_is_closed, secure_or_not* endings, is_secure, how)
{
    std::atomic<bool> is_reached{false};
    std::atomic<bool> may_read{false};
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      reach(is_reached);
                      may_read.wait(false);
                      connection.wait_until_closed();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    http_request request{"POST", peer.url()};
    request.body(std::string(64 * 1024 * 1024, 'x'));
    started fetched{loop, fetch(client, std::move(request))};
    loop.run_until([&] { return is_reached.load(); });
    loop.settle();
    BOOST_TEST(!fetched.is_done());
    end(fetched, how);
    loop.settle();
    BOOST_TEST(client.counts().open == 0u);
    may_read = true;
    may_read.notify_all();
    peer.wait_until_done(1);
}

BOOST_DATA_TEST_CASE(X_2_while_waiting_for_the_response_the_socket_is_closed, secure_or_not* endings, is_secure, how)
{
    std::atomic<bool> is_reached{false};
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      (void)connection.read_request();
                      reach(is_reached);
                      connection.wait_until_closed();
                  }};
    check_that_the_peer_notices(peer, is_reached, how, 10);
}

BOOST_DATA_TEST_CASE(X_2_while_reading_the_body_the_socket_is_closed, secure_or_not* endings, is_secure, how)
{
    tls_peer peer{with_tls(is_secure), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(chunked_head() + chunk_of("data: 1\n\n"));
                      connection.wait_until_closed();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    std::optional<http_response> response = sent.result();
    started first{loop, response->read_some()};
    BOOST_TEST(first.result() == "data: 1\n\n");
    {
        started second{loop, response->read_some()};
        loop.settle();
        BOOST_TEST(!second.is_done());
        end(second, how);
    }
    if (how == ending::destroy) response.reset();  // a coroutine takes its response along
    loop.settle();
    BOOST_TEST(client.counts().open == 0u);
    peer.wait_until_done(1);
}

BOOST_DATA_TEST_CASE(X_2_while_standing_in_line_the_place_is_left, endings, how)
{
    tls_peer peer{echo};
    test_loop loop;
    const http_client client{trusting({.connections_max = 1})};
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    std::optional<http_response> first = sent.result();
    started second{loop, fetch(client, peer.url())};
    started third{loop, fetch(client, peer.url())};
    end(second, how);
    first.reset();
    BOOST_TEST(third.result().status == 200);
    BOOST_TEST(client.counts().opened == 2u);
}

weft::task<void> expect_nothing_is_sent(http_client client, url target, errc& code)
{
    try {
        const http_response response = co_await client.send(http_request{"GET", std::move(target)});
    } catch (const weft::error& e) {
        code = e.code();
    }
}

/** Runs a task in a context of its own to its end. */
template <class T>
void run_in(test_loop& loop, const weft::task_context& context, weft::task<T>& work)
{
    bool has_ended = false;
    const auto note_end = [](void* ended) { *static_cast<bool*>(ended) = true; };
    has_ended = work.start(context, note_end, &has_ended) || has_ended;
    loop.run_until([&has_ended] { return has_ended; });
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nothing_is_sent)
{
    tls_peer peer{echo};
    test_loop loop;
    const http_client client = trusting_client();
    weft::stop_scope scope;
    scope.request_stop();
    const weft::task_context context{&loop.loop(), &scope};
    errc code{};
    weft::task<void> work = expect_nothing_is_sent(client, peer.url("/", "127.0.0.1"), code);
    run_in(loop, context, work);
    BOOST_TEST((code == errc::cancelled));
    BOOST_TEST(peer.connections() == 0);
    BOOST_TEST(client.counts().opened == 0u);
}

BOOST_AUTO_TEST_CASE(a_stop_between_two_reads_ends_the_next_one)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(chunked_head() + chunk_of("data: 1\n\n"));
        connection.wait_until_closed();
    }};
    test_loop loop;
    const http_client client = trusting_client();
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    http_response response = sent.result();
    weft::stop_scope scope;
    const weft::task_context context{&loop.loop(), &scope};
    scope.request_stop();
    weft::task<std::string> work = response.read_all(100);
    run_in(loop, context, work);
    BOOST_CHECK_EXCEPTION(work.take(), weft::error,
                          [](const weft::error& e) { return e.code() == errc::cancelled; });
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(destroying_a_request_after_each_step_of_its_loop_leaks_nothing)
{
    tls_peer peer{secure(), echo};
    for (int steps = 0; steps < 40; ++steps) {
        test_loop loop;
        const http_client client = trusting_client();
        {
            http_request request{"POST", peer.url("/", "127.0.0.1")};
            request.body("hello");
            started fetched{loop, fetch(client, std::move(request))};
            for (int i = 0; i < steps && !fetched.is_done(); ++i) loop.context().run_one_for(100ms);
        }
        loop.settle();
        BOOST_TEST(client.counts().open == client.counts().idle);
    }
}

BOOST_AUTO_TEST_SUITE_END()
