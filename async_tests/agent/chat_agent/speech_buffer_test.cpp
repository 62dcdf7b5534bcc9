#include <weft/agent/chat_agent/speech_buffer.hpp>

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

BOOST_AUTO_TEST_CASE(SUL_22_while_speech_goes_on_nothing_is_handed_over)
{
    speech_buffer buffer;
    milliseconds now{0};
    for (const char* const piece : {"Can you tell me", "what the weather is.", " In Paris? ", "Thanks, goodbye."}) {
        BOOST_TEST((buffer.add(piece, now).reason == speech_reason::waiting));
        BOOST_TEST((buffer.look(now + milliseconds{1'499}).reason == speech_reason::waiting));
        now += milliseconds{1'499};
    }
    BOOST_TEST(text_of(buffer.flush()) == "forced: Can you tell me what the weather is. In Paris? Thanks, goodbye.");
    BOOST_TEST(buffer.is_empty());
    BOOST_TEST(!buffer.flush().is_ready());
}

BOOST_AUTO_TEST_CASE(SUL_22_the_recogniser_can_say_that_nothing_follows)
{
    speech_buffer buffer;
    BOOST_TEST(text_of(buffer.add("ok", milliseconds{300}, {}, true)) == "marked_complete: ok");
    BOOST_TEST(!buffer.add("  ", milliseconds{400}, {}, true).is_ready());
}

BOOST_AUTO_TEST_CASE(SUL_22_complete_thoughts_are_known_by_how_they_begin_and_end)
{
    using enum speech_reason;
    const struct {
        const char* text;
        speech_reason verdict;
    } table[] = {
        {"can you tell me about rivers", complete_thought}, {"Please write to my sister", complete_thought},
        {"what time is it in Tokyo", complete_thought},     {"whatever comes to your mind", waiting},
        {"the thing with the boat, thanks", complete_thought}, {"we said our goodbyes at noon", waiting},
        {"I went home and slept a while", waiting},         {"I went home. ", sentence_end},
        {"\xe5\x8f\xaf\xe4\xbb\xa5\xe3\x80\x82", sentence_end},
    };
    for (const auto& [text, verdict] : table) BOOST_TEST((weft::complete_thought_in(text) == verdict), text);
}

BOOST_AUTO_TEST_CASE(SUL_22_a_pause_asks_once_whether_the_thought_is_complete)
{
    speech_buffer buffer;
    (void)buffer.add("the colour of the sea at dawn", milliseconds{1'000});
    BOOST_TEST((buffer.next_look() == milliseconds{2'500}));
    BOOST_TEST((buffer.look(milliseconds{2'499}).reason == speech_reason::waiting));
    BOOST_TEST(text_of(buffer.look(milliseconds{2'500})) == "pause: the colour of the sea at dawn");
    BOOST_TEST((buffer.look(milliseconds{2'600}).reason == speech_reason::waiting));
    BOOST_TEST((buffer.next_look() == milliseconds{4'000}));
    BOOST_TEST(!buffer.judge("the colour of the sea at dawn", speech_reason::waiting).is_ready());
    BOOST_TEST(text_of(buffer.judge("the colour of the sea at dawn", speech_reason::complete_thought)) ==
               "complete_thought: the colour of the sea at dawn");
    BOOST_TEST(!buffer.next_look());
}

BOOST_AUTO_TEST_CASE(SUL_22_a_judgement_of_another_text_changes_nothing)
{
    speech_buffer buffer;
    (void)buffer.add("the colour of the sea at dawn", milliseconds{0});
    (void)buffer.look(milliseconds{1'500});
    (void)buffer.add("in winter", milliseconds{1'600});
    BOOST_TEST(!buffer.judge("the colour of the sea at dawn", speech_reason::complete_thought).is_ready());
    BOOST_TEST((buffer.look(milliseconds{3'100}).reason == speech_reason::pause));  // asked anew
}

BOOST_AUTO_TEST_CASE(SUL_22_three_seconds_of_silence_force_any_text)
{
    speech_buffer buffer;
    (void)buffer.add("well", milliseconds{10'000});
    BOOST_TEST((buffer.next_look() == milliseconds{13'000}));
    BOOST_TEST((buffer.look(milliseconds{12'999}).reason == speech_reason::waiting));  // too short to be asked about
    BOOST_TEST((buffer.look(milliseconds{13'000}).reason == speech_reason::silence));
    BOOST_TEST(!buffer.look(milliseconds{99'000}).is_ready());

    (void)buffer.add("I went home and slept a while", milliseconds{20'000});
    BOOST_TEST((buffer.look(milliseconds{21'500}).reason == speech_reason::pause));
    BOOST_TEST(!buffer.judge(buffer.content, weft::complete_thought_in(buffer.content)).is_ready());
    BOOST_TEST((buffer.look(milliseconds{23'000}).reason == speech_reason::silence));
}

BOOST_AUTO_TEST_CASE(SUL_22_who_talks_without_end_is_answered_fifteen_seconds_after_the_first_piece)
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

BOOST_AUTO_TEST_CASE(SUL_22_a_buffer_does_not_grow_without_bound)
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
