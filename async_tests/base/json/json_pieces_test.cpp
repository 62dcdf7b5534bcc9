#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>

#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(json_pieces_test)

boost::json::value read_in_pieces(std::string_view text, std::size_t bytes)
{
    weft::json_pieces pieces{text};
    while (!pieces.read(bytes)) {}
    return pieces.take();
}

/** What is thrown; empty if nothing is. */
template <class Read>
std::string refusal_of(const Read& read)
{
    try {
        (void)read();
    } catch (const weft::json_syntax_error& wrong) {
        return wrong.what();
    }
    return {};
}

BOOST_AUTO_TEST_CASE(pieces_of_any_size_make_the_same_value)
{
    for (const std::string_view text :
         {R"({"key with \" and \u00fc":[1,-2,3.25,1e300,0.1234567890123456789,true,false,null,"ü\n"],"b":{}}  )",
          "12345678", "  \"text\"\n", "0.30000000000000004", "[]"})
        for (const std::size_t bytes : {1u, 2u, 7u, 1'000u})
            BOOST_TEST((read_in_pieces(text, bytes) == weft::parse_json(text)), text << " by " << bytes);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_with_its_place_in_the_whole_text)
{
    const std::string deep = std::string(1'000, '[') + std::string(1'000, ']');
    for (const std::string_view text :
         {std::string_view{"{\"a\":1,\n\"b\":x}"}, std::string_view{"[1,2"}, std::string_view{"[1] 2"},
          std::string_view{"[1]]"}, std::string_view{""}, std::string_view{"\"\xff\""}, std::string_view{deep}})
        for (const std::size_t bytes : {1u, 3u, 10'000u}) {
            const std::string whole = refusal_of([&] { return weft::parse_json(text); });
            BOOST_TEST(!whole.empty());
            BOOST_TEST(refusal_of([&] { return read_in_pieces(text, bytes); }) == whole);
        }
}

BOOST_AUTO_TEST_CASE(a_piece_is_no_more_than_was_asked_for)
{
    const std::string text = '[' + std::string(100, ' ') + ']';
    weft::json_pieces pieces{text};
    int reads = 1;
    while (!pieces.read(10)) ++reads;
    BOOST_TEST(reads == 11);
}

BOOST_AUTO_TEST_SUITE_END()
