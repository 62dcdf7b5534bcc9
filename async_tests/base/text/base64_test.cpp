#include <weft/base/text/base64.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(base64_test)

using weft::from_base64;
using weft::to_base64;

namespace {

struct pair {
    std::string_view bytes;
    std::string_view text;

    friend std::ostream& operator<<(std::ostream& out, const pair& p) { return out << p.text; }
};

// RFC 4648 §10, and what has all bits.
constexpr pair pairs[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xff\xfe\xfd", "//79"},
    {"\xfb\xff", "+/8="},
};

}  // namespace

BOOST_DATA_TEST_CASE(bytes_become_a_text_and_come_back, boost::unit_test::data::make(pairs), p)
{
    BOOST_TEST(to_base64(p.bytes) == p.text);
    BOOST_TEST(from_base64(p.text).value() == p.bytes);
}

BOOST_AUTO_TEST_CASE(every_byte_comes_back_at_every_place)
{
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    for (std::size_t size = 253; size <= 256; ++size) {
        const std::string part = bytes.substr(256 - size);
        BOOST_TEST((from_base64(to_base64(part)) == part));
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_base64_has_no_bytes)
{
    for (const char* wrong : {"Z", "Zg", "Zg=", "Zm9", "====", "Z===", "=Zg=", "Zg==Zg==", "Zm9v\n", " Zm9", "Zm-v",
                              "Zm_v", "Zm9\x80"})
        BOOST_TEST(!from_base64(wrong).has_value(), wrong);
    BOOST_TEST(!from_base64(std::string_view{"Zm9\0", 4}).has_value());
}

BOOST_AUTO_TEST_CASE(bits_beyond_the_last_byte_are_passed_over) { BOOST_TEST(from_base64("Zh==").value() == "f"); }

BOOST_AUTO_TEST_CASE(bytes_as_digits)
{
    BOOST_TEST(weft::to_hex("").empty());
    BOOST_TEST(weft::to_hex(std::string_view{"\0\x09\xaf\xff", 4}) == "0009afff");
}

BOOST_AUTO_TEST_CASE(bytes_go_into_urls_and_come_back)
{
    const std::string bytes{"\xfb\xff\xfe\x01", 4};
    BOOST_TEST(weft::to_base64url(bytes) == "-__-AQ");
    BOOST_TEST(weft::from_base64url("-__-AQ").value() == bytes);
    BOOST_TEST(weft::to_base64url("").empty());
    for (std::size_t size = 0; size < 20; ++size) {
        const std::string text(size, '\x9f');
        BOOST_TEST(weft::from_base64url(weft::to_base64url(text)).value() == text);
    }
    for (const char* const wrong : {"a", "+__-AQ", "-__/AQ", "-__-AQ==", "-__-A Q"})
        BOOST_TEST(!weft::from_base64url(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
