#include <boost/test/unit_test.hpp>

#include <weft/store/record/blob_pack.hpp>

#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(blob_pack_test)

BOOST_AUTO_TEST_CASE(a_pack_gives_what_was_added_also_when_it_was_moved)
{
    weft::blob_pack pack{100};
    BOOST_TEST(pack.empty());
    const std::string links = std::string(16, 'a') + std::string(16, 'b');
    for (std::uint8_t i = 0; i < 50; ++i)
        BOOST_TEST(pack.add(weft::content_hash{{i}}, std::string(i, 'x'), i % 2 == 0 ? links : std::string{}));
    BOOST_TEST(!pack.add(weft::content_hash{}, "cut", links.substr(1)));
    const weft::blob_pack moved = std::move(pack);
    BOOST_TEST(moved.size() == 50u);
    BOOST_TEST(moved.bytes() == 25u * 32 + 49 * 50 / 2);
    for (std::uint8_t i = 0; i < 50; ++i) {
        const weft::blob_pack::entry one = moved[i];
        BOOST_TEST((one.hash == weft::content_hash{{i}}));
        BOOST_TEST(one.bytes == std::string(i, 'x'));
        BOOST_TEST(one.links.size() == (i % 2 == 0 ? 2u : 0u));
        if (i % 2 == 0) BOOST_TEST((one.links[1].bytes[0] == 'b'));
    }
}

BOOST_AUTO_TEST_SUITE_END()
