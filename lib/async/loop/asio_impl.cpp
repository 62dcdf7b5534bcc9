// The compiled half of Asio: everything else in the program only declares it (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
