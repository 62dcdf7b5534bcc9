#include <boost/test/unit_test.hpp>

#include <weft/tool/oauth/oauth_tokens.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(oauth_tokens_test)

BOOST_AUTO_TEST_CASE(M4_tokens_come_back_as_they_were_kept)
{
    weft::oauth_tokens tokens;
    tokens.access = weft::secret_string{"a\"b"};
    tokens.refresh = weft::secret_string{"r"};
    tokens.scope = "x y";
    tokens.issuer = "https://as.example";
    tokens.client = {"id", weft::secret_string{"s"}, "client_secret_post", "http://127.0.0.1/c"};
    tokens.expires_at = weft::clock::system_time_point{std::chrono::seconds{1'800'000'000}};
    const auto read = weft::oauth_tokens::from_text(tokens.to_text().reveal()).value();
    BOOST_TEST(read.to_text().reveal() == tokens.to_text().reveal());
    BOOST_TEST(read.access.reveal() == "a\"b");
    BOOST_TEST((read.expires_at == tokens.expires_at));
    BOOST_TEST(read.client.redirect_uri == "http://127.0.0.1/c");
    BOOST_TEST(!weft::oauth_tokens::from_text("[]"));
    BOOST_TEST(!weft::oauth_tokens::from_text(""));
}

BOOST_AUTO_TEST_SUITE_END()
