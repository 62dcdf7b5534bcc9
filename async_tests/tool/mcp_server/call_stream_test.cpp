#include "net/test_loop.hpp"
#include "tool/mcp_server/call_stream.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(call_stream_test)

using weft::json_rpc_message;
using weft::mcp_detail::call_stream;

json_rpc_message answer() { return json_rpc_message::result(std::int64_t{1}, boost::json::object{}); }

BOOST_AUTO_TEST_CASE(an_answer_alone_needs_no_stream)
{
    test_loop loop;
    call_stream alone{loop.loop(), "k", 10};
    BOOST_TEST(!alone.has_news(0, 0));
    alone.finish(answer());
    BOOST_TEST(alone.only_answer() != nullptr);
    call_stream told{loop.loop(), "k", 10};
    told.send("{}", {}, true);
    told.finish(answer());
    BOOST_TEST(told.only_answer() == nullptr);
    BOOST_TEST(told.after(1)->text == answer().text());
    told.send("late", {}, false);
    BOOST_TEST(told.after(2) == nullptr);
}

BOOST_AUTO_TEST_CASE(marks_lead_back_to_what_was_read)
{
    test_loop loop;
    call_stream stream{loop.loop(), "k", 3};
    for (const char* const mark : {"a", "", "c"}) stream.send("{}", mark, true);
    BOOST_TEST(stream.number_of("0").value() == 0U);
    BOOST_TEST(stream.number_of("a").value() == 1U);
    BOOST_TEST(stream.number_of("2").value() == 2U);
    BOOST_TEST(!stream.number_of("x"));
    stream.note_read(3);
    for (int i = 0; i < 3; ++i) stream.send("{}", {}, true);
    BOOST_TEST(!stream.number_of("a"));  // room was made
    BOOST_TEST(!stream.number_of("0"));
}

BOOST_AUTO_TEST_CASE(a_client_that_reads_nothing_loses_progress_and_no_question)
{
    test_loop loop;
    call_stream stream{loop.loop(), "k", 2};
    for (int i = 0; i < 5; ++i) stream.send("progress", {}, true);
    stream.send("question", {}, false);
    stream.finish(answer());
    std::string seen;
    for (const auto* piece = stream.after(0); piece; piece = stream.after(piece->number)) seen += piece->text + ";";
    BOOST_TEST(seen == "progress;progress;question;" + answer().text() + ";");
}

BOOST_AUTO_TEST_CASE(another_reader_takes_over)
{
    test_loop loop;
    call_stream stream{loop.loop(), "k", 2};
    const std::uint64_t first = stream.take_over();
    BOOST_TEST(stream.is_read_by(first));
    const std::uint64_t second = stream.take_over();
    BOOST_TEST(!stream.is_read_by(first));
    BOOST_TEST(stream.is_read_by(second));
}

BOOST_AUTO_TEST_SUITE_END()
