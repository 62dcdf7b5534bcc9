#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/net/http_proxy.hpp>

#include <boost/test/data/test_case.hpp>

#include <map>

BOOST_AUTO_TEST_SUITE(http_proxy_test)

using weft::errc;
using weft::error;
using weft::http_proxy;
using weft::proxy_server;
using weft::secret_string;
using weft::url;

using variables = std::map<std::string, std::string>;

weft::environment_lookup lookup_in(variables values)
{
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional{found->second};
    };
}

/** The proxy for a URL, `none` if there is none. */
std::string way_to(const http_proxy& proxy, std::string_view target)
{
    const proxy_server* const found = proxy.find(url{target});
    return found ? found->address().to_string() : "none";
}

BOOST_AUTO_TEST_CASE(an_address_is_read_as_people_write_it)
{
    BOOST_TEST(proxy_server{"proxy.example.com:3128"}.address().to_string() == "http://proxy.example.com:3128/");
    BOOST_TEST(proxy_server{"https://proxy.example.com"}.address().to_string() == "https://proxy.example.com/");
    BOOST_TEST(!proxy_server{"http://10.0.0.1:8080/"}.has_credentials());
    const proxy_server with_user{"http://ann%40x:p%3a%2Fw@proxy.example.com:3128"};
    BOOST_TEST(with_user.address().to_string() == "http://proxy.example.com:3128/");
    BOOST_TEST(with_user.user() == "ann@x");
    BOOST_TEST(with_user.password().reveal() == "p:/w");
    const proxy_server without_password{"ann@proxy.example.com"};
    BOOST_TEST(without_password.user() == "ann");
    BOOST_TEST(without_password.password().empty());
}

BOOST_DATA_TEST_CASE(what_is_no_address_is_refused_without_repeating_it,
                     boost::unit_test::data::make({"", "socks5://ann:hunter2@h", "http://ann:hunter2@h/path",
                                                   "http://ann:hunter2@", "ann:hunter2%@h", "ann:hunter2%0a@h",
                                                   "a%3ab:hunter2@h", "http://h ost"}))
{
    BOOST_CHECK_EXCEPTION(proxy_server{sample}, error, [](const error& e) {
        return e.code() == errc::invalid_configuration &&
               std::string_view{e.what()}.find("hunter2") == std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(by_default_nothing_goes_through_a_proxy)
{
    BOOST_TEST(way_to(http_proxy{}, "https://example.com") == "none");
    BOOST_TEST(way_to(http_proxy::from_environment(lookup_in({})), "https://example.com") == "none");
}

BOOST_AUTO_TEST_CASE(each_scheme_has_its_proxy_and_exceptions_have_none)
{
    http_proxy proxy{proxy_server{"a"}};
    proxy.for_http(proxy_server{"b"}).bypass("direct.example.com").bypass("10.0.0.0/8");
    BOOST_TEST(way_to(proxy, "https://example.com") == "http://a/");
    BOOST_TEST(way_to(proxy, "http://example.com") == "http://b/");
    BOOST_TEST(way_to(proxy, "https://direct.example.com") == "none");
    BOOST_TEST(way_to(proxy, "http://10.1.1.1") == "none");
}

BOOST_AUTO_TEST_CASE(the_environment_is_read_in_both_cases_the_lower_one_first)
{
    const http_proxy upper = http_proxy::from_environment(
        lookup_in({{"HTTPS_PROXY", "s"}, {"HTTP_PROXY", "p"}, {"NO_PROXY", "example.org"}}));
    BOOST_TEST(way_to(upper, "https://example.com") == "http://s/");
    BOOST_TEST(way_to(upper, "http://example.com") == "http://p/");
    BOOST_TEST(way_to(upper, "https://example.org") == "none");
    const http_proxy both = http_proxy::from_environment(lookup_in({{"HTTPS_PROXY", "s"},
                                                                    {"https_proxy", "lower"},
                                                                    {"http_proxy", ""},
                                                                    {"no_proxy", "example.net"},
                                                                    {"NO_PROXY", "example.com"}}));
    BOOST_TEST(way_to(both, "https://example.com") == "http://lower/");
    BOOST_TEST(way_to(both, "https://example.net") == "none");
    BOOST_TEST(way_to(both, "http://example.com") == "none");
}

BOOST_AUTO_TEST_CASE(this_machine_is_reached_directly_when_the_environment_decides)
{
    const http_proxy proxy = http_proxy::from_environment(lookup_in({{"http_proxy", "p"}}));
    for (const char* target : {"http://localhost:11434", "http://127.0.0.2", "http://[::1]", "http://a.localhost"})
        BOOST_TEST(way_to(proxy, target) == "none");
}

BOOST_AUTO_TEST_CASE(a_header_that_a_stranger_sent_is_not_taken_for_a_setting)
{
    const http_proxy proxy = http_proxy::from_environment(
        lookup_in({{"HTTP_PROXY", "evil"}, {"HTTPS_PROXY", "s"}, {"REQUEST_METHOD", "GET"}}));
    BOOST_TEST(way_to(proxy, "http://example.com") == "none");
    BOOST_TEST(way_to(proxy, "https://example.com") == "http://s/");
}

BOOST_AUTO_TEST_CASE(a_variable_that_cannot_be_read_is_named)
{
    const auto names = [](const char* variable) {
        return [variable](const error& e) {
            return e.code() == errc::invalid_configuration && e.where() == variable &&
                   std::string_view{e.what()}.find("hunter2") == std::string_view::npos;
        };
    };
    BOOST_CHECK_EXCEPTION((void)http_proxy::from_environment(lookup_in({{"HTTPS_PROXY", "ftp://ann:hunter2@h"}})),
                          error, names("HTTPS_PROXY"));
    BOOST_CHECK_EXCEPTION(
        (void)http_proxy::from_environment(lookup_in({{"https_proxy", "h"}, {"NO_PROXY", "1.1.1.1/40"}})), error,
        names("NO_PROXY"));
}

BOOST_AUTO_TEST_CASE(credentials_that_could_not_be_sent_are_refused)
{
    proxy_server proxy{"h"};
    BOOST_CHECK_THROW(proxy.credentials("a:b", secret_string{"c"}), error);
    BOOST_CHECK_THROW(proxy.credentials("a", secret_string{"c\r\nX: y"}), error);
    BOOST_TEST(!proxy.has_credentials());
}

BOOST_AUTO_TEST_SUITE_END()
