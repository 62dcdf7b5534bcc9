#include <boost/test/unit_test.hpp>

#include <weft/base/json/json_text.hpp>
#include <weft/graph/node/question.hpp>

#include <boost/describe/class.hpp>

using weft::question;
using weft::question_field;
using weft::question_kind;

namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(question_test)

namespace {

struct booking {
    std::string city;
    std::int64_t nights = 0;
    std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(booking, (), (city, nights, note))

std::vector<question> one_of_each_kind()
{
    return {question{"What is it about?"},
            question::of_type<booking>("Which booking?"),
            question::selection("Which plan?", {"small", "large"}),
            question::approval("Send it?"),
            question::multi_field("Who are you?", {question_field{"name", "Your name"}, question_field{"age"}})};
}

question optional(question asked)
{
    asked.is_required = false;
    return asked;
}

/** The text of an error, with where. */
std::string refusal(const question& asked, const json::value& answer, std::string_view where = "plan#1/ask#0")
{
    try {
        weft::check_answer(asked, answer, where);
    } catch (const weft::error& wrong) {
        BOOST_TEST((wrong.code() == weft::errc::invalid_answer));
        return wrong.where() + ": " + wrong.detail();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_schema_says_what_fits)
{
    const std::vector<question> all = one_of_each_kind();
    const auto schema = [&](std::size_t i) { return weft::to_json_text(all[i].answer_schema()); };
    BOOST_TEST(schema(0) == R"({"type":"string","minLength":1})");
    BOOST_TEST(schema(2) == R"({"type":"string","enum":["small","large"]})");
    BOOST_TEST(schema(3) == R"({"type":"boolean"})");
    BOOST_TEST(schema(4) == R"({"type":"object","properties":{"name":{"type":"string","minLength":1,)"
                            R"("description":"Your name"},"age":{"type":"string","minLength":1}},)"
                            R"("required":["name","age"],"additionalProperties":false})");
    BOOST_TEST(all[1].answer_schema().at("required").as_array().size() == 2u);
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_names_the_path_in_it)
{
    const std::vector<question> all = one_of_each_kind();
    BOOST_TEST(refusal(all[0], "rain") == "");
    BOOST_TEST(refusal(all[0], 7).starts_with("plan#1/ask#0, $: "));
    BOOST_TEST(refusal(all[1], weft::parse_json(R"({"city":"Rome","nights":2})")) == "");
    const std::string wrong = refusal(all[1], weft::parse_json(R"({"city":"Rome","nights":"two"})"));
    BOOST_TEST(wrong.starts_with("plan#1/ask#0, $.nights: "));
    BOOST_TEST(wrong.find("integer") != std::string::npos);
    BOOST_TEST(refusal(all[2], "large") == "");
    BOOST_TEST(refusal(all[2], "huge") != "");
    BOOST_TEST(refusal(all[3], true) == "");
    BOOST_TEST(refusal(all[3], "yes") != "");
    BOOST_TEST(refusal(all[4], weft::parse_json(R"({"name":"Ann"})"), "").starts_with("$: "));
}

BOOST_AUTO_TEST_CASE(null_answers_what_is_not_required)
{
    const question needed{"Why?"};
    BOOST_TEST(refusal(needed, nullptr) != "");
    const question free = optional(question{"Why?"});
    BOOST_TEST(refusal(free, nullptr) == "");
    BOOST_TEST(weft::to_json_text(free.answer_schema()) ==
               R"({"anyOf":[{"type":"string","minLength":1},{"type":"null"}]})");
    const question typed = optional(question::structured(
        "Which?", weft::parse_json(R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}})").as_object()));
    BOOST_TEST(typed.fault() == "");
    BOOST_TEST(typed.answer_schema().contains("$defs"));
    BOOST_TEST(refusal(typed, 3) == "");
}

BOOST_AUTO_TEST_CASE(a_question_that_is_wrong_in_itself_says_so)
{
    for (const question& right : one_of_each_kind()) BOOST_TEST(right.fault() == "");
    BOOST_TEST(question{" "}.fault() == "it has no text: say what is asked");
    BOOST_TEST(question::selection("Which?", {}).fault() == "it has no options: list them");
    BOOST_TEST(question::selection("Which?", {"a", "b", "a"}).fault() == "option 'a' is there twice");
    BOOST_TEST(question::selection("Which?", {"a", " "}).fault() == "one option is blank: write what it means");
    BOOST_TEST(question::multi_field("Who?", {}).fault() == "it has no fields: list them");
    BOOST_TEST(question::structured("Which?", weft::parse_json(R"({"type":"nonsense"})").as_object())
                   .fault().starts_with("its schema is no JSON Schema: "));
    question send = question::approval("Send?");
    send.otherwise = "perhaps";
    BOOST_TEST(send.fault().starts_with("the answer if nobody gives one does not fit: "));
    send.otherwise = false;
    BOOST_TEST(send.fault() == "");
    send.expires_in = std::chrono::seconds{-1};
    BOOST_TEST(send.fault() == "it expires before it is asked");
}

BOOST_AUTO_TEST_CASE(HIV_32_each_of_the_five_kinds_survives_json)
{
    for (const question& asked : one_of_each_kind()) {
        const json::object written = weft::to_json(asked);
        const question read = weft::question_from_json(written);
        BOOST_TEST(weft::to_json_text(weft::to_json(read)) == weft::to_json_text(written));
        BOOST_TEST((read.kind == asked.kind));
        BOOST_TEST(weft::to_json_text(read.answer_schema()) == weft::to_json_text(asked.answer_schema()));
    }
    question full = question::selection("Which plan?", {"small", "large"});
    full.help = "See the list.";
    full.is_required = false;
    full.expires_in = std::chrono::milliseconds{1500};
    full.otherwise = "small";
    full.about = json::object{{"price", 3}};
    const question read = weft::question_from_json(weft::to_json(full));
    BOOST_TEST(read.help == "See the list.");
    BOOST_TEST(!read.is_required);
    BOOST_TEST((read.expires_in == std::chrono::milliseconds{1500}));
    BOOST_TEST(*read.otherwise == json::value("small"));
    BOOST_TEST(read.about.at("price").as_int64() == 3);
    BOOST_TEST(weft::to_json_text(weft::to_json(read)) == weft::to_json_text(weft::to_json(full)));
}

BOOST_AUTO_TEST_CASE(json_that_is_no_question_is_refused_by_path)
{
    const auto where = [](const char* text) {
        try {
            (void)weft::question_from_json(weft::parse_json(text));
        } catch (const weft::error& wrong) {
            BOOST_TEST((wrong.code() == weft::errc::unexpected_json));
            return wrong.where();
        }
        return std::string{"nothing"};
    };
    BOOST_TEST(where(R"({"text":"Why?"})") == "nothing");
    BOOST_TEST(where(R"({})") == "$");
    BOOST_TEST(where(R"({"text":"Why?","kind":"riddle"})") == "$.kind");
    BOOST_TEST(where(R"({"text":"Why?","fields":[{"text":"x"}]})") == "$.fields[0]");
    BOOST_TEST(where(R"({"text":"Why?","expires_in_ms":-1})") == "$.expires_in_ms");
}

BOOST_AUTO_TEST_SUITE_END()
