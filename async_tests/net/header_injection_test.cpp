#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/net/http_client.hpp>

#include <boost/test/data/test_case.hpp>

#include <functional>

/** Every text that ends up in a request, given a line break or another control character. */
BOOST_AUTO_TEST_SUITE(header_injection_test)

using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_client_options;
using weft::http_proxy;
using weft::http_request;
using weft::proxy_server;
using weft::secret_string;
using weft::url;

http_request get() { return http_request{"GET", url{"https://x.test/"}}; }

struct place {
    const char* name;
    std::function<void(const std::string&)> put;
    friend std::ostream& operator<<(std::ostream& out, const place& p) { return out << p.name; }
};

const place places[] = {
    {"method", [](const std::string& t) { (void)http_request{"GET" + t, url{"https://x.test/"}}; }},
    {"host", [](const std::string& t) { (void)url{"https://x" + t + ".test/"}; }},
    {"port", [](const std::string& t) { (void)url{"https://x.test:44" + t + "3/"}; }},
    {"path", [](const std::string& t) { (void)url{"https://x.test/a" + t + "b"}; }},
    {"query", [](const std::string& t) { (void)url{"https://x.test/?a=" + t + "b"}; }},
    {"appended path", [](const std::string& t) { (void)url{"https://x.test/"}.appended("a" + t + "b"); }},
    {"header name", [](const std::string& t) { get().header("X-A" + t, "b"); }},
    {"header value", [](const std::string& t) { get().header("X-A", "a" + t + "b"); }},
    {"end of a header value", [](const std::string& t) { get().header("X-A", "a" + t); }},
    {"content type", [](const std::string& t) { get().body("{}", "text/plain" + t + "x"); }},
    {"secret's name", [](const std::string& t) { get().secret("X-A" + t, secret_string{"b"}); }},
    {"secret", [](const std::string& t) { get().secret("X-A", secret_string{"a" + t + "b"}); }},
    {"secret's prefix", [](const std::string& t) { get().secret("X-A", secret_string{"b"}, "a" + t + "b "); }},
    {"bearer token", [](const std::string& t) { get().bearer(secret_string{"a" + t + "b"}); }},
    {"user agent", [](const std::string& t) { (void)http_client{{.user_agent = "a" + t + "b"}}; }},
    {"proxy's host", [](const std::string& t) { (void)proxy_server{"x" + t + ".test:80"}; }},
    {"proxy's user", [](const std::string& t) { proxy_server{"x"}.credentials("a" + t + "b", secret_string{"c"}); }},
    {"proxy's password",
     [](const std::string& t) { proxy_server{"x"}.credentials("a", secret_string{"b" + t + "c"}); }},
};

const std::string controls[] = {"\r\nX-Evil: 1", "\n", "\r", std::string(1, '\0'), "\x7f", "\x01"};

BOOST_DATA_TEST_CASE(a_control_character_is_refused_at_once_and_not_repeated,
                     boost::unit_test::data::make(places) * boost::unit_test::data::make({0, 1, 2, 3, 4, 5}),
                     where, which)
{
    BOOST_CHECK_EXCEPTION(where.put(controls[which]), error, [&](const error& e) {
        const bool is_refusal = e.code() == errc::invalid_configuration || e.code() == errc::invalid_url;
        return is_refusal && std::string_view{e.what()}.find("Evil") == std::string_view::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
