#include <boost/test/unit_test.hpp>

#include <weft/base/environment.hpp>

#include <cstdlib>

BOOST_AUTO_TEST_SUITE(environment_test)

BOOST_AUTO_TEST_CASE(a_variable_of_the_process_is_found_also_when_it_is_empty)
{
    const weft::environment_lookup lookup = weft::process_environment();
    ::unsetenv("WEFT_ENVIRONMENT_TEST");
    BOOST_TEST(!lookup("WEFT_ENVIRONMENT_TEST").has_value());
    ::setenv("WEFT_ENVIRONMENT_TEST", "", 1);
    BOOST_TEST(lookup("WEFT_ENVIRONMENT_TEST").value() == "");
    ::setenv("WEFT_ENVIRONMENT_TEST", "a b", 1);
    BOOST_TEST(lookup("WEFT_ENVIRONMENT_TEST").value() == "a b");
    ::unsetenv("WEFT_ENVIRONMENT_TEST");
}

BOOST_AUTO_TEST_SUITE_END()
