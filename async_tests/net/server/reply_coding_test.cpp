#include <boost/test/unit_test.hpp>

#include "gunzip.hpp"
#include "server_fixture.hpp"

#include "net/server/reply_coding.hpp"

#include <weft/async/task/yield_now.hpp>

#include <boost/test/data/test_case.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(reply_coding_test)

using namespace server_fixture;
using weft::errc;
using weft::http_call;
using weft::http_reply;
using weft::task;

constexpr std::string_view coded_head = "Content-Encoding: gzip\r\n";
constexpr std::string_view vary_head = "Vary: Accept-Encoding\r\n";

/** JSON of about so many bytes. */
std::string long_text(std::size_t size)
{
    std::string text = "[0";
    for (int i = 0; text.size() + 1 < size; ++i) text += "," + std::to_string(i);
    return text + "]";
}

using reply_function = std::function<http_reply(http_call& call)>;

task<void> give(std::shared_ptr<const reply_function> make, http_call& call)
{
    http_reply answer = (*make)(call);
    co_await call.reply(std::move(answer));
}

weft::http_server::handler_function giving(reply_function make)
{
    const auto kept = std::make_shared<const reply_function>(std::move(make));
    return [kept](http_call& call) { return give(kept, call); };
}

/** An answer as it stands on the wire. */
struct raw_answer {
    std::string head;
    std::string body;

    [[nodiscard]] bool has(std::string_view line) const { return head.find(line) != head.npos; }
    [[nodiscard]] bool has_length(std::size_t size) const
    {
        return has("Content-Length: " + std::to_string(size) + "\r\n");
    }
};

raw_answer ask(running_server& server, std::string_view accepted, std::string_view method = "GET")
{
    std::string request = std::string{method} + " / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    if (!accepted.empty()) request += "Accept-Encoding: " + std::string{accepted} + "\r\n";
    const std::string got = server.exchange(request + "\r\n");
    const std::size_t end = got.find("\r\n\r\n");
    BOOST_TEST_REQUIRE(end != got.npos);
    return {got.substr(0, end + 2), got.substr(end + 4)};
}

BOOST_DATA_TEST_CASE(a_client_that_accepts_gzip_gets_the_same_text_in_fewer_bytes,
                     boost::unit_test::data::make({1024, 20'000, 32'768, 32'769, 65'536, 1'000'000}), size)
{
    test_loop loop;
    const std::string text = long_text(static_cast<std::size_t>(size));
    running_server server{loop, giving([&](http_call&) { return http_reply{200, text, "application/json"}; })};
    const raw_answer coded = ask(server, "gzip");
    BOOST_TEST(coded.has(coded_head));
    BOOST_TEST(coded.has(vary_head));
    BOOST_TEST(coded.has_length(coded.body.size()));
    BOOST_TEST((gunzip(coded.body) == text));
    BOOST_TEST(coded.body.size() < text.size() * 3 / 4);
    for (const char* const accepted : {"", "identity", "gzip;q=0", "br"}) {
        const raw_answer plain = ask(server, accepted);
        BOOST_TEST(!plain.has("Content-Encoding"), accepted);
        BOOST_TEST(plain.has(vary_head), accepted);
        BOOST_TEST((plain.body == text), accepted);
    }
    const raw_answer head = ask(server, "gzip", "HEAD");
    BOOST_TEST(head.has(coded_head));
    BOOST_TEST(head.has(vary_head));
    BOOST_TEST(head.has_length(coded.body.size()));
    BOOST_TEST(head.body == "");
}

