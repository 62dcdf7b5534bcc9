#include <weft/agent/node/failure_streak.hpp>
#include <weft/agent/node/repetition.hpp>

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(repetition_test)

using weft::tool_call;

namespace {

tool_call call(std::string name, std::string arguments, std::string id = "1")
{
    tool_call made;
    made.id = std::move(id);
    made.name = std::move(name);
    made.arguments = std::move(arguments);
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_12_the_order_of_members_and_the_id_do_not_matter)
{
    BOOST_TEST(weft::call_signature(call("f", R"({"x": 1, "y": {"b": 2, "a": 3}})")) ==
               weft::call_signature(call("f", R"({"y":{"a":3,"b":2},"x":1})", "2")));
    BOOST_TEST(weft::call_signature(call("f", R"({"x": 1})")) != weft::call_signature(call("g", R"({"x": 1})")));
    BOOST_TEST(weft::call_signature(call("f", R"({"x": [1, 2]})")) !=
               weft::call_signature(call("f", R"({"x": [2, 1]})")));
    BOOST_TEST(weft::call_signature(call("f", "{broken")) == "f {broken");
    tool_call text = call("f", R"({"b":1,"a":2})");
    text.input = weft::tool_input::text;
    BOOST_TEST(weft::call_signature(text) == R"(f {"b":1,"a":2})");
}

BOOST_AUTO_TEST_CASE(IVY_11_a_call_that_fails_in_two_turns_next_to_each_other_is_found)
{
    weft::repeated_failure_detector detector;
    detector.failed(call("a", R"({"x":1,"y":2})"));
    BOOST_TEST(detector.end_turn() == "");
    detector.failed(call("a", R"({"y":2,"x":1})"));
    BOOST_TEST(detector.end_turn() == R"(a {"x":1,"y":2})");

    weft::repeated_failure_detector other;
    other.failed(call("a", R"({"x":1})"));
    BOOST_TEST(other.end_turn() == "");
    other.failed(call("a", R"({"x":2})"));  // other arguments
    BOOST_TEST(other.end_turn() == "");
    BOOST_TEST(other.end_turn() == "");  // a turn in between
    other.failed(call("a", R"({"x":2})"));
    BOOST_TEST(other.end_turn() == "");
}

BOOST_AUTO_TEST_CASE(HIV_35_three_turns_with_the_same_calls_are_a_doom_loop)
{
    weft::doom_loop_detector detector;
    const std::vector<tool_call> calls = {call("a", R"({"x":1,"y":2})"), call("b", "{}")};
    const std::vector<tool_call> alike = {call("a", R"({"y":2,"x":1})", "7"), call("b", "{}", "8")};
    const std::vector<tool_call> turned = {call("b", "{}"), call("a", R"({"x":1,"y":2})")};
    BOOST_TEST(!detector.take(calls));
    BOOST_TEST(!detector.take(alike));
    BOOST_TEST(!detector.take(turned));
    BOOST_TEST(!detector.take(calls));
    BOOST_TEST(!detector.take(calls));
    auto copy = weft::from_json<weft::doom_loop_detector>(weft::to_json(detector));
    BOOST_TEST(copy.take(alike));  // also after a restart
    BOOST_TEST(detector.take(calls));
    BOOST_TEST(!detector.take({}));
    BOOST_TEST(!detector.take(calls));
    BOOST_TEST(!weft::doom_loop_detector{.turns = 0}.take(calls));
}

BOOST_AUTO_TEST_CASE(HIV_35_three_replies_alike_are_a_stall_unless_something_was_done)
{
    weft::stall_detector detector;
    BOOST_TEST(!detector.take("I am looking into the matter now.", false));
    BOOST_TEST(!detector.take("I am looking into the matter now!", false));
    BOOST_TEST(detector.take("I am looking into the matter, now.", false));

    weft::stall_detector working;
    for (int i = 0; i < 5; ++i) BOOST_TEST(!working.take("Row done, next row.", true));
    BOOST_TEST(!working.take("Row done, next row.", false));
    BOOST_TEST(!working.take("Row done, next row.", false));
    BOOST_TEST(working.take("Row done, next row.", false));

    weft::stall_detector varied;
    BOOST_TEST(!varied.take("The first source says that rivers rise.", false));
    BOOST_TEST(!varied.take("Quite another matter: costs of bridges.", false));
    BOOST_TEST(!varied.take("The first source says that rivers rise.", false));
}

BOOST_AUTO_TEST_CASE(HIV_35_likeness_is_the_share_of_common_pairs)
{
    BOOST_TEST(weft::text_similarity("abcd", "abcd") == 1.0);
    BOOST_TEST(weft::text_similarity("ABCD", "abcd") == 1.0);
    BOOST_TEST(weft::text_similarity("abc", "abd") == 1.0 / 3);  // ab; bc and bd differ
    BOOST_TEST(weft::text_similarity("abcd", "wxyz") == 0.0);
    BOOST_TEST(weft::text_similarity("", "") == 0.0);
    BOOST_TEST(weft::text_similarity("a", "a") == 1.0);
    BOOST_TEST(weft::text_similarity("äöü", "äöü") == 1.0);
}

BOOST_AUTO_TEST_CASE(SUL_20_people_hear_of_the_third_failure_in_a_row_and_then_of_every_25th)
{
    weft::failure_streak streak;
    std::vector<int> told;
    for (int i = 1; i <= 80; ++i)
        if (streak.failed()) told.push_back(i);
    BOOST_TEST(told == (std::vector<int>{3, 25, 50, 75}), boost::test_tools::per_element());

    streak.succeeded();
    BOOST_TEST(!streak.failed());
    BOOST_TEST(!streak.failed());
    streak.stopped();
    BOOST_TEST(streak.failed());
}

BOOST_AUTO_TEST_SUITE_END()
