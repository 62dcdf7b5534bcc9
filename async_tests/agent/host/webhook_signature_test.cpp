#include <boost/test/unit_test.hpp>

#include <weft/agent/host/webhook_signature.hpp>

BOOST_AUTO_TEST_SUITE(webhook_signature_test)

// The example of GitHub's page "Validating webhook deliveries".
BOOST_AUTO_TEST_CASE(HIV_42_the_published_example_of_a_signature)
{
    const weft::secret_string secret{"It's a Secret to Everybody"};
    BOOST_TEST(weft::webhook_signature("Hello, World!", secret) ==
               "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
}

BOOST_AUTO_TEST_CASE(HIV_42_only_the_right_signature_of_the_right_body_counts)
{
    const weft::secret_string secret{"It's a Secret to Everybody"};
    const std::string right = weft::webhook_signature("Hello, World!", secret);
    BOOST_TEST(weft::is_signed_webhook("Hello, World!", right, secret));
    BOOST_TEST(!weft::is_signed_webhook("Hello, World?", right, secret));
    BOOST_TEST(!weft::is_signed_webhook("Hello, World!", right, weft::secret_string{"another"}));
    BOOST_TEST(!weft::is_signed_webhook("Hello, World!", right.substr(7), secret));
    BOOST_TEST(!weft::is_signed_webhook("Hello, World!", right.substr(0, 70), secret));
    BOOST_TEST(!weft::is_signed_webhook("Hello, World!", "", secret));
    BOOST_TEST(weft::is_signed_webhook("", weft::webhook_signature("", secret), secret));
}

BOOST_AUTO_TEST_SUITE_END()
