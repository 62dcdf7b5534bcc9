#include "model/wire/repeated_piece.hpp"

#include "model/anthropic_reader.hpp"
#include "model/stream_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(repeated_piece_test)

using weft::model_detail::repeated_piece;

namespace {

std::string piece_of(std::string_view text)
{
    return R"({"id":"r1","delta":{"content":")" + std::string{text} + R"("},"n":null})";
}

repeated_piece after(std::string_view text)
{
    repeated_piece last;
    last.remember(piece_of(text), "message", text);
    return last;
}

/** Pieces of which no two in a row are equal in all but their text: each is read. */
std::string as_stream(const std::vector<std::string>& pieces, bool all_are_read)
{
    std::string body;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::string_view blank = all_are_read && i % 2 == 1 ? " " : "";
        body.append("data: {").append(blank).append(pieces[i].substr(1)).append("\n\n");
    }
    return body;
}

}  // namespace

BOOST_AUTO_TEST_CASE(gives_the_text_that_differs)
{
    repeated_piece last = after("Hello");
    BOOST_TEST(last.text_of(piece_of(" world"), "message").value() == " world");
    BOOST_TEST(last.text_of(piece_of(""), "message").value() == "");
    BOOST_TEST(last.text_of(piece_of("zażółć 🌲"), "message").value() == "zażółć 🌲");
    BOOST_TEST(last.text_of(piece_of("Hello"), "message").value() == "Hello");
}

BOOST_AUTO_TEST_CASE(a_piece_that_differs_elsewhere_is_to_be_read)
{
    repeated_piece last = after("Hello");
    BOOST_TEST(!last.text_of(R"({"id":"r2","delta":{"content":"a"},"n":null})", "message"));
    BOOST_TEST(!last.text_of(R"({"id":"r1","delta":{"content":"a"},"n":1})", "message"));
    BOOST_TEST(!last.text_of(piece_of("a"), "other"));
    BOOST_TEST(!last.text_of(piece_of("a").substr(1), "message"));
    BOOST_TEST(!last.text_of("{", "message"));
    BOOST_TEST(!last.text_of("", "message"));
}

BOOST_AUTO_TEST_CASE(a_text_that_is_not_what_stands_there_is_to_be_read)
{
    repeated_piece last = after("Hello");
    for (const std::string_view text : {R"(a\n)", R"(a","content":"b)", R"(\u0041)", "a\tb", "\xff", "\xc3"})
        BOOST_TEST(!last.text_of(piece_of(text), "message"), text);
}

BOOST_AUTO_TEST_CASE(a_text_whose_place_is_unclear_is_not_remembered)
{
    repeated_piece last;
    last.remember(piece_of("content"), "message", "content");  // a name has the same letters
    BOOST_TEST(!last.text_of(piece_of("a"), "message"));
    last.remember(piece_of(R"(a\u0062)"), "message", "ab");
    BOOST_TEST(!last.text_of(piece_of("a"), "message"));
    last = after("Hello");
    last.forget();
    BOOST_TEST(!last.text_of(piece_of("a"), "message"));
}

BOOST_AUTO_TEST_CASE(a_stream_whose_pieces_never_repeat_is_remembered_no_more)
{
    repeated_piece last;
    for (int i = 0; i < 16; ++i) last.remember(piece_of("a") + std::to_string(i), "message", "a");
    BOOST_TEST(last.text_of(piece_of("b") + "15", "message").value() == "b");  // counts from the beginning again
    for (int i = 0; i < 16; ++i) last.remember(piece_of("a") + std::to_string(i), "message", "a");
    last.remember(piece_of("a") + "16", "message", "a");
    BOOST_TEST(!last.text_of(piece_of("b") + "16", "message"));
}

BOOST_AUTO_TEST_CASE(a_reply_is_the_same_whether_its_pieces_are_compared_or_read)
{
    // Pieces with every effect that a piece can have, in any order, around texts of any kind.
    const std::vector<std::string> texts{"a", " the", "é", "", R"(\n)", R"(\ud83d)", R"(\ude00)", "content", "x y z"};
    const std::vector<std::string> others{
        R"({"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]})",
        R"({"choices":[{"index":0,"delta":{"content":"a","reasoning_content":"a"}}]})",
        R"({"choices":[{"index":1,"delta":{"content":"a"}}]})",
        R"({"choices":[{"index":0,"delta":{"refusal":"no"}}]})",
        delta(R"({"content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]})"),
        R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
        R"({"choices":[{"index":0,"delta":{"content":"b"}}],"usage":{"prompt_tokens":3,"completion_tokens":5}})",
        R"({"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"a"}]}}]})",
        R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})",
    };
    std::mt19937 random{7};
    const auto any_of = [&random](const std::vector<std::string>& of) { return of[random() % of.size()]; };
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> pieces;
        for (int i = 0; i < 40; ++i)
            pieces.push_back(random() % 6 == 0 ? any_of(others) : delta(R"({"content":")" + any_of(texts) + R"("})"));
        const outcome compared = read_stream(as_stream(pieces, false) + "data: [DONE]\n\n");
        const outcome read = read_stream(as_stream(pieces, true) + "data: [DONE]\n\n");
        BOOST_REQUIRE_EQUAL(compared.log(), read.log());
        BOOST_REQUIRE_EQUAL(compared.sink.pieces, read.sink.pieces);
    }
}

BOOST_AUTO_TEST_CASE(a_reply_in_blocks_is_the_same_whether_its_pieces_are_compared_or_read)
{
    using namespace anthropic_reading;
    const std::vector<std::string> others{
        R"({"type":"ping"})",
        std::string{text_begins},
        R"({"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":""}})",
        R"({"type":"content_block_stop","index":0})",
        R"({"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"hm"}})",
        R"({"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}})",
    };
    std::mt19937 random{8};
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> pieces{std::string{begun}, std::string{text_begins}};
        for (int i = 0; i < 40; ++i)
            pieces.push_back(random() % 6 == 0 ? others[random() % others.size()]
                                               : anthropic_reading::text(random() % 2 ? "a" : " b", random() % 9 == 0));
        pieces.push_back(stops("end_turn"));
        pieces.emplace_back(stopped);
        const outcome compared = reader.read(as_stream(pieces, false));
        const outcome read = reader.read(as_stream(pieces, true));
        BOOST_REQUIRE_EQUAL(compared.log(), read.log());
        BOOST_REQUIRE_EQUAL(compared.sink.pieces, read.sink.pieces);
    }
}

BOOST_AUTO_TEST_CASE(a_compared_text_counts_against_the_limit)
{
    reading how;
    how.limits.text_bytes_max = 10;
    const std::string body = events({delta(R"({"content":"1234"})"), delta(R"({"content":"5678"})"),
                                     delta(R"({"content":"90ab"})"), delta("{}", "stop")});
    BOOST_TEST((failure_of(read_stream(body, how)).code() == weft::errc::response_too_large));
}

BOOST_AUTO_TEST_SUITE_END()
