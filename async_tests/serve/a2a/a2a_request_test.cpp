#include <boost/test/unit_test.hpp>

#include "serve/a2a/a2a_answers.hpp"
#include "serve/a2a/a2a_fault.hpp"
#include "serve/a2a/a2a_request.hpp"

#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(a2a_request_test)

using namespace weft::serve_detail;
using boost::json::object;

a2a_send read_send(std::string_view text, a2a_dialect dialect = a2a_dialect::v1)
{
    return read_a2a_send(weft::parse_json(text).get_object(), dialect);
}

BOOST_AUTO_TEST_CASE(a_message_is_text_data_and_images)
{
    const a2a_send send = read_send(R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"c","taskId":"t",
        "unknown":1,"parts":[{"text":"look"},{"data":{"x":1}},{"raw":"aGk=","mediaType":"text/plain"},
        {"raw":"iVBORw==","mediaType":"image/png"},{"url":"https://x/a.png","mediaType":"image/png"}],
        "referenceTaskIds":["r"]},"configuration":{"returnImmediately":true,"historyLength":2,
        "acceptedOutputModes":["text/plain"],"taskPushNotificationConfig":{"url":"https://x/","token":"secret",
        "authentication":{"scheme":"Bearer","credentials":"c"}}}})");
    BOOST_TEST(send.message.id == "m");
    BOOST_TEST(send.message.context == "c");
    BOOST_TEST(send.message.task == "t");
    BOOST_TEST(send.message.text == "look\nhi");
    BOOST_TEST(send.message.references.at(0) == "r");
    BOOST_TEST_REQUIRE(send.message.data.size() == 1u);
    BOOST_TEST(send.message.data[0].at("x").as_int64() == 1);
    BOOST_TEST(send.message.blocks.size() == 5u);
    BOOST_TEST(boost::json::serialize(send.message.blocks[3]) ==
               R"({"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}})");
    BOOST_TEST(send.message.has_images);
    BOOST_TEST(send.returns_at_once);
    BOOST_TEST(send.history_length.value() == 2u);
    BOOST_TEST(send.push->token == "secret");
    BOOST_TEST(send.push->scheme == "Bearer");
}

BOOST_AUTO_TEST_CASE(the_dialect_of_0_3_is_read_as_that_of_1_0)
{
    const a2a_send send = read_send(R"({"message":{"kind":"message","messageId":"m","role":"user",
        "parts":[{"kind":"text","text":"look"},{"kind":"data","data":{"x":1}},
                 {"kind":"file","file":{"bytes":"iVBORw==","mimeType":"image/png","name":"a"}}]},
        "configuration":{"blocking":false,"pushNotificationConfig":{"url":"https://x/",
        "authentication":{"schemes":["Bearer"],"credentials":"c"}}}})", a2a_dialect::v03);
    BOOST_TEST(send.message.text == "look");
    BOOST_TEST(send.message.has_images);
    BOOST_TEST(send.returns_at_once);
    BOOST_TEST(send.push->scheme == "Bearer");
    BOOST_TEST(boost::json::serialize(send.message.told.at("parts")) ==
               R"([{"text":"look"},{"data":{"x":1}},{"raw":"iVBORw==","mediaType":"image/png","filename":"a"}])");
    const a2a_rpc_call set = read_a2a_rpc(weft::parse_json(R"({"jsonrpc":"2.0","id":1,
        "method":"tasks/pushNotificationConfig/set","params":{"taskId":"t","pushNotificationConfig":{"url":"u"}}})"));
    BOOST_TEST(boost::json::serialize(set.params) == R"({"url":"u","taskId":"t"})");
    const a2a_rpc_call get = read_a2a_rpc(weft::parse_json(R"({"jsonrpc":"2.0","id":1,
        "method":"tasks/pushNotificationConfig/get","params":{"id":"t","pushNotificationConfigId":"p"}})"));
    BOOST_TEST(boost::json::serialize(get.params) == R"({"taskId":"t","id":"p"})");
}

