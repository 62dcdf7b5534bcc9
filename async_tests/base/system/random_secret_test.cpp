#include <boost/test/unit_test.hpp>

#include <weft/base/system/random_secret.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(random_secret_test)

BOOST_AUTO_TEST_CASE(a_secret_has_43_characters_of_base64url_and_comes_once)
{
    const std::string one = weft::random_secret();
    BOOST_TEST(one.size() == 43U);
    BOOST_TEST(one.find_first_of("+/=") == std::string::npos);
    BOOST_TEST(one != weft::random_secret());
}

BOOST_AUTO_TEST_SUITE_END()
