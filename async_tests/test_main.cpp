// The main function of every test program.
#define BOOST_TEST_MODULE weft
#include <boost/test/unit_test.hpp>