BOOST_AUTO_TEST_CASE(what_is_told_in_0_3_has_its_kinds)
{
    const auto told = [](std::string_view item) {
        return boost::json::serialize(legacy_item(weft::parse_json(item).get_object()));
    };
    BOOST_TEST(told(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":
        {"role":"ROLE_AGENT","parts":[{"text":"?"},{"data":[1]}]}}}})") ==
               R"({"taskId":"t","status":{"state":"input-required","message":{"role":"agent","parts":[)"
               R"({"text":"?","kind":"text"},{"data":{"value":[1]},"kind":"data"}],"kind":"message"}},)"
               R"("kind":"status-update","final":true})");
    BOOST_TEST(told(R"({"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}})") ==
               R"({"status":{"state":"working"},"kind":"status-update","final":false})");
    BOOST_TEST(told(R"({"artifactUpdate":{"artifact":{"parts":[{"url":"u","mediaType":"image/png"}]}}})") ==
               R"({"artifact":{"parts":[{"kind":"file","file":{"uri":"u","mimeType":"image/png"}}]},)"
               R"("kind":"artifact-update"})");
    BOOST_TEST(told(R"({"task":{"id":"t","status":{"state":"TASK_STATE_CANCELED"},"history":[
        {"role":"ROLE_USER","parts":[]}]}})") ==
               R"({"id":"t","status":{"state":"canceled"},"history":[{"role":"user","parts":[],"kind":"message"}],)"
               R"("kind":"task"})");
}

struct bad_row {
    std::string_view text;
    std::string_view code;
    std::string_view named;
    friend std::ostream& operator<<(std::ostream& out, const bad_row& r) { return out << r.text; }
};

const bad_row bad_messages[] = {
    {R"({})", "invalid_params", "message: is required"},
    {R"({"message":1})", "invalid_params", "message: expected an object"},
    {R"({"message":{}})", "invalid_params", "message.messageId: is required"},
    {R"({"message":{"messageId":"m"}})", "invalid_params", "message.role: is required"},
    {R"({"message":{"messageId":"m","role":"ROLE_AGENT"}})", "invalid_params", "message.role"},
    {R"({"message":{"messageId":"m","role":"ROLE_USER"}})", "invalid_params", "message.parts"},
    {R"({"message":{"messageId":"m","role":"user","parts":[]}})", "invalid_params", "message.parts"},
    {R"({"message":{"messageId":"m","role":"user","parts":[1]}})", "invalid_params", "message.parts[0]"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"},{}]}})", "invalid_params", "message.parts[1]"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a","data":1}]}})", "invalid_params",
     "message.parts[0]: has both text and data"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":1}]}})", "invalid_params", "message.parts[0].text"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"raw":"!"}]}})", "invalid_params", "message.parts[0].raw"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"raw":"aGk=","mediaType":"video/mp4"}]}})",
     "content_type_not_supported", "message.parts[0]"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"url":"https://x/"}]}})", "content_type_not_supported",
     "message.parts[0]"},
    {R"({"message":{"messageId":"m","role":"user","contextId":7,"parts":[{"text":"a"}]}})", "invalid_params",
     "message.contextId"},
    {R"({"message":{"messageId":"m","role":"user","referenceTaskIds":[7],"parts":[{"text":"a"}]}})", "invalid_params",
     "message.referenceTaskIds"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]},"configuration":{"historyLength":-1}})",
     "invalid_params", "configuration.historyLength"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]},"configuration":
     {"acceptedOutputModes":["video/mp4"]}})", "content_type_not_supported", "configuration.acceptedOutputModes"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]},"configuration":
     {"taskPushNotificationConfig":{}}})", "invalid_params", "configuration.taskPushNotificationConfig.url"},
    {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]},"configuration":
     {"taskPushNotificationConfig":{"url":"https://x/","token":"a\nb"}}})", "invalid_params", "control"},
};

