#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/net/url.hpp>

#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(url_test)

using weft::url;

struct parts_vector {
    std::string text, host, endpoint, authority, target, origin;
    friend std::ostream& operator<<(std::ostream& out, const parts_vector& v) { return out << v.text; }
};

const parts_vector parts[] = {
    {"https://api.example.com", "api.example.com", "api.example.com:443", "api.example.com", "/",
     "https://api.example.com:443"},
    {"HTTPS://API.Example.COM:443/v1?q=1&r=%20", "api.example.com", "api.example.com:443", "api.example.com",
     "/v1?q=1&r=%20", "https://api.example.com:443"},
    {"http://localhost:8080/", "localhost", "localhost:8080", "localhost:8080", "/", "http://localhost:8080"},
    {"http://10.0.0.1?x", "10.0.0.1", "10.0.0.1:80", "10.0.0.1", "/?x", "http://10.0.0.1:80"},
    {"https://[::1]:9443/a/b", "::1", "[::1]:9443", "[::1]:9443", "/a/b", "https://[::1]:9443"},
    {"https://[2001:DB8:0:0:0:0:0:1]/", "2001:db8::1", "[2001:db8::1]:443", "[2001:db8::1]", "/",
     "https://[2001:db8::1]:443"},
    {"http://my_host-1.x/a:b@c;d=e!$'()*+,~", "my_host-1.x", "my_host-1.x:80", "my_host-1.x",
     "/a:b@c;d=e!$'()*+,~", "http://my_host-1.x:80"},
};

BOOST_DATA_TEST_CASE(a_url_is_split_into_its_parts, boost::unit_test::data::make(parts))
{
    const url parsed{sample.text};
    BOOST_TEST(parsed.host() == sample.host);
    BOOST_TEST(parsed.endpoint() == sample.endpoint);
    BOOST_TEST(parsed.authority() == sample.authority);
    BOOST_TEST(parsed.target() == sample.target);
    BOOST_TEST(parsed.origin() == sample.origin);
    BOOST_TEST((url{parsed.to_string()} == parsed));
}

struct refused_vector {
    std::string text, reason;
    friend std::ostream& operator<<(std::ostream& out, const refused_vector& v) { return out << v.reason << v.text; }
};

const refused_vector refused[] = {
    {"", "must begin with"},
    {"api.example.com/v1", "must begin with"},
    {"//api.example.com", "must begin with"},
    {"ftp://example.com/", "scheme"},
    {"https://", "no host"},
    {"https:///v1", "no host"},
    {"https://:443/", "no host"},
    {"https://user:sk-secret@example.com/", "user info"},
    {"https://example.com@evil.test/", "user info"},
    {"https://example.com:0/", "port"},
    {"https://example.com:/", "port"},
    {"https://example.com:65536/", "port"},
    {"https://example.com:+80/", "port"},
    {"https://example.com:80a/", "port"},
    {"https://exa mple.com/", "host name"},
    {"https://example.com\\@evil.test/", "user info"},
    {"https://example.com\\evil/", "host name"},
    {"https://ex%61mple.com/", "host name"},
    {"https://b\xc3\xbc" "cher.test/", "host name"},
    {"https://example..com/", "host name"},
    {"https://example.com./", "IPv4"},
    {"https://-example.com/", "host name"},
    {"https://127.1/", "IPv4"},
    {"https://2130706433/", "IPv4"},
    {"https://0x7f.0.0.1/", "IPv4"},
    {"https://0177.0.0.1/", "IPv4"},
    {"https://127.0.0.0x1/", "IPv4"},
    {"https://256.0.0.1/", "IPv4"},
    {"https://[::1/", "']'"},
    {"https://[::1]x:443/", "between"},
    {"https://[fe80::1%25eth0]/", "zone"},
    {"https://[127.0.0.1]/", "IPv6"},
    {"https://[]/", "IPv6"},
    {"https://example.com/a b", "percent-encoded"},
    {"https://example.com/a\r\nX: y", "percent-encoded"},
    {std::string{"https://example.com/a\0b", 23}, "percent-encoded"},
    {"https://example.com/\x7f", "percent-encoded"},
    {"https://example.com/\xc3\xa4", "percent-encoded"},
    {"https://example.com/\"", "percent-encoded"},
    {"https://example.com/%", "hexadecimal"},
    {"https://example.com/%2", "hexadecimal"},
    {"https://example.com/%zz", "hexadecimal"},
    {"https://example.com/#top", "fragment"},
    {"https://example.com#top", "fragment"},
    {"https://example.com/" + std::string(url::length_max, 'a'), "longer"},
    {"https://" + std::string(64, 'a') + ".test/", "host name"},
};

BOOST_DATA_TEST_CASE(a_wrong_url_is_refused_with_the_reason, boost::unit_test::data::make(refused))
{
    BOOST_CHECK_EXCEPTION(url{sample.text}, weft::error, [&](const weft::error& e) {
        return e.code() == weft::errc::invalid_url && e.detail().find(sample.reason) != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_refusal_never_repeats_the_text)
{
    BOOST_CHECK_EXCEPTION(url{"https://sk-secret@example.com/"}, weft::error, [](const weft::error& e) {
        return std::string_view{e.what()}.find("sk-secret") == std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_path_is_appended_with_one_slash_and_before_the_query)
{
    BOOST_TEST(url{"https://x.test/v1"}.appended("chat").target() == "/v1/chat");
    BOOST_TEST(url{"https://x.test/v1/"}.appended("/chat/completions").target() == "/v1/chat/completions");
    BOOST_TEST(url{"https://x.test"}.appended("chat").target() == "/chat");
    BOOST_TEST(url{"https://x.test/v1?api-version=2"}.appended("chat").target() == "/v1/chat?api-version=2");
    BOOST_TEST(url{"https://x.test/v1"}.appended("chat?a=b").target() == "/v1/chat?a=b");
    BOOST_CHECK_THROW((void)url{"https://x.test/v1"}.appended("a b"), weft::error);
    BOOST_CHECK_THROW((void)url{"https://x.test/v1"}.appended("a\r\nb"), weft::error);
    BOOST_CHECK_THROW((void)url{"https://x.test/v1?a=b"}.appended("c?d=e"), weft::error);
}

BOOST_AUTO_TEST_CASE(loopback_hosts_are_recognised)
{
    BOOST_TEST(url{"http://localhost/"}.host_is_loopback());
    BOOST_TEST(url{"http://127.3.2.1/"}.host_is_loopback());
    BOOST_TEST(url{"http://[::1]/"}.host_is_loopback());
    BOOST_TEST(!url{"http://localhost.example.com/"}.host_is_loopback());
    BOOST_TEST(!url{"http://10.0.0.1/"}.host_is_loopback());
}

BOOST_AUTO_TEST_CASE(an_address_is_told_apart_from_a_name)
{
    BOOST_TEST(url{"http://127.0.0.1/"}.host_is_address());
    BOOST_TEST(url{"http://[::1]/"}.host_is_address());
    BOOST_TEST(!url{"http://localhost/"}.host_is_address());
    BOOST_TEST(!url{"http://1e100.test/"}.host_is_address());
}

BOOST_AUTO_TEST_SUITE_END()
