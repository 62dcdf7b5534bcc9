#include <boost/test/unit_test.hpp>

#include "serve/schedule/webhook_url.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(webhook_url_test)

using weft::serve_detail::webhook_url_fault;

BOOST_AUTO_TEST_CASE(only_https_urls_of_the_public_internet_are_taken)
{
    const weft::webhook_options options;
    for (const char* const good : {"https://example.com/hook?a=1", "https://example.com:8443/", "https://8.8.8.8/"})
        BOOST_TEST(webhook_url_fault(good, options) == "", good);
    for (const char* const bad :
         {"/hook", "hook", "//example.com/hook", "", "http://example.com/hook", "ftp://example.com/",
          "https://localhost/", "https://127.0.0.1/", "https://127.1/", "https://0x7f.0.0.1/", "https://2130706433/",
          "https://10.0.0.7/", "https://192.168.1.1/", "https://169.254.169.254/latest/", "https://[::1]/",
          "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "http://127.0.0.1/",
          "https://user:pass@example.com/"})
        BOOST_TEST(webhook_url_fault(bad, options) != "", bad);
    BOOST_TEST(webhook_url_fault("https://example.com/" + std::string(3000, 'a'), options) != "");
}

BOOST_AUTO_TEST_CASE(an_address_that_the_options_allow_is_taken_also_without_tls)
{
    weft::webhook_options options;
    options.also_allowed = [](std::string_view address) { return address == "127.0.0.1" || address == "10.0.0.7"; };
    for (const char* const good : {"http://127.0.0.1:8080/", "http://localhost:8080/", "https://10.0.0.7/"})
        BOOST_TEST(webhook_url_fault(good, options) == "", good);
    for (const char* const bad : {"http://10.0.0.8/", "http://example.com/", "https://[::1]/"})
        BOOST_TEST(webhook_url_fault(bad, options) != "", bad);
}

BOOST_AUTO_TEST_SUITE_END()
