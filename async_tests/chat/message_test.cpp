#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

BOOST_AUTO_TEST_SUITE(message_test)

using weft::errc;
using weft::message;
using weft::role;

namespace {

std::string text_of_json(const message& m) { return boost::json::serialize(weft::to_json(m)); }

message read(std::string_view json) { return weft::from_json<message>(weft::parse_json(json)); }

message full_message()
{
    message m;
    m.role = role::assistant;
    m.content = {weft::reasoning_part{"hm", "sig"}, weft::text_part{"Hello "}, weft::text_part{"world"},
                 weft::refusal_part{"no"}, weft::image_part{.url = "https://x/y.png", .detail = "low"},
                 weft::image_part{.data = weft::image_data{"image/png", "aGk="}}};
    m.tool_calls = {{"call_a", "add", "{\"x\":1}", weft::tool_input::json, nullptr},
                    {"call_b", "say", "words", weft::tool_input::text, true}};
    m.name = "ann";
    m.provider = weft::provider_data{"openrouter", "m-1", weft::parse_json(R"({"reasoning_details":[{"index":0}]})")};
    return m;
}

auto refuses(std::string_view path)
{
    return [path](const weft::error& e) { return e.code() == errc::unexpected_json && e.where() == path; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(factories_set_role_and_text)
{
    BOOST_TEST((message::system("s").role == role::system));
    BOOST_TEST((message::user("u").role == role::user));
    BOOST_TEST((message::assistant("a").role == role::assistant));
    const message result = message::tool_result("call_a", "11 degrees");
    BOOST_TEST((result.role == role::tool));
    BOOST_TEST(result.tool_call_id == "call_a");
    BOOST_TEST(result.text() == "11 degrees");
    BOOST_TEST(!result.is_error);
    BOOST_TEST(message::tool_error("call_a", "no clock").is_error);
}

BOOST_AUTO_TEST_CASE(text_reasoning_and_refusal_are_kept_apart)
{
    BOOST_TEST(full_message().text() == "Hello world");
    BOOST_TEST(full_message().reasoning() == "hm");
    BOOST_TEST(full_message().refusal() == "no");
}

BOOST_AUTO_TEST_CASE(a_plain_text_is_a_plain_string_in_json)
{
    BOOST_TEST(text_of_json(message::user("Say \"hi\"")) == R"({"role":"user","content":"Say \"hi\""})");
    BOOST_TEST(text_of_json(message::tool_result("call_a", "ok")) ==
               R"({"role":"tool","content":"ok","tool_call_id":"call_a"})");
    BOOST_TEST(text_of_json(message::tool_error("call_a", "no clock")) ==
               R"({"role":"tool","content":"no clock","tool_call_id":"call_a","is_error":true})");
}

// Checkpoints of older versions are read by newer ones, so that this text is a promise.
BOOST_AUTO_TEST_CASE(the_format_stays_as_it_is)
{
    BOOST_TEST(text_of_json(full_message()) ==
               R"({"role":"assistant","content":[)"
               R"({"type":"reasoning","text":"hm","signature":"sig"},{"type":"text","text":"Hello "},)"
               R"({"type":"text","text":"world"},{"type":"refusal","text":"no"},)"
               R"({"type":"image","url":"https://x/y.png","detail":"low"},)"
               R"({"type":"image","media_type":"image/png","data":"aGk="}],)"
               R"("tool_calls":[{"id":"call_a","name":"add","arguments":"{\"x\":1}"},)"
               R"({"id":"call_b","name":"say","arguments":"words","input":"text","extra":true}],"name":"ann",)"
               R"("provider":{"provider":"openrouter","model":"m-1","fields":{"reasoning_details":[{"index":0}]}}})");
}

BOOST_AUTO_TEST_CASE(json_reads_back_as_it_was)
{
    message empty;
    message two_texts = message::user("a");
    two_texts.content.emplace_back(weft::text_part{"b"});
    message with_id = message::user("a");
    with_id.id = "m-1";
    BOOST_TEST(text_of_json(with_id) == R"({"role":"user","content":"a","id":"m-1"})");
    for (const message& m : {full_message(), empty, two_texts, with_id, message::system(""),
                             message::tool_result("c", "r"), message::tool_error("c", "r")}) {
        BOOST_TEST((weft::from_json<message>(weft::to_json(m)) == m));
        BOOST_TEST((read(text_of_json(m)) == m));
        BOOST_TEST((boost::json::value_to<message>(boost::json::value_from(m)) == m));
    }
}

BOOST_AUTO_TEST_CASE(a_conversation_converts_as_a_list)
{
    const weft::list<message> conversation{message::user("a"), full_message(), message::tool_result("call_a", "b")};
    BOOST_TEST((weft::from_json<weft::list<message>>(weft::to_json(conversation)) == conversation));
}

BOOST_AUTO_TEST_CASE(null_members_count_as_left_out)
{
    const message m = read(R"({"role":"user","content":null,"tool_calls":null,"name":null,"provider":null})");
    BOOST_TEST((m == message{}));
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_their_path)
{
    BOOST_CHECK_EXCEPTION(read("[]"), weft::error, refuses("$"));
    BOOST_CHECK_EXCEPTION(read(R"({"content":"x"})"), weft::error, refuses("$"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"boss"})"), weft::error, refuses("$.role"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"user","content":7})"), weft::error, refuses("$.content"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"smell"}]})"),
                          weft::error, refuses("$.content[1].type"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"user","content":[{"type":"text"}]})"), weft::error,
                          refuses("$.content[0]"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"assistant","tool_calls":[{"id":"a","name":1,"arguments":""}]})"),
                          weft::error, refuses("$.tool_calls[0].name"));
    BOOST_CHECK_EXCEPTION(read(R"({"role":"user","provider":{"provider":1}})"), weft::error,
                          refuses("$.provider.provider"));
}

BOOST_AUTO_TEST_SUITE_END()