BOOST_DATA_TEST_CASE(a_message_that_is_wrong_is_refused_with_the_place, boost::unit_test::data::make(bad_messages), row)
{
    const auto is_refused = [&](const weft::http_error& e) {
        BOOST_TEST_CONTEXT(e.what()) BOOST_TEST(e.code() == row.code);
        return std::string_view{e.what()}.find(row.named) != std::string_view::npos;
    };
    BOOST_CHECK_EXCEPTION((void)read_send(row.text), weft::http_error, is_refused);
}

const bad_row bad_calls[] = {
    {R"([])", "invalid_request", "batches"},
    {R"("x")", "invalid_request", "object"},
    {R"({"id":1,"method":"GetTask"})", "invalid_request", "jsonrpc"},
    {R"({"jsonrpc":2.0,"id":1,"method":"GetTask"})", "invalid_request", "jsonrpc"},
    {R"({"jsonrpc":"2.0","id":{},"method":"GetTask"})", "invalid_request", "id"},
    {R"({"jsonrpc":"2.0","id":true,"method":"GetTask"})", "invalid_request", "id"},
    {R"({"jsonrpc":"2.0","id":1})", "invalid_request", "method"},
    {R"({"jsonrpc":"2.0","id":1,"method":"tasks/list"})", "method_not_found", "tasks/list"},
    {R"({"jsonrpc":"2.0","id":1,"method":""})", "method_not_found", ""},
    {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]})", "invalid_params", "params"},
};

BOOST_DATA_TEST_CASE(a_call_that_is_wrong_is_refused, boost::unit_test::data::make(bad_calls), row)
{
    const auto is_refused = [&](const weft::http_error& e) {
        BOOST_TEST_CONTEXT(e.what()) BOOST_TEST(e.code() == row.code);
        return std::string_view{e.what()}.find(row.named) != std::string_view::npos;
    };
    BOOST_CHECK_EXCEPTION((void)read_a2a_rpc(weft::parse_json(row.text)), weft::http_error, is_refused);
}

BOOST_AUTO_TEST_CASE(a_refusal_has_the_codes_of_the_protocol_and_the_place)
{
    refusal why;
    why.status = 400;
    why.code = a2a_code::invalid_params;
    why.message = "message.parts[0]: expected an object";
    const object rpc = a2a_rpc_error(why);
    BOOST_TEST(rpc.at("code").as_int64() == -32602);
    BOOST_TEST(rpc.at("data").at(0).at("reason") == "INVALID_PARAMS");
    BOOST_TEST(rpc.at("data").at(1).at("fieldViolations").at(0).at("field") == "message.parts[0]");
    int status = 0;
    why.code = a2a_code::task_not_found;
    BOOST_TEST(a2a_http_error(why, status).at("error").at("status") == "NOT_FOUND");
    BOOST_TEST(status == 404);
    // What every protocol refuses alike.
    why.code = "too_many";
    why.status = 429;
    BOOST_TEST(a2a_rpc_error(why).at("code").as_int64() == -32000);
    BOOST_TEST(a2a_http_error(why, status).at("error").at("status") == "RESOURCE_EXHAUSTED");
    BOOST_TEST(status == 429);
    for (const char* const version : {"", "1.0", "1.0.1", "1", "0.3", "0.3.0"}) check_a2a_version(version);
    for (const char* const version : {"2.0", "0.2", "10", "x"})
        BOOST_CHECK_THROW(check_a2a_version(version), weft::http_error);
}

