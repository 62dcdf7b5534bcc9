#include <boost/test/unit_test.hpp>

#include <weft/base/utf8.hpp>

#include <string>
#include <vector>

using weft::is_valid_utf8;
using weft::repaired_utf8;
using weft::truncated_utf8;

BOOST_AUTO_TEST_SUITE(utf8_test)

namespace {

const std::string replacement = "\xef\xbf\xbd";

std::string replacements(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i) text += replacement;
    return text;
}

struct broken {
    std::string text;
    int replaced;   // How many times U+FFFD, and nothing else, comes out.
};

const std::vector<broken> broken_texts = {
    {"\x80", 1},                              // stray continuation
    {"\xff", 1},                              // never used
    {"\xc0\xaf", 2},                          // overlong
    {"\xe0\x80\xaf", 3},                      // overlong
    {"\xf0\x80\x80\xaf", 4},                  // overlong
    {"\xed\xa0\x80", 3},                      // surrogate
    {"\xf4\x90\x80\x80", 4},                  // above U+10FFFF
    {"\xf5\x80\x80\x80", 4},                  // above U+10FFFF
    {"\xc3", 1},                              // ends too early
    {"\xe2\x82", 1},                          // ends too early
    {"\xf0\x9f\x98", 1},                      // ends too early
    {"\xf0\x9f", 1},                          // ends too early
    {"\xe2\x82\xf0\x9f\x98", 2},              // two that end too early
    {"\xf0\x91\x92\xf1\xbf", 2},              // table 3-11 of the standard
};

}  // namespace

BOOST_AUTO_TEST_CASE(well_formed_text_is_valid_and_unchanged)
{
    for (const std::string text :
         {"", "plain", "z\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf",
          "\xed\x9f\xbf", "\xee\x80\x80", "\xe0\xa0\x80", "\xf0\x90\x80\x80", "\xc2\x80"}) {
        BOOST_TEST(is_valid_utf8(text));
        BOOST_TEST(repaired_utf8(text) == text);
    }
    BOOST_TEST(is_valid_utf8(std::string_view{"a\0b", 3}));
}

BOOST_AUTO_TEST_CASE(a_wrong_byte_is_found_wherever_it_stands)
{
    for (std::size_t size = 0; size < 40; ++size) {
        BOOST_TEST(weft::is_valid_utf8(std::string(size, 'a')));
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'a');
            text[at] = '\x80';
            BOOST_TEST(!weft::is_valid_utf8(text), size << " bytes, wrong at " << at);
            if (at + 1 == size) continue;
            text[at] = '\xc3';
            BOOST_TEST(!weft::is_valid_utf8(text));
            text[at + 1] = '\xa4';
            BOOST_TEST(weft::is_valid_utf8(text), size << " bytes, a letter at " << at);
        }
    }
}

BOOST_AUTO_TEST_CASE(each_maximal_part_that_is_wrong_is_replaced_once)
{
    for (const broken& b : broken_texts) {
        BOOST_TEST_CONTEXT("replacements " << b.replaced << ", bytes " << b.text.size())
        {
            BOOST_TEST(!is_valid_utf8(b.text));
            BOOST_TEST(!is_valid_utf8("a" + b.text + "b"));
            BOOST_TEST(repaired_utf8(b.text) == replacements(b.replaced));
            BOOST_TEST(repaired_utf8("a" + b.text + "b") == "a" + replacements(b.replaced) + "b");
        }
    }
}

BOOST_AUTO_TEST_CASE(the_example_of_the_standard_is_repaired_as_it_says)
{
    BOOST_TEST(repaired_utf8("a\xf1\x80\x80\xe1\x80\xc2"
                             "b\x80"
                             "c\x80\xbf"
                             "d") ==
               "a" + replacements(3) + "b" + replacement + "c" + replacements(2) + "d");
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_code_points)
{
    const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";   // 1, 2, 3 and 4 bytes
    const std::vector<std::size_t> sizes = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t bytes_max = 0; bytes_max < sizes.size(); ++bytes_max)
        BOOST_TEST(truncated_utf8(text, bytes_max) == text.substr(0, sizes[bytes_max]));
    BOOST_TEST(truncated_utf8("\x80\x80\x80", 2) == "");
}

BOOST_AUTO_TEST_CASE(code_points_are_read_counted_and_written)
{
    const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    std::string_view rest = text;
    std::vector<char32_t> codes;
    std::string again;
    for (std::size_t bytes = 0; !rest.empty(); rest.remove_prefix(bytes)) {
        codes.push_back(weft::first_code_point(rest, bytes));
        weft::append_code_point(again, codes.back());
    }
    BOOST_TEST((codes == std::vector<char32_t>{'a', 0xe9, 0x20ac, 0x1f600}));
    BOOST_TEST(again == text);
    BOOST_TEST(weft::count_code_points(text) == 4U);
}

BOOST_AUTO_TEST_CASE(a_stray_byte_counts_as_a_code_point)
{
    std::size_t bytes = 0;
    BOOST_TEST((weft::first_code_point("\xe2\x82", bytes) == U'\xe2'));
    BOOST_TEST(bytes == 1U);
    BOOST_TEST(weft::count_code_points("\xe2\x82x\xff") == 4U);
    BOOST_TEST(weft::code_point_bytes("\xc3(") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
