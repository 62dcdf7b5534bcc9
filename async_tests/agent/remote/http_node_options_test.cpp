#include <weft/agent/remote/http_node_options.hpp>

#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(http_node_options_test)

BOOST_AUTO_TEST_CASE(services_are_trusted_by_host_or_by_host_and_port)
{
    const auto trusts = weft::trust_hosts({"localhost", "scores.internal:8443", "[::1]:8001", "[fd00::1]"});
    const auto is_trusted = [&](const char* text) { return trusts(weft::url{text}); };
    BOOST_TEST(is_trusted("http://localhost:1234/x"));
    BOOST_TEST(is_trusted("https://LOCALHOST/x"));
    BOOST_TEST(is_trusted("https://scores.internal:8443/"));
    BOOST_TEST(!is_trusted("https://scores.internal/"));
    BOOST_TEST(is_trusted("http://[::1]:8001/"));
    BOOST_TEST(!is_trusted("http://[::1]:8002/"));
    BOOST_TEST(is_trusted("http://[fd00::1]:9/"));
    BOOST_TEST(!is_trusted("http://localhost.example/"));
    BOOST_TEST(!weft::trust_hosts({})(weft::url{"http://localhost"}));
}

BOOST_AUTO_TEST_CASE(what_is_no_host_is_refused_and_all_of_it_named)
{
    try {
        (void)weft::trust_hosts({"a/b", "localhost", "http://x", "user@x"});
        BOOST_FAIL("accepted");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::invalid_configuration));
        for (const char* part : {"'a/b'", "'http://x'", "'user@x'"})
            BOOST_TEST(e.detail().find(part) != std::string::npos, e.detail());
        BOOST_TEST(e.detail().find("'localhost'") == std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
