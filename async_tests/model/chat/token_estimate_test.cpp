#include <boost/test/unit_test.hpp>

#include <weft/model/chat/token_estimate.hpp>

#include <ostream>

BOOST_AUTO_TEST_SUITE(token_estimate_test)

namespace {

std::int64_t estimate(std::string_view text) { return weft::estimate_tokens(text).count(); }

std::string repeated(std::string_view piece, int times)
{
    std::string text;
    while (times-- > 0) text += piece;
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(code_points_count_by_their_class)
{
    BOOST_TEST(estimate("") == 0);
    BOOST_TEST(estimate("a") == 1);
    BOOST_TEST(estimate(repeated("word ", 80)) == 100);
    BOOST_TEST(estimate(repeated("{}", 50)) == 40);
    BOOST_TEST(estimate(repeated("ж", 50)) == 20);
    BOOST_TEST(estimate(repeated("漢", 50)) == 50);
    BOOST_TEST(estimate(repeated("か", 50)) == 50);
    BOOST_TEST(estimate(repeated("한", 50)) == 50);
    BOOST_TEST(estimate(repeated("😀", 50)) == 100);
}

BOOST_AUTO_TEST_CASE(long_words_without_a_blank_are_dense)
{
    BOOST_TEST(estimate(repeated("0123456789abcdef", 64)) > estimate(repeated("0123456 89abcde ", 64)) * 3 / 2);
}

BOOST_AUTO_TEST_CASE(what_is_not_utf_8_counts_by_its_bytes)
{
    BOOST_TEST(estimate("\xFF\xFE\x80") > 0);
    BOOST_TEST(estimate("\xF0\x9F") > 0);
}

BOOST_AUTO_TEST_CASE(a_message_counts_its_frame_its_words_and_its_calls)
{
    BOOST_TEST(weft::estimate_message(weft::message::user("word word word wor")).count() == 4 + 5);
    weft::message calling = weft::message::assistant("");
    calling.tool_calls.push_back({.id = "c", .name = "find", .arguments = "{}"});
    BOOST_TEST(weft::estimate_message(calling).count() == 4 + 4 + 2);
}

BOOST_AUTO_TEST_CASE(a_request_counts_messages_tools_pictures_and_schemas)
{
    weft::chat_request request;
    request.user("word word word wor");  // 18 characters: 4.5 tokens
    BOOST_TEST(weft::estimate_input(request).count() == 3 + 4 + 5);
    const weft::chat_request plain = request;
    request.tool({.name = "find", .description = "finds it", .parameters = {{"type", "object"}}});
    BOOST_TEST(weft::estimate_input(request).count() > weft::estimate_input(plain).count() + 13);
    request.messages.push_back({.content = {weft::image_part{.url = "https://x/y.png"}}});
    BOOST_TEST(weft::estimate_input(request).count() > 1'000);
    BOOST_TEST(weft::estimate_input(request, weft::tokens{85}).count() < 200);
    const auto before = weft::estimate_input(request);
    request.output = weft::output_schema{.schema = {{"type", "object"}, {"properties", {{"a", {{"type", "string"}}}}}}};
    BOOST_TEST((weft::estimate_input(request) > before));
}

BOOST_AUTO_TEST_SUITE_END()