BOOST_AUTO_TEST_CASE(a_list_query_is_read)
{
    const auto read = [](std::string_view text) { return read_a2a_list(weft::parse_json(text).get_object()); };
    BOOST_TEST(read("{}").page_size == 50u);
    BOOST_TEST(read(R"({"pageSize":0,"status":"TASK_STATE_UNSPECIFIED"})").phases.empty());
    BOOST_TEST(read(R"({"status":"TASK_STATE_SUBMITTED"})").phases.size() == 2u);
    BOOST_TEST(read(R"({"status":"TASK_STATE_REJECTED"})").finds_nothing);
    BOOST_TEST(read(R"({"statusTimestampAfter":"2026-11-27T10:00:00.5Z"})").changed_from.has_value());
    for (const char* const wrong :
         {R"({"pageSize":101})", R"({"status":"working"})", R"({"statusTimestampAfter":"x"})"})
        BOOST_CHECK_THROW((void)read(wrong), weft::http_error);
}

// Answers.

a2a_message answering(std::string_view parts, std::string_view more = "")
{
    return read_send(R"({"message":{"messageId":"m","role":"user","parts":)" + std::string{parts} +
                     std::string{more} + "}}")
        .message;
}

BOOST_AUTO_TEST_CASE(words_become_what_the_question_wants)
{
    const auto answer = [](weft::question asked, std::string_view parts) {
        const std::vector<weft::open_question> open{{"a#1/ask#0", std::move(asked), {}}};
        return boost::json::serialize(a2a_answers(answering(parts), open).at("a#1/ask#0"));
    };
    const auto approval = weft::question::approval("?");
    BOOST_TEST(answer(approval, R"([{"text":" Yes"}])") == "true");
    BOOST_TEST(answer(approval, R"([{"text":"no"}])") == "false");
    BOOST_TEST(answer(approval, R"([{"data":true}])") == "true");
    BOOST_TEST(answer(weft::question{"?"}, R"([{"text":"17"}])") == "\"17\"");
    BOOST_TEST(answer(weft::question::selection("?", {"a", "b"}), R"([{"text":"b"}])") == "\"b\"");
    const auto number = weft::question::structured("?", {{"type", "integer"}});
    BOOST_TEST(answer(number, R"([{"text":"17"}])") == "17");
    BOOST_CHECK_THROW((void)answer(number, R"([{"text":"many"}])"), weft::error);
    BOOST_CHECK_THROW((void)answer(approval, R"([{"text":"perhaps"}])"), weft::error);
}

BOOST_AUTO_TEST_CASE(answers_go_to_the_questions_that_are_named_or_nowhere)
{
    const std::vector<weft::open_question> open{{"a#1/ask#0", weft::question{"A?"}, {}},
                                                {"b#1/ask#0", weft::question{"B?"}, {}}};
    const auto code = [&](const a2a_message& message) {
        try {
            (void)a2a_answers(message, open);
        } catch (const weft::http_error& e) {
            return e.code();
        }
        return std::string{};
    };
    BOOST_TEST(code(answering(R"([{"text":"x"}])")) == "invalid_params");
    BOOST_TEST(code(answering(R"([{"data":{"answers":{"c#1/ask#0":"x"}}}])")) == "stale_answer");
    BOOST_TEST(code(answering(R"([{"text":"x"}])", R"(,"metadata":{"questionId":"c"})")) == "stale_answer");
    const weft::question_answers named = a2a_answers(answering(R"([{"data":{"answers":{"b#1/ask#0":"x"}}}])"), open);
    BOOST_TEST(named.size() == 1u);
    BOOST_TEST(named.at("b#1/ask#0") == "x");
    const weft::question_answers meant =
        a2a_answers(answering(R"([{"text":"y"}])", R"(,"metadata":{"questionId":"a#1/ask#0"})"), open);
    BOOST_TEST(meant.at("a#1/ask#0") == "y");
    const object asking = a2a_asking("t", "c", open);
    BOOST_TEST(asking.at("parts").at(0).at("text") == "A?\nB?");
    BOOST_TEST(asking.at("parts").at(1).at("data").at("questions").at(1).at("id") == "b#1/ask#0");
    BOOST_TEST(asking.at("parts").at(1).at("data").at("questions").at(1).at("schema").at("type") == "string");
}

BOOST_AUTO_TEST_SUITE_END()
