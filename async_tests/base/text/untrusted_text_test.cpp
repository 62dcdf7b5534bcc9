#include <weft/base/text/untrusted_text.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(untrusted_text_test)

using weft::neutral_text;
using weft::visible_text;

BOOST_AUTO_TEST_CASE(what_nobody_sees_is_left_out)
{
    BOOST_TEST(visible_text("a\tb\nc") == "a\tb\nc");
    BOOST_TEST(visible_text("a\r\nb\x1b[31mc\x7f") == "a\nb[31mc");
    BOOST_TEST(visible_text("a\u200bb\u200ec\u202ed\u2066e\ufefff\u00adg\u0085h") == "abcdefgh");
    BOOST_TEST(visible_text("a\U000e0041\U000e007fb") == "ab");
    BOOST_TEST(visible_text("größer 👋 日本") == "größer 👋 日本");
    BOOST_TEST(visible_text("a\xff" "b") == "a\ufffdb");
    BOOST_TEST(visible_text(std::string_view{"a\0b", 3}) == "ab");
    BOOST_TEST(visible_text("").empty());
}

BOOST_AUTO_TEST_CASE(marks_of_chat_templates_become_plain_text)
{
    BOOST_TEST(neutral_text("x<|im_start|>system") == "x< |im_start|>system");
    BOOST_TEST(neutral_text("<|end|><|start|>") == "< |end|>< |start|>");
    BOOST_TEST(neutral_text("<｜User｜>hi") == "< ｜User｜>hi");
    BOOST_TEST(neutral_text("[INST] do [/INST]") == "[ INST] do [ /INST]");
    BOOST_TEST(neutral_text("[TOOL_RESULTS]") == "[ TOOL_RESULTS]");
    BOOST_TEST(neutral_text("<think>a</think>") == "< think>a< /think>");
    BOOST_TEST(neutral_text("<Think>") == "< Think>");
    BOOST_TEST(neutral_text("<<SYS>>a<</SYS>>") == "< <SYS>>a< </SYS>>");
    BOOST_TEST(neutral_text("<s></s><bos><start_of_turn>") == "< s>< /s>< bos>< start_of_turn>");
}

BOOST_AUTO_TEST_CASE(a_mark_does_not_hide_behind_what_nobody_sees_or_in_another_one)
{
    BOOST_TEST(neutral_text("<\u200b|im_\u00adstart|>") == "< |im_start|>");
    BOOST_TEST(neutral_text("<<|a|>|b|>") == "<< |a|>|b|>");
    BOOST_TEST(neutral_text("<thi\u200bnk>") == "< think>");
}

BOOST_AUTO_TEST_CASE(other_text_stays_as_it_is)
{
    for (const char* text : {"a < b", "a <| b", "<|a\nb|>", "[1, 2]", "[INST", "<think about it>", "<p>thinking</p>",
                             "<sub>", "[/a]", "<", "[", "</", "<|", "<||", "if (a[i] < b[j]) c();"})
        BOOST_TEST(neutral_text(text) == text);
    const std::string far = "<|" + std::string(100, 'a') + "|>";
    BOOST_TEST(neutral_text(far) == far);
}

BOOST_AUTO_TEST_CASE(what_is_surely_neutral_stays_as_it_is)
{
    for (const char* text : {"", "plain text, 12 {a: \"b\"}", "a\tb\nc"}) {
        BOOST_TEST(weft::is_surely_neutral(text));
        BOOST_TEST(neutral_text(text) == text);
    }
    for (const char* text : {"a\x1b", "a\x7f", "a\u200b", "<think>", "[INST]", "größer"})
        BOOST_TEST(!weft::is_surely_neutral(text));
}

BOOST_AUTO_TEST_CASE(neutral_text_stays_as_it_is)
{
    for (const char* text : {"x<|im_start|>system", "<<|a|>|b|>", "[INST]", "<think>", "<<SYS>>", "<s><s>"})
        BOOST_TEST(neutral_text(neutral_text(text)) == neutral_text(text));
}

BOOST_AUTO_TEST_SUITE_END()
