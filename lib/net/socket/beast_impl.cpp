// The compiled half of Beast: everything else in the program only declares it (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
