#include <boost/test/unit_test.hpp>

#include "tool/oauth/oauth_secrets.hpp"

BOOST_AUTO_TEST_SUITE(oauth_secrets_test)

BOOST_AUTO_TEST_CASE(M4_the_challenge_is_that_of_the_standard)
{
    // RFC 7636, appendix B.
    BOOST_TEST(weft::tool_detail::pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ==
               "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

BOOST_AUTO_TEST_SUITE_END()
