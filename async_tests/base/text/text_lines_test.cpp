#include <weft/base/text/text_lines.hpp>

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(text_lines_test)

BOOST_AUTO_TEST_CASE(places_are_those_that_position_in_finds)
{
    std::mt19937 random{5};
    for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 512u, 2000u}) {
        std::string text;
        while (text.size() < size) {
            static constexpr std::string_view pieces[] = {"a", "\n", "ä", "€", "\xf0\x9f\x98\x80", "\r\n", "\x80"};
            text += pieces[random() % std::size(pieces)];
        }
        const weft::text_lines lines{text};
        for (std::size_t at = 0; at <= text.size() + 1; ++at)
            BOOST_REQUIRE((lines.at(at) == weft::position_in(text, at)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
