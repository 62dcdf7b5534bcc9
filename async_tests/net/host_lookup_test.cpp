#include <boost/test/unit_test.hpp>

#include "../../lib/net/host_lookup.hpp"
#include "test_loop.hpp"

BOOST_AUTO_TEST_SUITE(host_lookup_test)

using namespace std::chrono_literals;
using weft::net_detail::host_lookup;

namespace {

/** The addresses that are known without asking anybody: none if the lookup has to wait. */
std::vector<std::string> known_addresses(const std::string& where)
{
    test_loop loop;
    host_lookup lookup{loop.loop()};
    started<host_lookup::addresses> found{loop, lookup.find(weft::url{where}, loop.loop().now() + 10s)};
    std::vector<std::string> texts;
    if (found.is_done())
        for (const auto& address : found.result()) texts.push_back(address.to_string());
    return texts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(this_machine_is_known_without_name_servers)
{
    const std::vector<std::string> both{"127.0.0.1", "::1"};
    BOOST_TEST(known_addresses("https://localhost:4433/v1") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("https://LOCALHOST/") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("http://model.localhost/") == both, boost::test_tools::per_element());
    BOOST_TEST(known_addresses("http://notlocalhost.invalid/").empty());
}

BOOST_AUTO_TEST_CASE(an_address_is_its_own)
{
    BOOST_TEST(known_addresses("https://192.0.2.7/").at(0) == "192.0.2.7");
    BOOST_TEST(known_addresses("https://[2001:db8::1]:8443/").at(0) == "2001:db8::1");
}

BOOST_AUTO_TEST_SUITE_END()
