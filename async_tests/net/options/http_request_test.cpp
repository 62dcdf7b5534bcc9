#include <boost/test/unit_test.hpp>

#include "net/connection/request_head.hpp"

#include <weft/base/error.hpp>

#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(http_request_test)

using weft::http_request;
using weft::secret_string;
using weft::url;

std::string head_of(const http_request& request)
{
    std::string text;
    weft::net_detail::append_request_head(text, request, "weft-test");
    return text;
}

bool is_configuration(const weft::error& e) { return e.code() == weft::errc::invalid_configuration; }

BOOST_AUTO_TEST_CASE(a_get_has_a_host_and_no_length)
{
    BOOST_TEST(head_of(http_request{"GET", url{"https://api.example.com/v1/models?x=1"}}) ==
               "GET /v1/models?x=1 HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: weft-test\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_post_has_its_length_even_when_it_is_empty)
{
    BOOST_TEST(head_of(http_request{"POST", url{"http://[::1]:8080"}}) ==
               "POST / HTTP/1.1\r\nHost: [::1]:8080\r\nUser-Agent: weft-test\r\nContent-Length: 0\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(headers_secrets_and_type_go_out_in_order)
{
    http_request request{"POST", url{"https://x.test/chat"}};
    request.header("accept", "text/event-stream")
        .header("user-agent", "mine")
        .secret("x-api-key", secret_string{"k-2"})
        .bearer(secret_string{"k-1"})
        .body("{}", "application/json");
    BOOST_TEST(head_of(request) ==
               "POST /chat HTTP/1.1\r\nHost: x.test\r\naccept: text/event-stream\r\nuser-agent: mine\r\n"
               "Content-Type: application/json\r\nx-api-key: k-2\r\nAuthorization: Bearer k-1\r\n"
               "Content-Length: 2\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(the_head_is_written_without_growing_so_that_no_copy_of_a_secret_stays_behind)
{
    http_request request{"POST", url{"https://x.test/" + std::string(3000, 'p')}};
    request.header("a", std::string(5000, 'v')).bearer(secret_string{std::string(4000, 's')}).body("{}");
    std::string text;
    weft::net_detail::append_request_head(text, request, "weft-test");
    const std::size_t capacity = text.capacity();
    std::string fresh;
    fresh.reserve(1);
    weft::net_detail::append_request_head(fresh, request, "weft-test");
    BOOST_TEST(fresh.capacity() == capacity);  // one reservation decided it both times
    BOOST_TEST(capacity >= text.size());
    BOOST_TEST(capacity < text.size() + 512);
}

BOOST_AUTO_TEST_CASE(a_method_must_be_a_token)
{
    for (const char* method : {"", "GET /evil", "GET\r\n", "G:T"})
        BOOST_CHECK_EXCEPTION((http_request{method, url{"https://x.test/"}}), weft::error, is_configuration);
}

BOOST_DATA_TEST_CASE(headers_that_delimit_messages_belong_to_the_client,
                     boost::unit_test::data::make({"Host", "content-length", "Transfer-Encoding", "CONNECTION",
                                                   "Expect", "Upgrade", "TE", "Trailer"}))
{
    http_request request{"GET", url{"https://x.test/"}};
    BOOST_CHECK_EXCEPTION(request.header(sample, "1"), weft::error, is_configuration);
    BOOST_CHECK_EXCEPTION(request.secret(sample, secret_string{"1"}), weft::error, is_configuration);
}

BOOST_AUTO_TEST_CASE(a_secret_with_a_line_break_is_refused_without_repeating_it)
{
    http_request request{"GET", url{"https://x.test/"}};
    BOOST_CHECK_EXCEPTION(request.bearer(secret_string{"sk-secret\n"}), weft::error, [](const weft::error& e) {
        return is_configuration(e) && std::string_view{e.what()}.find("sk-secret") == std::string_view::npos;
    });
    BOOST_CHECK_EXCEPTION(request.secret("x", secret_string{"k"}, "a\r\nb: "), weft::error, is_configuration);
    BOOST_CHECK_EXCEPTION(request.body("", "text/plain\r\nx: y"), weft::error, is_configuration);
}

BOOST_AUTO_TEST_CASE(W1_what_may_be_sent_twice_is_said_by_the_method_or_by_an_idempotency_key)
{
    const url target{"https://api.example.com/"};
    for (const char* method : {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
        BOOST_TEST((http_request{method, target}.is_repeatable()), method);
    for (const char* method : {"POST", "PATCH", "CONNECT", "get"})
        BOOST_TEST((!http_request{method, target}.is_repeatable()), method);

    http_request named{"POST", target};
    named.header("Idempotency-Key", "k1");
    BOOST_TEST(!named.is_repeatable());  // a header alone promises nothing
    named.idempotency_key("k2");
    BOOST_TEST(named.is_repeatable());
    BOOST_TEST(*named.headers().find("idempotency-key") == "k2");
}

BOOST_AUTO_TEST_SUITE_END()
