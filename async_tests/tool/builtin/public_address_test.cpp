#include <boost/test/unit_test.hpp>

#include <weft/tool/builtin/public_address.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(public_address_test)

BOOST_AUTO_TEST_CASE(addresses_of_the_public_internet_are_public)
{
    for (const char* address :
         {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
          "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
          "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1",
          "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1", "3ffe::1"})
        BOOST_TEST(weft::is_public_address(address), address);
}

BOOST_AUTO_TEST_CASE(all_others_are_not)
{
    for (const char* address :
         {"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
          "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
          "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
          "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
          "::ffff:10.0.0.1", "::ffff:0:7f00:1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1",
          "2001::1", "2001:0:4136:e378::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1",
          "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "4000::1", "5f00::1"})
        BOOST_TEST(!weft::is_public_address(address), address);
}

BOOST_AUTO_TEST_CASE(what_is_no_address_is_not_public)
{
    using namespace std::string_literals;
    for (const std::string& text :
         {""s, "localhost"s, "0x7f.1"s, "2130706433"s, "127.1"s, "8.8.8.8\0.1"s, "fe80::1%eth0"s, "2606:4700::1%1"s,
          " 8.8.8.8"s, "8.8.8.8 "s, "[2606:4700::1]"s, std::string(100, '1')})
        BOOST_TEST(!weft::is_public_address(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
