#include <boost/test/unit_test.hpp>

#include "serve/state/message_wire.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/message.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(message_wire_test)

using weft::parse_json;
using weft::serve_detail::message_from_langchain;
using weft::serve_detail::message_to_langchain;

struct row {
    std::string_view theirs;
    std::string_view ours;
    friend std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.theirs; }
};

BOOST_DATA_TEST_CASE(
    a_message_of_a_client_is_read,
    boost::unit_test::data::make({
        row{R"("hi")", R"({"role":"user","content":"hi"})"},
        row{R"(["ai","yes"])", R"({"role":"assistant","content":"yes"})"},
        row{R"({"role":"user","content":"hi"})", R"({"role":"user","content":"hi"})"},
        row{R"({"type":"human","content":"hi","id":"7","additional_kwargs":{}})",
            R"({"role":"user","content":"hi","id":"7"})"},
        row{R"({"type":"system","content":null})", R"({"role":"system","content":""})"},
        row{R"({"type":"human","content":[{"type":"text","text":"a"},)"
            R"({"type":"image_url","image_url":{"url":"https://x/y.png"}}]})",
            R"({"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"https://x/y.png"}]})"},
        row{R"({"type":"ai","content":"","tool_calls":[{"id":"c","name":"f","args":{"a":1}}]})",
            R"({"role":"assistant","content":"","tool_calls":[{"id":"c","name":"f","arguments":"{\"a\":1}"}]})"},
        row{R"({"type":"tool","content":"42","tool_call_id":"c","status":"error"})",
            R"({"role":"tool","content":"42","tool_call_id":"c","is_error":true})"},
        row{R"({"type":"AIMessageChunk","content":"x"})", R"({"role":"assistant","content":"x"})"},
    }),
    row)
{
    const boost::json::object read = message_from_langchain(parse_json(row.theirs), "input.messages[0]");
    BOOST_TEST(boost::json::serialize(read) == row.ours);
    BOOST_CHECK_NO_THROW((void)weft::from_json<weft::message>(read));
}

BOOST_DATA_TEST_CASE(what_is_no_message_is_refused_with_its_path,
                     boost::unit_test::data::make({R"(7)", R"({"content":"x"})", R"({"type":"robot","content":"x"})",
                                                   R"({"type":"human","content":7})",
                                                   R"({"type":"human","content":[{"type":"video"}]})",
                                                   R"({"type":"ai","content":"","tool_calls":[7]})", R"([1,2])"}),
                     text)
{
    BOOST_CHECK_EXCEPTION((void)message_from_langchain(parse_json(text), "input.messages[3]"), weft::error,
                          [](const weft::error& e) {
                              return e.code() == weft::errc::unexpected_json &&
                                     std::string_view{e.what()}.find("input.messages[3]") != std::string_view::npos;
                          });
}

BOOST_AUTO_TEST_CASE(a_message_comes_back_as_it_was)
{
    weft::message said = weft::message::assistant("Let me see.");
    said.tool_calls.push_back({});
    said.tool_calls.back().id = "c1";
    said.tool_calls.back().name = "look";
    said.tool_calls.back().arguments = R"({"where":"there"})";
    for (const weft::message& one :
         {weft::message::user("hi"), weft::message::system("be kind"), said, weft::message::tool_error("c1", "no")}) {
        const boost::json::value ours = weft::to_json(one);
        const boost::json::object theirs = message_to_langchain(ours.get_object(), "m-1");
        BOOST_TEST(theirs.at("id").as_string() == "m-1");
        const boost::json::object back = message_from_langchain(theirs, "x");
        BOOST_TEST(weft::from_json<weft::message>(back).text() == one.text());
        BOOST_TEST((weft::from_json<weft::message>(back).role == one.role));
        BOOST_TEST(weft::from_json<weft::message>(back).tool_calls.size() == one.tool_calls.size());
        BOOST_TEST(weft::from_json<weft::message>(back).is_error == one.is_error);
    }
}

BOOST_AUTO_TEST_CASE(arguments_that_are_no_json_are_shown_as_they_are)
{
    const boost::json::value ours =
        parse_json(R"({"role":"assistant","content":"","tool_calls":[{"id":"c","name":"f","arguments":"{\"a\":"}]})");
    const boost::json::object theirs = message_to_langchain(ours.get_object(), "m");
    BOOST_TEST(theirs.at("tool_calls").at(0).at("args").at("__raw__").as_string() == "{\"a\":");
}

BOOST_AUTO_TEST_SUITE_END()
