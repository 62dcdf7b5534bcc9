#include <boost/test/unit_test.hpp>

#include "client_frames.hpp"
#include "server_fixture.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>

#include <boost/asio/read.hpp>
#include <boost/test/data/test_case.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(websocket_session_test)

using namespace server_fixture;
using namespace std::chrono_literals;
using client_frames::server_frame;
using client_frames::websocket_opcode;
using weft::errc;
using weft::http_call;
using weft::task;
using weft::websocket_session;

constexpr std::string_view handshake =
    "GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** A client whose handshake is done. */
class socket_client {
public:
    socket_client(test_loop& where, running_server& running) : where_{where}, raw_{running.connect()}
    {
        raw_.send(handshake);
        raw_.read_until("\r\n\r\n");
        BOOST_TEST_REQUIRE(raw_.received().starts_with("HTTP/1.1 101 Switching Protocols\r\n"), raw_.received());
        head_ = raw_.received().substr(0, raw_.received().find("\r\n\r\n") + 4);
        raw_.received().erase(0, head_.size());
    }
    [[nodiscard]] raw_client& raw() { return raw_; }
    [[nodiscard]] const std::string& head() const { return head_; }
    void send(std::string_view bytes) { raw_.send(bytes); }

    server_frame next()
    {
        std::optional<server_frame> frame;
        where_.run_until([&] { return (void)raw_.is_ended(), (frame = client_frames::take_frame(raw_.received())); });
        return *frame;
    }
    std::string next_text()
    {
        const server_frame frame = next();
        BOOST_TEST((frame.opcode == websocket_opcode::text));
        return frame.payload;
    }
    /** The code of the close that must come next, after which the server ends the connection. */
    unsigned next_close()
    {
        const server_frame frame = next();
        BOOST_TEST((frame.opcode == websocket_opcode::close));
        return frame.code();
    }

private:
    test_loop& where_;
    raw_client raw_;
    std::string head_;
};

/** What a handler has seen. */
struct seen_by_handler {
    std::string messages;
    unsigned code = 0;
    bool is_over = false;
    bool was_stopped = false;
    std::optional<errc> failure;
};

auto echo_to(seen_by_handler& seen, weft::websocket_options options = weft::websocket_options{})
{
    return [&seen, options](http_call& call) -> task<void> {
        weft::websocket_options with = options;
        websocket_session session = co_await call.accept_websocket(std::move(with));
        for (;;) {
            std::optional<std::string> message;
            try {
                message = co_await session.receive();
            } catch (const weft::error& e) {
                seen.was_stopped = e.code() == errc::cancelled;
                throw;
            }
            if (!message) break;
            seen.messages += *message + '\n';
            std::string answer = "got " + *message;
            co_await session.send(std::move(answer));
        }
        seen.code = session.close_code();
        seen.is_over = true;
    };
}

BOOST_AUTO_TEST_CASE(messages_go_both_ways_and_a_close_is_answered)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    BOOST_TEST(client.head().find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n") != std::string::npos);
    BOOST_TEST(client.head().find("Content-Length") == std::string::npos);
    BOOST_TEST(client.head().find("chunked") == std::string::npos);
    client.send(client_frames::text_frame("one"));
    BOOST_TEST(client.next_text() == "got one");
    client.send(client_frames::text_frame("two") + client_frames::text_frame("three"));
    BOOST_TEST(client.next_text() == "got two");
    BOOST_TEST(client.next_text() == "got three");
    client.send(client_frames::close_frame(4001, "enough"));
    BOOST_TEST(client.next_close() == 4001u);
    client.raw().read_to_end();
    loop.run_until([&] { return running.server().counts().open == 0; });
    BOOST_TEST(seen.code == 4001u);
}

BOOST_AUTO_TEST_CASE(what_comes_with_the_handshake_is_not_lost)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    raw_client client = running.connect();
    client.send(std::string{handshake} + client_frames::text_frame("early"));
    client.read_until("got early");
}

BOOST_AUTO_TEST_CASE(bytes_that_drip_in_make_the_same_messages)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    for (const char byte : client_frames::text_frame("drop by drop")) client.send({&byte, 1});
    BOOST_TEST(client.next_text() == "got drop by drop");
}

BOOST_AUTO_TEST_CASE(large_messages_arrive_whole_both_ways)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    const std::string large(1024 * 1024, 'm');
    client.send(client_frames::text_frame(large));
    BOOST_TEST((client.next_text() == "got " + large));
}

