#include <weft/base/error.hpp>
#include <weft/store/redis/redis_options.hpp>
#include <weft/store/redis_client.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(redis_options_test)

using weft::errc;
using weft::redis_options;

namespace {

weft::error refusal_of(std::string_view text)
{
    try {
        (void)redis_options::from_url(text);
    } catch (const weft::error& e) {
        return e;
    }
    BOOST_FAIL("it was accepted: " << text);
    throw std::logic_error{"unreachable"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_url_says_server_login_and_database)
{
    const redis_options plain = redis_options::from_url("redis://cache.example.com");
    BOOST_TEST(plain.host == "cache.example.com");
    BOOST_TEST(plain.port == 6379);
    BOOST_TEST(!plain.tls);
    BOOST_TEST(plain.password.empty());

    const redis_options full = redis_options::from_url("rediss://ann:p%40ss%2fword@10.0.0.7:6380/3");
    BOOST_TEST(full.host == "10.0.0.7");
    BOOST_TEST(full.port == 6380);
    BOOST_TEST(full.user == "ann");
    BOOST_TEST(full.password.reveal() == "p@ss/word");
    BOOST_TEST(full.database == 3u);
    BOOST_TEST(full.tls.has_value());

    const redis_options six = redis_options::from_url("redis://:secret@[::1]:7000/");
    BOOST_TEST(six.host == "::1");
    BOOST_TEST(six.port == 7000);
    BOOST_TEST(six.user == "");
    BOOST_TEST(six.password.reveal() == "secret");
}

BOOST_AUTO_TEST_CASE(a_url_that_is_none_is_refused_without_its_password)
{
    for (const char* text : {"", "http://:hunter22@host", "redis://:hunter22@", "redis://:hunter22@host:port",
                             "redis://:hunter22@host:70000", "redis://:hunter22@host/x", "redis://:hunter22%4@host"}) {
        const weft::error e = refusal_of(text);
        BOOST_TEST((e.code() == errc::invalid_configuration));
        BOOST_TEST(std::string{e.what()}.find("hunter22") == std::string::npos);
        BOOST_TEST(std::string{e.what()}.find("redis://:password@host:6379/0") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_password_goes_to_other_machines_over_tls_only)
{
    redis_options open{"192.0.2.1"};
    open.password = weft::secret_string{"hunter22"};
    try {
        const weft::redis_client client{open};
        BOOST_FAIL("it was accepted");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        BOOST_TEST(std::string{e.what()}.find("secrets_without_tls") != std::string::npos);
        BOOST_TEST(std::string{e.what()}.find("hunter22") == std::string::npos);
    }
    open.secrets_without_tls = true;
    const weft::redis_client allowed{open};
    BOOST_TEST(allowed.endpoint() == "192.0.2.1:6379");
    redis_options loopback{"localhost"};
    loopback.password = weft::secret_string{"hunter22"};
    const weft::redis_client here{loopback};
    BOOST_TEST(here.endpoint() == "localhost:6379");
}

BOOST_AUTO_TEST_CASE(a_host_that_is_none_is_refused)
{
    for (const char* host : {"", "a b", "host/path", "user@host"}) {
        try {
            const weft::redis_client client{redis_options{host}};
            BOOST_FAIL("it was accepted: " << host);
        } catch (const weft::error& e) {
            BOOST_TEST((e.code() == errc::invalid_configuration));
        }
    }
    BOOST_CHECK_THROW(weft::redis_client{redis_options("localhost", 0)}, weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
