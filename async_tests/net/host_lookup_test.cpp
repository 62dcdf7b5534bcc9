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

std::vector<std::string> chosen(const std::vector<std::string>& found)
{
    host_lookup::addresses addresses;
    for (const std::string& text : found) addresses.push_back(boost::asio::ip::make_address(text));
    std::vector<std::string> texts;
    for (const auto& address : weft::net_detail::chosen_addresses(addresses)) texts.push_back(address.to_string());
    return texts;
}

BOOST_AUTO_TEST_CASE(the_families_take_turns_and_each_address_comes_once)
{
    const std::vector<std::string> expected{"::a", "1.1.1.1", "::b", "2.2.2.2", "::c"};
    BOOST_TEST(chosen({"::a", "::b", "::a", "::c", "1.1.1.1", "2.2.2.2", "1.1.1.1"}) == expected,
               boost::test_tools::per_element());
    BOOST_TEST(chosen({}).empty());
}

BOOST_AUTO_TEST_CASE(many_addresses_of_one_family_leave_room_for_the_other)
{
    std::vector<std::string> found;
    for (int i = 1; i <= 20; ++i) found.push_back("2001:db8::" + std::to_string(i));
    found.push_back("192.0.2.1");
    const std::vector<std::string> some = chosen(found);
    BOOST_TEST(some.size() == host_lookup::addresses_max);
    BOOST_TEST(some[0] == "2001:db8::1");
    BOOST_TEST(some[1] == "192.0.2.1");
}

BOOST_AUTO_TEST_CASE(a_lookup_that_takes_too_long_is_a_connect_timeout_and_goes_on_alone)
{
    hand_clock time;
    test_loop loop{time};
    host_lookup lookup{loop.loop()};
    started<host_lookup::addresses> found{loop, lookup.find(weft::url{"http://slow.invalid/"}, loop.loop().now() + 5s)};
    loop.advance(5s);
    BOOST_TEST(found.is_done());
    BOOST_TEST((found.failure().code() == weft::errc::connect_timeout ||
                found.failure().code() == weft::errc::resolve_failed));  // where the system answered at once
}

BOOST_AUTO_TEST_SUITE_END()
