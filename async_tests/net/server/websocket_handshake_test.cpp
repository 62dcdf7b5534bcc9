#include <boost/test/unit_test.hpp>

#include "net/server/websocket_handshake.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(websocket_handshake_test)

using weft::http_request_head;
using weft::net_detail::agree_on_websocket;
using weft::net_detail::websocket_agreement;

http_request_head asking()
{
    http_request_head head;
    head.method = "GET";
    head.target = "/";
    head.headers.set("Upgrade", "websocket");
    head.headers.set("Connection", "keep-alive, Upgrade");
    head.headers.set("Sec-WebSocket-Version", "13");
    head.headers.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    return head;
}

weft::http_error refusal_of(const http_request_head& head)
{
    try {
        (void)agree_on_websocket(head, {});
    } catch (const weft::http_error& refused) {
        return refused;
    }
    BOOST_FAIL("the handshake was accepted");
    throw std::logic_error{"unreachable"};
}

BOOST_AUTO_TEST_CASE(a_handshake_is_answered_as_the_specification_shows)
{
    const websocket_agreement agreed = agree_on_websocket(asking(), {});
    BOOST_TEST(agreed.headers.find("Sec-WebSocket-Accept").value() == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    BOOST_TEST(agreed.headers.find("Upgrade").value() == "websocket");
    BOOST_TEST(agreed.headers.find("Connection").value() == "Upgrade");
    BOOST_TEST(!agreed.headers.contains("Sec-WebSocket-Protocol"));
}

BOOST_AUTO_TEST_CASE(the_best_protocol_that_the_client_offers_is_taken_and_nothing_else_sent_back)
{
    http_request_head head = asking();
    head.headers.add("Sec-WebSocket-Protocol", "secret-token, b");
    head.headers.add("Sec-WebSocket-Protocol", "a");
    const websocket_agreement agreed = agree_on_websocket(head, {"c", "a", "b"});
    BOOST_TEST(agreed.protocol == "a");
    BOOST_TEST(agreed.headers.find("Sec-WebSocket-Protocol").value() == "a");
    const websocket_agreement none = agree_on_websocket(head, {"c"});
    BOOST_TEST(none.protocol.empty());
    BOOST_TEST(!none.headers.contains("Sec-WebSocket-Protocol"));
}

BOOST_AUTO_TEST_CASE(a_request_for_something_else_is_told_what_is_here)
{
    http_request_head plain = asking();
    plain.headers.erase("Upgrade");
    http_request_head old = asking();
    old.headers.set("Sec-WebSocket-Version", "8");
    for (const http_request_head* const head : {&plain, &old}) {
        const weft::http_error refused = refusal_of(*head);
        BOOST_TEST(refused.status() == 426);
        BOOST_TEST(refused.headers().find("Sec-WebSocket-Version").value() == "13");
        BOOST_TEST(refused.headers().find("Upgrade").value() == "websocket");
    }
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_handshake_are_told_at_once)
{
    http_request_head head = asking();
    head.method = "POST";
    head.is_http_1_0 = true;
    head.headers.set("Connection", "keep-alive");
    head.headers.set("Sec-WebSocket-Key", "c2hvcnQ=");
    const weft::http_error refused = refusal_of(head);
    BOOST_TEST(refused.status() == 400);
    const std::string what = refused.what();
    for (const char* const part : {"GET", "1.1", "Connection", "Sec-WebSocket-Key"})
        BOOST_TEST(what.find(part) != std::string::npos, part);
    for (const char* const key : {"", "c2hvcnQ=", "not base64!", "dGhlIHNhbXBsZSBub25jZSE="}) {
        http_request_head one = asking();
        one.headers.erase("Sec-WebSocket-Key");
        if (*key != '\0') one.headers.set("Sec-WebSocket-Key", key);
        BOOST_TEST(refusal_of(one).status() == 400, key);
    }
}

BOOST_AUTO_TEST_CASE(all_options_that_are_out_of_range_are_told_at_once)
{
    BOOST_CHECK_NO_THROW(weft::net_detail::check_websocket_options(weft::websocket_options{}));
    weft::websocket_options wrong;
    wrong.ping_interval = wrong.close_grace = std::chrono::nanoseconds{0};
    wrong.message_bytes_max = 0;
    wrong.protocols = {"good", "not a token"};
    BOOST_CHECK_EXCEPTION(weft::net_detail::check_websocket_options(wrong), weft::error, [](const weft::error& e) {
        const std::string_view what = e.what();
        for (const char* const part : {"ping_interval", "close_grace", "message_bytes_max", "'not a token'"})
            BOOST_TEST(what.find(part) != std::string_view::npos, part);
        return e.code() == weft::errc::invalid_configuration && what.find("'good'") == std::string_view::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
