#include <boost/test/unit_test.hpp>

#include "serve/http/own_origin.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/test/data/test_case.hpp>

#include <string_view>

BOOST_AUTO_TEST_SUITE(own_origin_test)

using weft::serve_detail::is_own_origin;
using weft::serve_detail::require_own_origin;

struct origin_row {
    std::string_view origin;
    std::string_view host;
    std::string_view allowed;
    bool is_own;
    friend std::ostream& operator<<(std::ostream& out, const origin_row& row)
    {
        return out << row.origin << " at " << row.host << ", allowed: " << row.allowed;
    }
};

BOOST_DATA_TEST_CASE(an_origin_is_own_if_it_is_the_server_or_allowed,
                     boost::unit_test::data::make({
                         origin_row{"http://localhost:8123", "localhost:8123", "", true},
                         origin_row{"http://LocalHost:8123", "localhost:8123", "", true},
                         origin_row{"https://app.example", "app.example", "", true},
                         origin_row{"https://app.example", "app.example:443", "", true},
                         origin_row{"http://app.example:80", "app.example", "", true},
                         origin_row{"http://[::1]:8123", "[::1]:8123", "", true},
                         origin_row{"http://localhost:3000", "localhost:8123", "", false},
                         origin_row{"http://localhost", "localhost:8123", "", false},
                         origin_row{"https://app.example", "app.example:80", "", false},
                         origin_row{"https://evil.example", "app.example", "", false},
                         origin_row{"https://app.example.evil.example", "app.example", "", false},
                         origin_row{"https://app.example/", "app.example", "", false},
                         origin_row{"ftp://app.example", "app.example", "", false},
                         origin_row{"http://", "", "", false},
                         origin_row{"null", "null", "", false},
                         origin_row{"", "", "", false},
                         origin_row{"https://page.example", "app.example", "https://page.example", true},
                         origin_row{"http://page.example", "app.example", "https://page.example", false},
                         origin_row{"https://app.example", "app.example", "https://page.example", true},
                         origin_row{"https://evil.example", "app.example", "*", true},
                     }),
                     row)
{
    BOOST_TEST(is_own_origin(row.origin, row.host, row.allowed) == row.is_own);
}

BOOST_AUTO_TEST_CASE(every_origin_of_a_request_must_be_own_and_none_is_needed)
{
    weft::http_request_head head;
    head.host = "app.example";
    BOOST_CHECK_NO_THROW(require_own_origin(head, ""));
    head.headers.add("Origin", "https://app.example");
    BOOST_CHECK_NO_THROW(require_own_origin(head, ""));
    head.headers.add("origin", "https://evil.example");
    BOOST_CHECK_EXCEPTION(require_own_origin(head, ""), weft::http_error,
                          [](const weft::http_error& e) { return e.status() == 403; });
}

BOOST_AUTO_TEST_SUITE_END()
