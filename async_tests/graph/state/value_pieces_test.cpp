#include <boost/test/unit_test.hpp>

#include <weft/base/list.hpp>
#include <weft/graph/state/value_pieces.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(value_pieces_test)

namespace {

inline constexpr weft::state_key<weft::list<std::string>> lines{"lines"};
inline constexpr weft::state_key<std::string> text{"text"};
inline constexpr weft::state_key<boost::json::value> anything{"anything"};

/** In pieces of about so many bytes; @return How many there were. */
std::size_t write_in_pieces(const weft::state_layout& keys, std::uint32_t slot, weft::value_ptr value,
                            std::size_t bytes)
{
    const std::string whole = boost::json::serialize(value->type().to_json(*value));
    weft::value_pieces pieces;
    pieces.begin(keys[slot], value);
    std::string made;
    std::size_t count = 1;
    for (; !pieces.write(made, made.size() + bytes); ++count) BOOST_TEST_REQUIRE(made.size() < whole.size());
    BOOST_TEST(made == whole);
    return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_become_the_text_that_they_have_as_a_whole)
{
    weft::state_layout keys;
    BOOST_TEST_REQUIRE((keys.add(lines) && keys.add(text) && keys.add(anything)));
    for (const std::size_t bytes : {1u, 1'000u, 10'000u, 1'000'000u}) {
        write_in_pieces(keys, 0, weft::make_box<weft::list<std::string>>(), bytes);
        write_in_pieces(keys, 0, weft::make_box<weft::list<std::string>>(weft::list<std::string>{"a", "", "\n"}),
                        bytes);
        write_in_pieces(keys, 1, weft::make_box<std::string>("one"), bytes);
        write_in_pieces(keys, 2, weft::make_box<boost::json::value>(boost::json::parse(R"({"a":[1,{"b":null}]})")),
                        bytes);
    }
}

BOOST_AUTO_TEST_CASE(a_long_text_and_a_long_list_take_many_pieces)
{
    weft::state_layout keys;
    BOOST_TEST_REQUIRE(keys.add(lines));
    BOOST_TEST_REQUIRE(keys.add(text));
    weft::list<std::string> many;
    for (int i = 0; i < 100; ++i) many.push_back(std::string(1'000, 'a'));
    weft::list<std::string> small;
    for (int i = 0; i < 1'000; ++i) small.push_back("a");
    BOOST_TEST(write_in_pieces(keys, 0, weft::make_box<weft::list<std::string>>(many), 10'000) >= 8u);
    BOOST_TEST(write_in_pieces(keys, 0, weft::make_box<weft::list<std::string>>(small), 10'000) >= 20u);
    BOOST_TEST(write_in_pieces(keys, 1, weft::make_box<std::string>(std::string(100'000, 'a')), 10'000) >= 8u);
}

BOOST_AUTO_TEST_CASE(a_text_of_megabytes_is_not_copied_while_it_grows)
{
    weft::state_layout keys;
    BOOST_TEST_REQUIRE((keys.add(lines) && keys.add(text)));
    weft::list<std::string> many;
    for (int i = 0; i < 2'000; ++i) many.push_back(std::to_string(i) + std::string(1'000, 'a'));
    const std::vector<weft::value_ptr> values{weft::make_box<weft::list<std::string>>(many),
                                              weft::make_box<std::string>(std::string(2'000'000, 'a'))};
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        weft::value_pieces pieces;
        pieces.begin(keys[slot], values[slot]);
        std::string made;
        BOOST_TEST_REQUIRE(!pieces.write(made, 64 * 1024));
        const char* const where = made.data();
        while (!pieces.write(made, made.size() + 64 * 1024)) BOOST_TEST_REQUIRE(made.size() < 4'000'000u);
        BOOST_TEST(made.size() > 2'000'000u);
        BOOST_TEST((made.data() == where));
    }
}

BOOST_AUTO_TEST_SUITE_END()
