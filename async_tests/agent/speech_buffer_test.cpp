#include <weft/agent/speech_buffer.hpp>

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(speech_buffer_test)

using weft::speech_buffer;
using weft::speech_decision;
using weft::speech_reason;
using std::chrono::milliseconds;

namespace {

std::string text_of(const speech_decision& decision)
{
    return weft::to_json(decision.reason).as_string().c_str() + std::string{": "} + decision.content;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_14_pieces_are_joined_and_handed_over_when_they_are_worth_an_answer)
{
    speech_buffer buffer;
    BOOST_TEST(text_of(buffer.add("the weather in", milliseconds{0})) == "waiting: the weather in");
    BOOST_TEST(text_of(buffer.add(" Paris is nice. ", milliseconds{100})) ==
               "sentence_end: the weather in Paris is nice.");
    BOOST_TEST(buffer.is_empty());
    BOOST_TEST(text_of(buffer.add("Short.", milliseconds{200})) == "waiting: Short.");
    BOOST_TEST(text_of(buffer.flush()) == "forced: Short.");
    BOOST_TEST(!buffer.flush().is_ready());
    BOOST_TEST(text_of(buffer.add("ok", milliseconds{300}, {}, true)) == "marked_complete: ok");
    BOOST_TEST(!buffer.add("  ", milliseconds{400}, {}, true).is_ready());
}

BOOST_AUTO_TEST_CASE(SUL_14_complete_thoughts_are_known_by_how_they_begin_and_end)
{
    const struct {
        const char* text;
        bool is_ready;
    } table[] = {
        {"can you tell me about rivers", true},   {"Please write to my sister", true},
        {"what time is it in Tokyo", true},       {"whatever comes to your mind", false},
        {"the thing with the boat, thanks", true}, {"we said our goodbyes at noon", false},
        {"I went home and slept a while", false}, {"that is all I had to say, bye", true},
        {"can you", false},                        // too short
    };
    for (const auto& [text, is_ready] : table) {
        speech_buffer buffer;
        const speech_decision decision = buffer.add(text, milliseconds{0});
        BOOST_TEST(decision.is_ready() == is_ready, text);
        if (is_ready) BOOST_TEST((decision.reason == speech_reason::complete_thought));
    }
}

BOOST_AUTO_TEST_CASE(SUL_14_a_pause_ends_a_long_text_and_silence_any)
{
    speech_buffer buffer;
    (void)buffer.add("the colour of the sea at dawn", milliseconds{1'000});
    BOOST_TEST((buffer.next_look() == milliseconds{2'500}));
    BOOST_TEST(!buffer.look(milliseconds{2'499}).is_ready());
    BOOST_TEST((buffer.look(milliseconds{2'500}).reason == speech_reason::pause));
    BOOST_TEST(!buffer.next_look());

    (void)buffer.add("well", milliseconds{10'000});
    BOOST_TEST((buffer.next_look() == milliseconds{13'000}));
    BOOST_TEST(!buffer.look(milliseconds{12'999}).is_ready());
    BOOST_TEST((buffer.look(milliseconds{13'000}).reason == speech_reason::silence));
    BOOST_TEST(!buffer.look(milliseconds{99'000}).is_ready());
}

BOOST_AUTO_TEST_CASE(SUL_14_who_talks_without_end_is_answered_fifteen_seconds_after_the_first_piece)
{
    speech_buffer buffer;
    milliseconds now{5'000};
    for (; now < milliseconds{20'000}; now += milliseconds{1'000})
        BOOST_TEST(!buffer.add("and then", now).is_ready());
    BOOST_TEST((buffer.age(now) == milliseconds{15'000}));
    const speech_decision decision = buffer.add("and then", now);
    BOOST_TEST((decision.reason == speech_reason::too_old));
    BOOST_TEST(decision.content.size() == 16 * std::string{"and then "}.size() - 1);
    BOOST_TEST((buffer.age(now) == milliseconds{0}));
}

BOOST_AUTO_TEST_CASE(SUL_14_a_buffer_does_not_grow_without_bound)
{
    weft::speech_limits limits;
    limits.bytes_max = 50;
    speech_buffer buffer;
    BOOST_TEST(!buffer.add(std::string(48, 'x'), milliseconds{0}, limits).is_ready());
    const auto copy = weft::from_json<speech_buffer>(weft::to_json(buffer));
    BOOST_TEST((copy == buffer));
    BOOST_TEST((buffer.add("y", milliseconds{1}, limits).reason == speech_reason::too_long));
}

BOOST_AUTO_TEST_SUITE_END()
