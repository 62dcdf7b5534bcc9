#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <weft/base/error.hpp>
#include <weft/net/options/listen_address.hpp>

#include <boost/test/data/test_case.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(listen_address_test)

using weft::listen_address;

struct row {
    std::string_view text;
    std::string_view read;
    bool is_local;
    friend std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.text; }
};

BOOST_DATA_TEST_CASE(an_address_is_read,
                     boost::unit_test::data::make({
                         row{"127.0.0.1:8080", "127.0.0.1:8080", true},
                         row{"localhost:80", "127.0.0.1:80", true},
                         row{"0.0.0.0:0", "0.0.0.0:0", false},
                         row{":8443", ":8443", false},
                         row{"[::1]:9", "[::1]:9", true},
                         row{"[0:0::0:1]:9", "[::1]:9", true},
                         row{"[::]:9", "[::]:9", false},
                         row{"unix:/run/a b.sock", "unix:/run/a b.sock", true},
                         row{"fd:987654", "fd:987654", false},
                     }),
                     row)
{
    const listen_address at{row.text};
    BOOST_TEST(at.to_string() == row.read);
    BOOST_TEST(at.is_local() == row.is_local);
    BOOST_TEST((listen_address{at.to_string()} == at));
}

BOOST_DATA_TEST_CASE(what_is_no_address_is_refused_with_an_example,
                     boost::unit_test::data::make({"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80",
                                                   "example.com:80", "[::1:80", "unix:", "fd:", "fd:2", "fd:x",
                                                   "127.1:80", "127.0.0.1:8o"}),
                     text)
{
    BOOST_CHECK_EXCEPTION(listen_address{text}, weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration &&
               std::string_view{e.what()}.find("127.0.0.1:8080") != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(the_path_of_a_unix_socket_fits_into_the_kernel_s_place)
{
    BOOST_CHECK_NO_THROW(listen_address{"unix:" + std::string(107, 'a')});
    BOOST_CHECK_THROW(listen_address{"unix:" + std::string(108, 'a')}, weft::error);
}

BOOST_AUTO_TEST_CASE(an_inherited_socket_is_local_if_it_is_bound_so)
{
    const auto is_local = [](int domain, const sockaddr* at, socklen_t size) {
        const int descriptor = ::socket(domain, SOCK_STREAM, 0);
        BOOST_TEST_REQUIRE(::bind(descriptor, at, size) == 0);
        const bool result = weft::listen_address{"fd:" + std::to_string(descriptor)}.is_local();
        ::close(descriptor);
        return result;
    };
    sockaddr_in at{};
    at.sin_family = AF_INET;
    BOOST_TEST(!is_local(AF_INET, reinterpret_cast<const sockaddr*>(&at), sizeof at));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_TEST(is_local(AF_INET, reinterpret_cast<const sockaddr*>(&at), sizeof at));
    sockaddr_un own{};
    own.sun_family = AF_UNIX;  // without a name the system gives it one
    BOOST_TEST(is_local(AF_UNIX, reinterpret_cast<const sockaddr*>(&own), sizeof own.sun_family));
}

BOOST_AUTO_TEST_SUITE_END()
