#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/net/text/proxy_bypass.hpp>

#include <boost/test/data/test_case.hpp>

#include <ostream>

BOOST_AUTO_TEST_SUITE(proxy_bypass_test)

using weft::proxy_bypass;
using weft::url;

struct bypass_case {
    const char* list;
    const char* target;
    bool is_covered;
    friend std::ostream& operator<<(std::ostream& out, const bypass_case& c)
    {
        return out << '\'' << c.list << "' and " << c.target;
    }
};

const bypass_case bypass_cases[] = {
    {"", "https://example.com", false},
    {"*", "https://example.com", true},
    {"*", "http://10.1.2.3:8080", true},
    {"example.com", "https://example.com", true},
    {"example.com", "https://api.example.com", true},
    {"example.com", "https://badexample.com", false},
    {"example.com", "https://example.com.evil.org", false},
    {".example.com", "https://api.example.com", true},
    {".example.com", "https://example.com", true},
    {"*.example.com", "https://a.b.example.com", true},
    {"Example.COM.", "https://API.example.com", true},
    {"other.org, example.com", "https://example.com", true},
    {"other.org example.com", "https://example.com", true},
    {",, ,example.com,,", "https://example.com", true},
    {"example.com:8443", "https://example.com:8443", true},
    {"example.com:8443", "https://example.com", false},
    {"localhost", "http://localhost:11434", true},
    {"localhost", "http://127.0.0.1:11434", false},
    {"10.1.2.3", "http://10.1.2.3", true},
    {"10.1.2.3", "http://10.1.2.4", false},
    {"10.1.2.3:81", "http://10.1.2.3:81", true},
    {"10.1.2.3:81", "http://10.1.2.3:82", false},
    {"10.0.0.0/8", "http://10.200.2.3", true},
    {"10.0.0.0/8", "http://11.0.0.1", false},
    {"10.16.0.0/12", "http://10.31.255.255", true},
    {"10.16.0.0/12", "http://10.32.0.0", false},
    {"0.0.0.0/0", "http://8.8.8.8", true},
    {"0.0.0.0/0", "http://[::1]", false},
    {"10.0.0.0/8", "http://10.example.com", false},
    {"::1", "http://[::1]:8080", true},
    {"[::1]", "http://[::1]", true},
    {"[::1]:80", "http://[::1]", true},
    {"[::1]:81", "http://[::1]", false},
    {"fd00::/8", "http://[fd12:3456::1]", true},
    {"fd00::/8", "http://[fe80::1]", false},
    {"192.168.*", "http://192.168.0.1", false},
};

BOOST_DATA_TEST_CASE(an_entry_covers_what_it_names, boost::unit_test::data::make(bypass_cases))
{
    proxy_bypass bypass;
    bypass.add(sample.list);
    BOOST_TEST(bypass.covers(url{sample.target}) == sample.is_covered);
}

BOOST_DATA_TEST_CASE(an_entry_that_names_nothing_is_refused,
                     boost::unit_test::data::make({"10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "host/8", "fd00::/129",
                                                   "example.com:0", "example.com:70000", "example.com:x", ".", "*."}))
{
    proxy_bypass bypass;
    BOOST_CHECK_EXCEPTION(bypass.add(std::string{"example.com,"} + sample), weft::error, [&](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration && e.detail().find(sample) != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(the_list_is_bounded)
{
    std::string list;
    for (std::size_t i = 0; i < proxy_bypass::entries_max; ++i) list += "a,";
    proxy_bypass bypass;
    bypass.add(list);
    BOOST_CHECK_THROW(bypass.add("a"), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
