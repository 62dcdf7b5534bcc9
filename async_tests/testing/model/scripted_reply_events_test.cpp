#include <boost/test/unit_test.hpp>

#include "scripted_reply_reading.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_reply_events_test)

using namespace reply_test;
using namespace weft::testing;

struct fault_case {
    scripted_reply reply;
    wire_ending ending;
    std::vector<std::string> deltas;
};

BOOST_AUTO_TEST_CASE(a_fault_strikes_after_its_pieces)
{
    const std::vector<fault_case> cases{
        {text("a b c").end_after(2), wire_ending::keep,
         {opening, R"({"content":"a"})", R"({"content":" b"})"}},
        {text("a b c").end_after(9), wire_ending::keep,
         {opening, R"({"content":"a"})", R"({"content":" b"})", R"({"content":" c"})"}},
        {text("a b c").cut_after(1), wire_ending::cut, {opening, R"({"content":"a"})"}},
        {text("a b c").stall_after(1), wire_ending::stall, {opening, R"({"content":"a"})"}},
        {text("a b c").stall_after(0), wire_ending::stall, {}},
    };
    for (const fault_case& expected : cases) {
        const wire_plan planned = plan(expected.reply);
        check_equal(deltas(planned), expected.deltas);
        BOOST_CHECK(planned.ending == expected.ending);
        const bool is_complete = writes(planned).back() == "0\r\n\r\n";
        BOOST_TEST(is_complete == (expected.ending == wire_ending::keep));
    }
}

BOOST_AUTO_TEST_CASE(a_fault_in_mid_chunk_leaves_half_of_it)
{
    const std::string whole = writes(plan(text("a b c")))[3];
    const wire_plan cut = plan(text("a b c").cut_mid_chunk_after(1));
    BOOST_CHECK(cut.ending == wire_ending::cut);
    BOOST_TEST(writes(cut).size() == 4U);
    BOOST_TEST(writes(cut)[3] == whole.substr(0, whole.size() / 2));
    BOOST_TEST(pieces(cut) == 1U);
    const wire_plan reset = plan(text("a b c").reset_after(1));
    BOOST_CHECK(reset.ending == wire_ending::reset);
    BOOST_TEST(reset.bytes == cut.bytes);
}

BOOST_AUTO_TEST_CASE(an_error_comes_as_an_event_or_as_a_status)
{
    const scripted_reply reply = text("a b c").error_after(1, "the \"engine\" died", 502);
    const std::vector<std::string> streamed = chunks(plan(reply));
    BOOST_REQUIRE(streamed.size() == 4U);
    BOOST_TEST(boost::json::serialize(event(streamed[2])) ==
               R"({"error":{"message":"the \"engine\" died","type":"server_error",)"
               R"("param":null,"code":502}})");
    BOOST_TEST(streamed[3] == "data: [DONE]\n\n");
    const wire_plan whole = plan(reply, in_one_document());
    BOOST_TEST(whole.bytes.starts_with("HTTP/1.1 502 Bad Gateway\r\n"));
    BOOST_TEST(document(whole).at("error").at("code").as_int64() == 502);
}

BOOST_AUTO_TEST_CASE(bytes_of_the_script_take_the_place_of_the_rest)
{
    BOOST_TEST(chunks(plan(text("a b").bytes_after(1, ": no\n\nevent"))).back() == ": no\n\nevent");
    const std::string line = chunks(plan(text("a b").oversized_line_after(0, 100'000))).back();
    BOOST_TEST(line.size() == 100'002U);
    BOOST_TEST(line.find('\n') == 100'000U);
    const std::string invalid = chunks(plan(text("a b").invalid_json_after(1))).back();
    boost::json::error_code error;
    boost::json::parse(invalid.substr(6), error);
    BOOST_TEST(error.failed());
    BOOST_TEST(writes(plan(text("a b").bytes_after(1, "x"))).back() == "0\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_fault_strikes_in_the_middle_of_a_document)
{
    const std::string whole = plan(text("a b c"), in_one_document()).bytes;
    const std::size_t head = whole.find("\r\n\r\n") + 4;
    const wire_plan cut = plan(text("a b c").cut_after(3), in_one_document());
    BOOST_TEST(cut.bytes == whole.substr(0, head + (whole.size() - head) / 2));
    BOOST_CHECK(cut.ending == wire_ending::cut);

    const wire_plan broken = plan(text("a b c").bytes_after(1, "}}}"), in_one_document());
    BOOST_TEST(broken.bytes.ends_with("}}}"));
    const std::size_t length = broken.bytes.size() - broken.bytes.find("\r\n\r\n") - 4;
    BOOST_TEST(broken.bytes.find("content-length: " + std::to_string(length) + "\r\n") !=
               std::string::npos);

    const wire_plan open = plan(text("a b c").end_after(1), in_one_document());
    BOOST_TEST(document(open).at("choices").at(0).at("finish_reason").is_null());
}

BOOST_AUTO_TEST_SUITE_END()
