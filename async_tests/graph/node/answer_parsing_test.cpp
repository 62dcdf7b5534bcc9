#include <boost/test/unit_test.hpp>

#include <weft/base/json/json_text.hpp>
#include <weft/graph/answer_parsing.hpp>

#include <boost/describe/class.hpp>

using weft::question;
using weft::question_field;

namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(answer_parsing_test)

namespace {

struct place_and_day {
    std::string city;
    std::int64_t day = 0;
};
BOOST_DESCRIBE_STRUCT(place_and_day, (), (city, day))

/** What a text answers, as JSON; "nothing" if it does not. */
std::string parsed(const question& asked, std::string_view text)
{
    const auto answer = weft::parse_answer(asked, text);
    if (!answer) return "nothing";
    weft::check_answer(asked, *answer);
    return weft::to_json_text(*answer);
}

std::string parsed_all(const std::vector<weft::addressed_question>& asked, std::string_view text,
                       const weft::answer_parser& better = {})
{
    std::string line;
    for (const auto& [address, answer] : weft::parse_answers(asked, text, better))
        line += (line.empty() ? "" : " ") + address + "=" + weft::to_json_text(answer);
    return line;
}

const question plan = question::selection("Which plan?", {"Small", "Large", "Large and fast"});
const question send = question::approval("Send it?");
const question topic{"What is it about?"};

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_32_a_free_text_is_what_was_said)
{
    BOOST_TEST(parsed(topic, "  about rain\n") == R"("about rain")");
    BOOST_TEST(parsed(topic, " \n") == "nothing");
    question why{"Why?"};
    why.is_required = false;
    BOOST_TEST(parsed(why, "") == "null");
}

BOOST_AUTO_TEST_CASE(HIV_32_a_selection_takes_a_number_a_name_or_the_beginning_of_one)
{
    for (const auto& [text, answer] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"1", "Small"}, {"2.", "Large"}, {"3)", "Large and fast"}, {"small", "Small"}, {" LARGE ", "Large"},
             {"sm", "Small"}, {"large a", "Large and fast"}})
        BOOST_TEST(parsed(plan, text) == "\"" + std::string{answer} + "\"", text);
    for (const std::string_view text : {"0", "4", "lar", "medium", "-1", "1 2"})
        BOOST_TEST(parsed(plan, text) == "nothing", text);
    BOOST_TEST(parsed(question::selection("How many?", {"3", "1"}), "1") == R"("1")");  // a name beats a number
}

BOOST_AUTO_TEST_CASE(HIV_32_an_approval_takes_words_for_yes_and_no)
{
    for (const std::string_view text : {"yes", "Y", "ok", "Approve", "true", "Okay!", "yes."})
        BOOST_TEST(parsed(send, text) == "true", text);
    for (const std::string_view text : {"no", "N", "reject", "false", "Denied."})
        BOOST_TEST(parsed(send, text) == "false", text);
    for (const std::string_view text : {"maybe", "", "yes and no", "1"})
        BOOST_TEST(parsed(send, text) == "nothing", text);
}

BOOST_AUTO_TEST_CASE(HIV_32_a_structured_answer_is_json_that_fits_also_among_words)
{
    const question trip = question::of_type<place_and_day>("Where and when?");
    constexpr const char* rome = R"({"city":"Rome","day":3})";
    BOOST_TEST(parsed(trip, rome) == rome);
    BOOST_TEST(parsed(trip, "Sure:\n```json\n" + std::string{rome} + "\n```") == rome);
    BOOST_TEST(parsed(trip, R"({"city":"Rome"})") == "nothing");
    BOOST_TEST(parsed(trip, "Rome, on the third") == "nothing");
    BOOST_TEST(parsed(question::of_type<std::int64_t>("How many?"), "42") == "42");
    BOOST_TEST(parsed(question::of_type<bool>("Is it?"), "yes") == "true");
    BOOST_TEST(parsed(question::of_type<std::string>("Name?"), "42") == R"("42")");
}

BOOST_AUTO_TEST_CASE(HIV_32_several_fields_come_as_lines_or_as_json)
{
    question who = question::multi_field("Who are you?",
                                         {question_field{"name"},
                                          question_field{"age", "", weft::json_schema_of<std::int64_t>()},
                                          question_field{"member", "", weft::json_schema_of<bool>()}});
    who.fields.back().required = false;
    BOOST_TEST(parsed(who, "Name: Ann\nage = 33") == R"({"name":"Ann","age":33})");
    BOOST_TEST(parsed(who, "- name: Ann\n- age: 33\n- member: yes") == R"({"name":"Ann","age":33,"member":true})");
    BOOST_TEST(parsed(who, R"(It is {"name":"Ann","age":33}.)") == R"({"name":"Ann","age":33})");
    BOOST_TEST(parsed(who, "name: Ann") == "nothing");
    BOOST_TEST(parsed(who, "name: Ann\nage: old") == "nothing");
    question one = question::multi_field("Who?", {question_field{"name"}, question_field{"note"}});
    one.fields.back().required = false;
    BOOST_TEST(parsed(one, "Ann") == R"({"name":"Ann"})");
}

BOOST_AUTO_TEST_CASE(HIV_32_the_raw_text_answers_the_first_question_if_nothing_else_fits)
{
    const std::vector<weft::addressed_question> asked{{"a#1/ask#0", &topic}, {"b#1/ask#0", &send}};
    BOOST_TEST(parsed_all(asked, "about rain") == R"(a#1/ask#0="about rain")");
    BOOST_TEST(parsed_all(asked, "1: rain\n2: yes") == R"(a#1/ask#0="rain" b#1/ask#0=true)");
    BOOST_TEST(parsed_all(asked, "2) no") == "b#1/ask#0=false");
    BOOST_TEST(parsed_all(asked, R"({"b#1/ask#0": false})") == "b#1/ask#0=false");
    BOOST_TEST(parsed_all({asked[1]}, "perhaps") == "");
    BOOST_TEST(parsed_all({}, "yes") == "");
}

BOOST_AUTO_TEST_CASE(another_parser_comes_first_and_what_it_gets_wrong_does_not_count)
{
    const std::vector<weft::addressed_question> asked{{"a", &topic}, {"b", &send}};
    const auto model = [](auto, std::string_view text) {
        return std::vector<weft::addressed_answer>{
            {"b", text == "go ahead"}, {"a", 7}, {"nobody asked", true}};
    };
    BOOST_TEST(parsed_all(asked, "go ahead", model) == "b=true");
    const auto useless = [](auto, auto) { return std::vector<weft::addressed_answer>{{"a", 7}}; };
    BOOST_TEST(parsed_all(asked, "rain", useless) == R"(a="rain")");
}

BOOST_AUTO_TEST_CASE(what_would_fit_is_said)
{
    const auto refused = [](const question& asked) {
        try {
            (void)weft::require_answer(asked, "perhaps", "plan#1/ask#0");
        } catch (const weft::error& wrong) {
            BOOST_TEST((wrong.code() == weft::errc::invalid_answer));
            BOOST_TEST(wrong.where() == "plan#1/ask#0");
            return wrong.detail();
        }
        return std::string{};
    };
    BOOST_TEST(refused(send) == "expected yes or no, got 'perhaps'");
    BOOST_TEST(refused(plan) == "expected one of 1) Small, 2) Large, 3) Large and fast, got 'perhaps'");
    BOOST_TEST(refused(topic) == "");
}

BOOST_AUTO_TEST_SUITE_END()
