#include <boost/test/unit_test.hpp>

#include "agent/remote/a2a_progress.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(a2a_progress_test)

using weft::agent_detail::a2a_progress;

/** A task, and what watchers heard of it. */
struct watched {
    std::vector<std::string> told;
    a2a_progress progress{[this](std::string_view kind, std::string_view text) {
        told.push_back(std::string{kind} + ": " + std::string{text});
    }};
    void take(std::string_view item) { progress.take(weft::parse_json(item).as_object()); }
    [[nodiscard]] std::string left() const { return boost::json::serialize(progress.outcome()); }
};

BOOST_AUTO_TEST_CASE(pieces_of_the_output_are_told_as_they_come)
{
    watched task;
    task.take(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}})");
    BOOST_TEST(!task.progress.rests());
    BOOST_TEST(task.progress.task() == "t");
    task.take(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING","message":
        {"parts":[{"text":"thinking"}]}}}})");
    task.take(R"({"artifactUpdate":{"artifact":{"artifactId":"a","parts":[{"text":"Hel"}]},"append":false}})");
    task.take(R"({"artifactUpdate":{"artifact":{"artifactId":"a","parts":[{"text":"lo"}]},"append":true}})");
    task.take(R"({"artifactUpdate":{"artifact":{"artifactId":"a","parts":[{"text":"Hello!"}]},"append":false}})");
    task.take(R"({"artifactUpdate":{"artifact":{"artifactId":"a","parts":[{"text":"Bye"}]}}})");
    task.take(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}})");
    BOOST_TEST(task.progress.rests());
    BOOST_TEST(task.told == (std::vector<std::string>{"progress: thinking", "output: Hel", "output: lo", "output: !",
                                                      "retract: ", "output: Bye"}),
               boost::test_tools::per_element());
    BOOST_TEST(task.left() == R"({"task":"t","context":"c","state":"completed","said":"","output":"Bye"})");
}

BOOST_AUTO_TEST_CASE(what_0_3_and_whole_tasks_and_messages_say_is_taken_alike)
{
    watched old;
    old.take(R"({"kind":"task","id":"t","contextId":"c","status":{"state":"working"}})");
    old.take(R"({"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[
        {"kind":"data","data":{"x":1}}]}})");
    old.take(R"({"kind":"status-update","taskId":"t","status":{"state":"completed"},"final":true})");
    BOOST_TEST(old.left() == R"({"task":"t","context":"c","state":"completed","said":"","output":{"x":1}})");
    watched whole;
    whole.take(R"({"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[
        {"artifactId":"a","parts":[{"text":"A"}]},{"artifactId":"b","parts":[{"text":"B"},{"data":2}]}]})");
    BOOST_TEST(whole.left() == R"({"task":"t","context":"c","state":"completed","said":"","output":"A\nB\n2"})");
    watched message;
    message.take(R"({"message":{"messageId":"m","contextId":"c","parts":[{"text":"Hi"}]}})");
    BOOST_TEST(message.progress.rests());
    BOOST_TEST(message.left() == R"({"task":"","context":"c","state":"completed","said":"","output":"Hi"})");
    watched legacy;
    legacy.take(R"({"kind":"message","messageId":"m","contextId":"c","parts":[{"kind":"text","text":"Hi"}]})");
    BOOST_TEST(legacy.left() == message.left());
    watched asks;
    asks.take(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"parts":[
        {"text":"Go?"},{"data":{"questions":[{"id":"q"}]}}]}}}})");
    BOOST_TEST(asks.progress.rests());
    BOOST_TEST(!asks.progress.has_come_to_rest());
    asks.take(R"({"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}})");
    BOOST_TEST(!asks.progress.rests());
    asks.take(R"({"statusUpdate":{"status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"parts":[
        {"text":"Go?"},{"data":{"questions":[{"id":"q"}]}}]}}}})");
    BOOST_TEST(asks.progress.has_come_to_rest());
    BOOST_TEST(asks.left() == R"({"task":"t","context":"c","state":"input-required","said":"Go?",)"
                              R"("questions":[{"id":"q"}],"output":""})");
    // What is no item of the protocol changes nothing.
    watched odd;
    for (const char* const item : {"{}", R"({"task":7})", R"({"statusUpdate":{"status":7}})", R"({"kind":"x"})",
                                   R"({"artifactUpdate":{"artifact":{"parts":[7,{}]}}})"})
        odd.take(item);
    BOOST_TEST(!odd.progress.rests());
}

BOOST_AUTO_TEST_SUITE_END()
