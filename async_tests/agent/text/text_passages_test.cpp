#include <boost/test/unit_test.hpp>

#include <weft/agent/text/text_passages.hpp>

#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(text_passages_test)

namespace {

/** `heading@line:text` of each passage, with | between them and / for line breaks. */
std::string shown(std::string_view document, std::size_t bytes_max = 1'500)
{
    std::string all;
    for (const weft::text_passage& each : weft::passages_of(document, {.bytes_max = bytes_max})) {
        if (!all.empty()) all += "|";
        all += each.heading + "@" + std::to_string(each.line) + ":" + each.text;
    }
    for (char& c : all) c = c == '\n' ? '/' : c;
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(headings_divide_and_stand_beside_what_is_below_them)
{
    BOOST_TEST(shown("") == "");
    BOOST_TEST(shown("\n  \n") == "");
    BOOST_TEST(shown("one\n\ntwo\n") == "@1:one//two");
    BOOST_TEST(shown("# A\n\nfirst\n\n## B ##\nsecond\n### C\nthird\n## D\nfourth\n# E\nfifth") ==
               "A@3:first|A > B@6:second|A > B > C@8:third|A > D@10:fourth|E@12:fifth");
    BOOST_TEST(shown("#hash\n####### seven\n") == "@1:#hash/####### seven");
    BOOST_TEST(shown("# A\r\ntext\r\n") == "A@2:text");
}

BOOST_AUTO_TEST_CASE(code_is_no_heading_and_keeps_its_blank_lines)
{
    BOOST_TEST(shown("a\n```sh\n# comment\n\nls\n```\n# B\nb") == "@1:a/```sh/# comment//ls/```|B@8:b");
    BOOST_TEST(shown("~~~\n# never ends") == "@1:~~~/# never ends");
}

BOOST_AUTO_TEST_CASE(long_sections_are_divided_between_paragraphs_else_between_lines)
{
    BOOST_TEST(shown("aaaa aaaa\n\nbbbb bbbb\n\ncccc", 20) == "@1:aaaa aaaa//bbbb bbbb|@5:cccc");
    BOOST_TEST(shown("aaaa aaaa\n\nbbbb\nbbbb\nbbbb", 20) == "@1:aaaa aaaa|@3:bbbb/bbbb/bbbb");
    BOOST_TEST(shown("aaaa aaaa\naaaa aaaa\naaaa", 20) == "@1:aaaa aaaa/aaaa aaaa|@3:aaaa");
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_divided_between_characters)
{
    BOOST_TEST(shown("123456789012345é89", 16) == "@1:123456789012345|@1:é89");
    BOOST_TEST(shown(std::string(40, 'x'), 1) == "@1:" + std::string(16, 'x') + "|@1:" + std::string(16, 'x') +
                                                     "|@1:" + std::string(8, 'x'));
}

BOOST_AUTO_TEST_CASE(no_passage_is_too_long_and_nothing_but_blanks_is_lost)
{
    std::mt19937 random{42};
    for (int round = 0; round < 500; ++round) {
        std::string document;
        for (int i = 0; i < 60; ++i) {
            const auto kind = random() % 6;
            if (kind == 0) document += '\n';
            else if (kind == 1) document += "\n\n";
            else if (kind == 2) document += ' ';
            else document += static_cast<char>('a' + random() % 26);
        }
        std::string wanted;
        for (const char c : document)
            if (c >= 'a' && c <= 'z') wanted += c;
        std::string found;
        for (const weft::text_passage& each : weft::passages_of(document, {.bytes_max = 20})) {
            BOOST_TEST_REQUIRE(each.text.size() <= 20u);
            for (const char c : each.text)
                if (c >= 'a' && c <= 'z') found += c;
        }
        BOOST_TEST_REQUIRE(found == wanted);
    }
}

BOOST_AUTO_TEST_SUITE_END()