BOOST_AUTO_TEST_CASE(types_that_gain_by_it_are_compressed)
{
    test_loop loop;
    std::string type;
    running_server server{loop, giving([&](http_call&) { return http_reply{200, long_text(5000), type}; })};
    for (const char* const gains : {"application/json", "Application/JSON; charset=utf-8", "text/html", "text/plain",
                                    "text/javascript;charset=utf-8", "image/svg+xml"}) {
        type = gains;
        const raw_answer got = ask(server, "gzip");
        BOOST_TEST((got.has(coded_head) && got.has(vary_head)), gains);
        BOOST_TEST((gunzip(got.body) == long_text(5000)), gains);
    }
    for (const char* const gains_not : {"text/event-stream", "Text/Event-Stream; charset=utf-8", "image/png",
                                        "application/octet-stream", "application/jsonl"}) {
        type = gains_not;
        const raw_answer got = ask(server, "gzip");
        BOOST_TEST((!got.has("Content-Encoding") && !got.has("Vary")), gains_not);
        BOOST_TEST((got.body == long_text(5000)), gains_not);
    }
}

BOOST_AUTO_TEST_CASE(what_the_handler_says_of_its_body_stays)
{
    test_loop loop;
    reply_function change;
    running_server server{loop, giving([&](http_call& call) { return change(call); })};
    const auto with = [&](std::string_view name, std::string_view value, int status = 200) {
        change = [=, name = std::string{name}, value = std::string{value}](http_call&) {
            http_reply answer{status, long_text(5000)};
            if (!name.empty()) answer.headers.set(name, value);
            return answer;
        };
        return ask(server, "gzip");
    };
    for (const raw_answer& got :
         {with("Content-Encoding", "br"), with("content-encoding", "identity"), with("ETag", "\"abc\""),
          with("Content-Range", "bytes 0-4999/9000"), with("", "", 206)}) {
        BOOST_TEST((!got.has(coded_head) && !got.has("Vary")), got.head);
        BOOST_TEST((got.body == long_text(5000)));
    }
    BOOST_TEST(with("ETag", "W/\"abc\"").has(coded_head));
    const raw_answer varies = with("Vary", "Origin, accept-encoding");
    BOOST_TEST(varies.has(coded_head));
    BOOST_TEST(!varies.has(vary_head));
    const raw_answer both = with("Vary", "Origin");
    BOOST_TEST((both.has("Vary: Origin\r\n") && both.has(vary_head)));
    for (const int status : {204, 304}) {
        const raw_answer got = with("", "", status);
        BOOST_TEST((!got.has("Content-Encoding") && !got.has("Vary") && got.body.empty()), got.head);
    }
    change = [](http_call& call) {
        call.never_compress();
        return http_reply{200, long_text(5000)};
    };
    const raw_answer secret = ask(server, "gzip");
    BOOST_TEST((!secret.has("Content-Encoding") && !secret.has("Vary")), secret.head);
    BOOST_TEST(with("", "").has(coded_head));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_not_compressed_says_nothing_of_the_next_one)
{
    test_loop loop;
    running_server server{loop, giving([&](http_call& call) {
                              if (call.path() == "/secret") call.never_compress();
                              return http_reply{200, long_text(5000)};
                          })};
    raw_client client = server.connect();
    client.send("GET /secret HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
    BOOST_TEST(client.read_until("998,999").find(coded_head) == std::string::npos);
    client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n");
    BOOST_TEST(client.read_to_end().find(coded_head) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(short_answers_go_out_as_they_are)
{
    test_loop loop;
    std::size_t size = 1023;
    const auto handler = giving([&](http_call&) { return http_reply{200, std::string(size, 'x')}; });
    running_server server{loop, handler};
    const raw_answer below = ask(server, "gzip");
    BOOST_TEST((!below.has("Content-Encoding") && !below.has("Vary") && below.body.size() == size));
    size = 1024;
    BOOST_TEST(ask(server, "gzip").has(coded_head));
    weft::http_server_options never;
    never.gzip_bytes_min = 0;
    running_server without{loop, handler, never};
    const raw_answer plain = ask(without, "gzip");
    BOOST_TEST((!plain.has("Content-Encoding") && !plain.has("Vary") && plain.body.size() == size));
}

BOOST_AUTO_TEST_CASE(the_level_is_chosen_by_options)
{
    test_loop loop;
    std::string messages;
    for (int i = 0; i < 2000; ++i) messages += R"({"role":"ai","n":)" + std::to_string(i * 7919 % 1000) + "},";
    const auto handler = giving([&](http_call&) { return http_reply{200, messages}; });
    weft::http_server_options options;
    running_server fast{loop, handler, options};
    options.gzip_level = 6;
    running_server small{loop, handler, options};
    BOOST_TEST(ask(small, "gzip").body.size() < ask(fast, "gzip").body.size());
    for (const int level : {0, 7}) {
        options.gzip_level = level;
        BOOST_CHECK_EXCEPTION((weft::http_server{loop.loop(), handler, options}), weft::error,
                              [](const weft::error& e) { return e.code() == errc::invalid_configuration; });
    }
}

task<void> stream_events(http_call& call)
{
    co_await call.start_stream(200, "text/event-stream");
    const std::string event = "data: " + std::string(5000, 'x') + "\n\n";
    co_await call.write(event);
    co_await call.end_stream();
}

BOOST_AUTO_TEST_CASE(event_streams_are_never_compressed)
{
    test_loop loop;
    running_server server{loop, stream_events};
    const raw_answer got = ask(server, "gzip");
    BOOST_TEST((!got.has("Content-Encoding") && !got.has("Vary")), got.head);
    BOOST_TEST(got.body.find(std::string(5000, 'x')) != std::string::npos);
}

/** Compresses an answer beside other work, without a server. */
struct coding {
    explicit coding(std::size_t size, std::size_t open = 0) : open{open}, answer{200, long_text(size)}
    {
        request.add("Accept-Encoding", "gzip");
    }
    [[nodiscard]] bool is_coded() const { return answer.headers.contains("content-encoding"); }

    std::size_t open;
    http_reply answer;
    weft::http_headers request;
};

task<void> count_turns(int& turns)
{
    for (;; ++turns) co_await weft::yield_now();
}

BOOST_AUTO_TEST_CASE(the_loop_has_its_turn_between_slices_of_a_long_body)
{
    test_loop loop;
    coding c{1'000'000};
    int turns = 0;
    started other{loop, count_turns(turns)};
    started work{loop, weft::net_detail::code_reply(c.answer, c.request, 1, c.open)};
    work.result();
    other.stop();
    BOOST_TEST(c.is_coded());
    BOOST_TEST(turns >= 30);
    BOOST_TEST(c.open == 0u);
    BOOST_TEST((gunzip(c.answer.body) == long_text(1'000'000)));
}

BOOST_AUTO_TEST_CASE(a_compression_that_is_stopped_or_destroyed_leaves_the_answer)
{
    test_loop loop;
    coding c{1'000'000};
    started work{loop, weft::net_detail::code_reply(c.answer, c.request, 1, c.open)};
    BOOST_TEST(c.open == 1u);
    work.stop();
    BOOST_CHECK_EXCEPTION(work.result(), weft::error, [](const weft::error& e) { return e.code() == errc::cancelled; });
    BOOST_TEST(c.open == 0u);
    started again{loop, weft::net_detail::code_reply(c.answer, c.request, 1, c.open)};
    BOOST_TEST(c.open == 1u);
    again.destroy();
    BOOST_TEST(c.open == 0u);
    BOOST_TEST((c.answer.body == long_text(1'000'000)));
    BOOST_TEST(!c.is_coded());
}

BOOST_AUTO_TEST_CASE(answers_that_are_compressed_at_the_same_time_are_bounded)
{
    test_loop loop;
    for (const std::size_t open : {weft::net_detail::compressions_max - 1, weft::net_detail::compressions_max}) {
        coding c{5000, open};
        started work{loop, weft::net_detail::code_reply(c.answer, c.request, 1, c.open)};
        work.result();
        BOOST_TEST(c.is_coded() == (open < weft::net_detail::compressions_max));
        BOOST_TEST(c.answer.headers.contains("vary"));
        BOOST_TEST(c.open == open);
    }
}

BOOST_AUTO_TEST_SUITE_END()