BOOST_AUTO_TEST_CASE(a_ping_is_answered_while_the_handler_is_busy)
{
    test_loop loop;
    weft::signal finish;
    const auto handler = [&finish](http_call& call) -> task<void> {
        (void)co_await call.accept_websocket();
        co_await finish.wait();
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    client.send(client_frames::ping_frame("hear me"));
    const server_frame answer = client.next();
    BOOST_TEST((answer.opcode == websocket_opcode::pong));
    BOOST_TEST(answer.payload == "hear me");
    finish.notify();
    BOOST_TEST(client.next_close() == 1000u);
    client.send(client_frames::close_frame(1000));
    client.raw().read_to_end();
}

struct broken_row {
    std::string_view what;
    std::string sent;
    unsigned code;
    friend std::ostream& operator<<(std::ostream& out, const broken_row& row) { return out << row.what; }
};

BOOST_DATA_TEST_CASE(a_client_that_breaks_the_protocol_is_told_the_code,
                     boost::unit_test::data::make({
                         broken_row{"no mask", client_frames::masked(1, "a", {.is_masked = false}), 1002},
                         broken_row{"binary", client_frames::masked(2, "a"), 1003},
                         broken_row{"no UTF-8", client_frames::text_frame("\xff"), 1007},
                         broken_row{"too large", client_frames::text_frame(std::string(1024 * 1024 + 1, 'x')), 1009},
                     }),
                     row)
{
    hand_clock time;  // no grace of the close passes
    test_loop loop{time};
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    // What follows the mistake must not cost the client the reason.
    client.send(row.sent + std::string(100'000, 'x'));
    BOOST_TEST(client.next_close() == row.code);
    loop.run_until([&] { return seen.is_over; });
    BOOST_TEST(seen.code == row.code);
    BOOST_TEST(seen.messages.empty());
    client.raw().read_to_end();  // a client waits for the server to end the connection
    BOOST_TEST(!client.raw().was_reset());
    client.raw().close();
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_AUTO_TEST_CASE(a_client_that_reads_late_still_learns_why_it_was_closed)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    boost::asio::ip::tcp::socket client{loop.context()};
    client.connect({boost::asio::ip::address_v4::loopback(), running.port()});
    client.non_blocking(true);
    const std::string all = std::string{handshake} + client_frames::masked(2, "a") + std::string(100'000, 'x');
    std::size_t sent = 0;
    loop.run_until([&] {
        boost::system::error_code code;
        sent += client.write_some(boost::asio::buffer(all.data() + sent, all.size() - sent), code);
        return sent == all.size();
    });
    loop.run_until([&] { return seen.is_over; });
    for (int i = 0; i < 20; ++i) loop.settle();
    client.shutdown(boost::asio::ip::tcp::socket::shutdown_send);
    loop.run_until([&] { return running.server().counts().open == 0; });
    // Only now it reads: what the server sent must not have been thrown away by a reset.
    client.non_blocking(false);
    std::string got;
    boost::system::error_code code;
    boost::asio::read(client, boost::asio::dynamic_buffer(got), code);
    BOOST_TEST((code == boost::asio::error::eof), code.message());
    got.erase(0, got.find("\r\n\r\n") + 4);
    const std::optional<server_frame> frame = client_frames::take_frame(got);
    BOOST_TEST_REQUIRE(frame.has_value());
    BOOST_TEST(frame->code() == 1003u);
}

BOOST_AUTO_TEST_CASE(the_server_closes_with_what_the_handler_says)
{
    hand_clock time;  // no grace of the close passes
    test_loop loop{time};
    const auto handler = [](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        co_await session.send("last words");
        session.close(4404, "no such thread");
        BOOST_TEST(!session.is_open());
        const std::optional<std::string> none = co_await session.receive();
        BOOST_TEST(!none);
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    BOOST_TEST(client.next_text() == "last words");
    const server_frame frame = client.next();
    BOOST_TEST(frame.code() == 4404u);
    BOOST_TEST(frame.payload.substr(2) == "no such thread");
    // What the client said before it knew is passed over.
    client.send(client_frames::text_frame("too late") + client_frames::text_frame("and more") +
                client_frames::close_frame(4404));
    client.raw().read_to_end();
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_answer_a_close_is_left)
{
    hand_clock time;
    test_loop loop{time};
    const auto handler = [](http_call& call) -> task<void> { (void)co_await call.accept_websocket(); };
    running_server running{loop, handler};
    socket_client client{loop, running};
    BOOST_TEST(client.next_close() == 1000u);
    for (int i = 0; i < 5; ++i) loop.settle();
    loop.advance(1s);
    BOOST_TEST(running.server().counts().open == 1u);
    loop.advance(2s);
    client.raw().read_to_end();
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_AUTO_TEST_CASE(a_handler_that_fails_closes_with_1011_and_tells_the_client_nothing)
{
    test_loop loop;
    std::string told;
    weft::http_server_options options;
    options.on_error = [&told](std::string_view, std::string_view what) { told += what; };
    const auto handler = [](http_call& call) -> task<void> {
        (void)co_await call.accept_websocket();
        throw std::runtime_error{"password hunter2"};
    };
    running_server running{loop, handler, options};
    socket_client client{loop, running};
    const server_frame frame = client.next();
    BOOST_TEST(frame.code() == 1011u);
    BOOST_TEST(frame.payload.size() == 2u);
    BOOST_TEST(told == "password hunter2");
}

BOOST_AUTO_TEST_CASE(a_client_that_vanishes_ends_the_conversation)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    client.send(client_frames::text_frame("one"));
    BOOST_TEST(client.next_text() == "got one");
    client.raw().close();
    loop.run_until([&] { return running.server().counts().open == 0; });
    BOOST_TEST((seen.is_over || seen.was_stopped));
}

BOOST_AUTO_TEST_CASE(a_handler_that_waits_for_something_else_is_stopped_when_the_client_vanishes)
{
    test_loop loop;
    bool was_stopped = false;
    const auto handler = [&was_stopped](http_call& call) -> task<void> {
        (void)co_await call.accept_websocket();
        try {
            co_await weft::sleep_for(1h);
        } catch (const weft::error& e) {
            was_stopped = e.code() == errc::cancelled;
            throw;
        }
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    client.raw().close();
    loop.run_until([&] { return was_stopped; });
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_AUTO_TEST_CASE(a_handler_that_misses_the_end_is_stopped_after_two_periods)
{
    hand_clock time;
    test_loop loop{time};
    bool was_stopped = false;
    const auto handler = [&was_stopped](http_call& call) -> task<void> {
        (void)co_await call.accept_websocket();
        try {
            co_await weft::sleep_for(1h);
        } catch (const weft::error& e) {
            was_stopped = e.code() == errc::cancelled;
            throw;
        }
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    client.send(client_frames::close_frame(1000));
    BOOST_TEST(client.next_close() == 1000u);
    loop.advance(21s);
    BOOST_TEST(!was_stopped);
    loop.advance(21s);
    loop.run_until([&] { return was_stopped; });
}

BOOST_AUTO_TEST_CASE(pings_are_sent_and_a_client_that_answers_stays)
{
    hand_clock time;
    test_loop loop{time};
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    for (int i = 0; i < 10; ++i) {  // far beyond the idle deadline of HTTP
        loop.advance(20s);
        const server_frame ping = client.next();
        BOOST_TEST((ping.opcode == websocket_opcode::ping));
        client.send(client_frames::pong_frame(ping.payload));
        for (int turn = 0; turn < 5; ++turn) loop.settle();
    }
    BOOST_TEST(running.server().counts().open == 1u);
    BOOST_TEST(!seen.is_over);
    client.send(client_frames::text_frame("still here"));
    BOOST_TEST(client.next_text() == "got still here");
}

BOOST_AUTO_TEST_CASE(a_client_that_shows_no_sign_of_life_is_given_up)
{
    hand_clock time;
    test_loop loop{time};
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    loop.advance(20s);
    BOOST_TEST((client.next().opcode == websocket_opcode::ping));
    loop.advance(19s);
    BOOST_TEST(running.server().counts().open == 1u);
    loop.advance(2s);
    client.raw().read_to_end();
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_AUTO_TEST_CASE(a_client_is_not_given_up_while_its_message_waits_for_the_handler)
{
    hand_clock time;
    test_loop loop{time};
    weft::signal go_on;
    std::string got;
    const auto handler = [&](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        co_await go_on.wait();
        for (int i = 0; i < 2; ++i) got += (co_await session.receive()).value_or("nothing") + ' ';
        co_await go_on.wait();
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    client.send(client_frames::text_frame("one") + client_frames::text_frame("two"));
    for (int i = 0; i < 5; ++i) loop.settle();
    for (int i = 0; i < 4; ++i) loop.advance(20s);
    BOOST_TEST(running.server().counts().open == 1u);
    go_on.notify();
    loop.run_until([&] { return got == "one two "; });
    loop.advance(20s);
    BOOST_TEST(running.server().counts().open == 1u);
}

BOOST_AUTO_TEST_CASE(one_message_is_read_ahead_and_no_more)
{
    test_loop loop;
    weft::signal go_on;
    std::size_t received = 0;
    const auto handler = [&](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        co_await go_on.wait();
        for (;;) {
            const std::optional<std::string> message = co_await session.receive();
            if (!message) co_return;
            ++received;
        }
    };
    running_server running{loop, handler};
    boost::asio::ip::tcp::socket fast{loop.context()};
    fast.open(boost::asio::ip::tcp::v4());
    fast.set_option(boost::asio::socket_base::send_buffer_size{4096});
    fast.connect({boost::asio::ip::address_v4::loopback(), running.port()});
    boost::asio::write(fast, boost::asio::buffer(handshake));
    fast.non_blocking(true);
    // The client sends until the server takes no more: what is kept is bounded by the kernel's buffers.
    const std::string frame = client_frames::text_frame(std::string(60'000, 'x'));
    std::size_t sent = 0;
    std::size_t sent_before = 1;
    for (int calm = 0; calm < 20; ++calm) {
        boost::system::error_code code;
        const std::size_t at = sent % frame.size();
        sent += fast.write_some(boost::asio::buffer(frame.data() + at, frame.size() - at), code);
        loop.context().restart();
        loop.context().run_for(1ms);
        if (sent != sent_before) calm = 0;
        sent_before = sent;
    }
    BOOST_TEST(sent < 8u * 1024 * 1024);
    BOOST_TEST(received == 0u);
    go_on.notify();
    loop.run_until([&] { return received + 1 >= sent / frame.size(); });
}

BOOST_AUTO_TEST_CASE(a_wait_that_is_given_up_loses_no_message)
{
    hand_clock time;
    test_loop loop{time};
    int given_up = 0;
    const auto handler = [&given_up](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        for (int i = 0; i < 2; ++i) {
            std::optional<std::string> message;
            try {
                message = co_await weft::with_deadline(session.receive(), 1s);
            } catch (const weft::error& e) {
                given_up += e.code() == errc::timeout;
            }
            if (message) co_await session.send(std::move(*message));
        }
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    for (int i = 0; i < 5; ++i) loop.settle();
    loop.advance(2s);
    loop.run_until([&] { return given_up == 1; });
    client.send(client_frames::text_frame("late"));
    BOOST_TEST(client.next_text() == "late");
    BOOST_TEST(client.next_close() == 1000u);
}

/** Sends until it fails. */
auto flood(std::size_t& written, std::optional<errc>& failure, weft::websocket_options options)
{
    return [&written, &failure, options](http_call& call) -> task<void> {
        weft::websocket_options with = options;
        websocket_session session = co_await call.accept_websocket(std::move(with));
        try {
            for (;; written += 16 * 1024) {
                std::string piece(16 * 1024, 'x');
                co_await session.send(std::move(piece));
            }
        } catch (const weft::error& e) {
            failure = e.code();
            throw;
        }
    };
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_stops_the_sender_and_is_given_up)
{
    hand_clock time;
    test_loop loop{time};
    std::size_t written = 0;
    std::optional<errc> failure;
    weft::websocket_options sessions;
    sessions.ping_interval = 1h;
    weft::http_server_options options;
    options.send_buffer_bytes = 16 * 1024;
    running_server running{loop, flood(written, failure, sessions), options};
    boost::asio::ip::tcp::socket stalled{loop.context()};
    stalled.open(boost::asio::ip::tcp::v4());
    stalled.set_option(boost::asio::socket_base::receive_buffer_size{4096});
    stalled.connect({boost::asio::ip::address_v4::loopback(), running.port()});
    boost::asio::write(stalled, boost::asio::buffer(handshake));
    std::size_t before = 1;
    for (int calm = 0; calm < 20; ++calm) {
        loop.context().restart();
        loop.context().run_for(5ms);
        if (written != before) calm = 0;
        before = written;
    }
    BOOST_TEST(written < (256u + 64u) * 1024);  // what the two kernels and the session keep
    BOOST_TEST(!failure);
    loop.advance(31s);
    loop.run_until([&] { return failure.has_value(); });
    BOOST_TEST((failure == errc::send_timeout || failure == errc::cancelled));
    loop.run_until([&] { return running.server().counts().open == 0; });
}

BOOST_AUTO_TEST_CASE(messages_of_several_senders_stay_whole)
{
    test_loop loop;
    const auto many = [](websocket_session session, char letter) -> task<void> {
        for (int i = 0; i < 20; ++i) {
            std::string message(10'000, letter);
            co_await session.send(std::move(message));
        }
    };
    const auto handler = [many](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope senders{context};
        senders.spawn(many(session, 'a'));
        senders.spawn(many(session, 'b'));
        co_await senders.join();
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    std::size_t letters = 0;
    for (int i = 0; i < 40; ++i) {
        const std::string message = client.next_text();
        BOOST_TEST((message == std::string(10'000, message.front())));
        letters += message.front() == 'a';
    }
    BOOST_TEST(letters == 20u);
    BOOST_TEST(client.next_close() == 1000u);
}

BOOST_AUTO_TEST_CASE(a_message_after_the_end_is_refused)
{
    test_loop loop;
    std::optional<errc> failure;
    const auto handler = [&failure](http_call& call) -> task<void> {
        websocket_session session = co_await call.accept_websocket();
        session.close();
        try {
            co_await session.send("late");
        } catch (const weft::error& e) {
            failure = e.code();
        }
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    BOOST_TEST(client.next_close() == 1000u);
    loop.run_until([&] { return failure.has_value(); });
    BOOST_TEST((failure == errc::connection_lost));
}

BOOST_AUTO_TEST_CASE(a_drain_ends_conversations_and_says_that_the_service_restarts)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    socket_client client{loop, running};
    client.send(client_frames::text_frame("one"));
    BOOST_TEST(client.next_text() == "got one");
    running.server().drain();
    BOOST_TEST(client.next_close() == 1012u);
    client.send(client_frames::close_frame(1012));
    client.raw().read_to_end();
    running.wait_until_over();
    BOOST_TEST(seen.is_over);
}

BOOST_AUTO_TEST_CASE(a_drain_ends_after_its_time_whatever_the_handler_does)
{
    hand_clock time;
    test_loop loop{time};
    const auto handler = [](http_call& call) -> task<void> {
        (void)co_await call.accept_websocket();
        co_await weft::sleep_for(1h);
    };
    running_server running{loop, handler};
    socket_client client{loop, running};
    running.server().drain();
    loop.advance(6s);
    client.raw().read_to_end();
    running.wait_until_over();
}

BOOST_AUTO_TEST_CASE(a_stop_or_the_end_of_the_server_closes_at_once)
{
    test_loop loop;
    seen_by_handler seen;
    std::optional<running_server> running;
    running.emplace(loop, echo_to(seen));
    socket_client client{loop, *running};
    client.send(client_frames::text_frame("one"));
    BOOST_TEST(client.next_text() == "got one");
    running.reset();
    client.raw().read_to_end();
    BOOST_TEST(!seen.is_over);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_no_handshake_is_refused_and_the_connection_goes_on)
{
    test_loop loop;
    seen_by_handler seen;
    running_server running{loop, echo_to(seen)};
    raw_client client = running.connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("}}");
    BOOST_TEST(client.received().starts_with("HTTP/1.1 426 Upgrade Required\r\n"));
    BOOST_TEST(client.received().find("Sec-WebSocket-Version: 13\r\n") != std::string::npos);
    client.received().clear();
    client.send("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n");
    client.read_until("}}");
    BOOST_TEST(client.received().starts_with("HTTP/1.1 400 "));
    client.received().clear();
    const std::string headers{handshake.substr(handshake.find("Host"))};
    client.send("GET / HTTP/1.1\r\nContent-Length: 1\r\n" + headers + "x");
    client.read_until("}}");
    BOOST_TEST(client.received().starts_with("HTTP/1.1 400 "));
    client.received().clear();
    client.send(handshake);
    client.read_until("101 Switching Protocols");
}

BOOST_AUTO_TEST_CASE(the_log_of_accesses_tells_of_a_conversation_when_it_is_over)
{
    test_loop loop;
    seen_by_handler seen;
    std::string log;
    weft::http_server_options options;
    options.on_access = [&log](const weft::http_access& done) {
        log += std::string{done.target} + ' ' + std::to_string(done.status) + ' ' + std::to_string(done.bytes_in) +
               ' ' + std::to_string(done.bytes_out);
    };
    running_server running{loop, echo_to(seen), options};
    socket_client client{loop, running};
    client.send(client_frames::text_frame("one"));
    BOOST_TEST(client.next_text() == "got one");
    BOOST_TEST(log.empty());
    client.send(client_frames::close_frame(1000));
    BOOST_TEST(client.next_close() == 1000u);
    loop.run_until([&] { return !log.empty(); });
    BOOST_TEST(log == "/socket 101 17 13");
}

BOOST_AUTO_TEST_SUITE_END()
