#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/model/chat_sink.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(chat_sink_test)

namespace {

void write_all(weft::chat_sink& sink)
{
    sink.on_started("id", "model");
    sink.on_reasoning("hm");
    sink.on_text("Hel");
    sink.on_text("lo");
    sink.on_refusal("no");
    sink.on_tool_call(0, "a", "f");
    sink.on_tool_arguments(0, "{}");
    sink.on_usage({});
    sink.on_retracted();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sink_takes_everything_and_is_never_full)
{
    weft::no_sink sink;
    write_all(sink);
    BOOST_TEST(!sink.is_full());
    weft::run_blocking(sink.wait_for_room());
}

BOOST_AUTO_TEST_CASE(a_text_sink_gives_the_text_to_a_function)
{
    std::string text;
    weft::text_sink sink{[&](std::string_view piece) { text.append(piece).append("|"); }};
    write_all(sink);
    BOOST_TEST(text == "Hel|lo|");
}

BOOST_AUTO_TEST_SUITE_END()
