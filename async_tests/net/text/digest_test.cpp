#include <boost/test/unit_test.hpp>

#include <weft/base/text/base64.hpp>

#include <weft/net/text/digest.hpp>

BOOST_AUTO_TEST_SUITE(digest_test)

BOOST_AUTO_TEST_CASE(digests_are_those_of_the_standard)
{
    // FIPS 180-4, examples.
    BOOST_TEST(weft::to_hex(weft::net_detail::sha256("abc")) ==
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_TEST(weft::to_hex(weft::net_detail::sha256("")) ==
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_TEST(weft::to_hex(weft::net_detail::sha1("abc")) == "a9993e364706816aba3e25717850c26c9cd0d89d");
}

BOOST_AUTO_TEST_SUITE_END()
