#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"

#include <boost/json/serialize.hpp>

#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(response_test)

namespace {

using boost::json::value;

std::string text_in(const value& response)
{
    std::string text;
    for (const value& item : response.at("output").as_array()) {
        if (item.at("type") != "message") continue;
        for (const value& part : item.at("content").as_array()) text.append(part.at("text").as_string());
    }
    return text;
}

std::string id_of(const value& object) { return std::string{object.at("id").as_string()}; }

/** The events of a stream, as JSON. */
std::vector<value> events_in(const std::string& stream)
{
    std::vector<value> result;
    for (std::size_t at = stream.find("\ndata: "); at != stream.npos; at = stream.find("\ndata: ", at)) {
        const std::size_t end = stream.find("\n\n", at);
        result.push_back(weft::parse_json(stream.substr(at + 7, end - at - 7)));
        at = end;
    }
    return result;
}

struct response_life {
    test_loop loop;
    weft::memory_store store;
    std::optional<life> server;

    response_life() { server.emplace(loop, store, openai_graphs::all()); }
    answer post(std::string body) { return server->post("/v1/responses", std::move(body)); }
    value respond(std::string body)
    {
        const answer got = post(std::move(body));
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    value get(const std::string& id, std::string_view rest = {})
    {
        const answer got = server->send("GET", "/v1/responses/" + id + std::string{rest});
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    std::string code_of(const answer& refused)
    {
        return std::string{refused.json().at("error").at("code").as_string()};
    }
    /** Polls until a response is no longer under way. */
    value finished(const std::string& id)
    {
        for (int i = 0; i < 500; ++i) {
            value now = get(id);
            if (now.at("status") != "queued" && now.at("status") != "in_progress") return now;
        }
        BOOST_FAIL("the response does not end");
        return {};
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_response_is_whole_and_can_be_fetched_again)
{
    response_life life;
    const value made = life.respond(R"({"model":"chat","input":"hello","metadata":{"team":"blue"},"user":"ann"})");
    BOOST_TEST(made.at("status") == "completed");
    BOOST_TEST(text_in(made) == "You said: hello (1)");
    BOOST_TEST(made.at("usage").at("input_tokens") == 9);
    BOOST_TEST(made.at("usage").at("output_tokens_details").at("reasoning_tokens") == 1);
    BOOST_TEST(made.at("metadata").at("team") == "blue");
    BOOST_TEST(made.at("user") == "ann");
    BOOST_TEST(made.at("text").at("verbosity") == "medium");
    BOOST_TEST(made.as_object().contains("safety_identifier"));
    const value again = life.get(id_of(made));
    BOOST_TEST(again.at("output") == made.at("output"));
    BOOST_TEST(again.at("usage") == made.at("usage"));
    BOOST_TEST(again.at("metadata") == made.at("metadata"));
}

BOOST_AUTO_TEST_CASE(a_response_survives_the_process)
{
    response_life life;
    const value made = life.respond(R"({"model":"chat","input":"hello"})");
    life.server->kill();
    life.server.emplace(life.loop, life.store, openai_graphs::all());
    const value again = life.get(id_of(made));
    BOOST_TEST(again.at("output") == made.at("output"));
    BOOST_TEST(again.at("status") == "completed");
}

BOOST_AUTO_TEST_CASE(an_older_response_stays_as_it_was_in_another_life)
{
    response_life life;
    const value first = life.respond(R"({"model":"plain","input":"one"})");
    const value talk = life.respond(R"({"model":"chat","input":"one"})");
    const value next =
        life.respond(R"({"model":"chat","input":"two","previous_response_id":")" + id_of(talk) + R"("})");
    life.server->kill();
    life.server.emplace(life.loop, life.store, openai_graphs::all());
    for (const value& made : {first, talk, next}) {
        const answer joined = life.server->send("GET", "/v1/responses/" + id_of(made) + "?stream=true");
        const value last = events_in(joined.body).back();
        BOOST_TEST(last.at("type") == "response.completed");
        BOOST_TEST(last.at("response").at("output") == made.at("output"), joined.body);
        BOOST_TEST(life.get(id_of(made)).at("output") == made.at("output"));
    }
}

BOOST_AUTO_TEST_CASE(events_are_numbered_in_order_and_can_be_read_from_any_on)
{
    response_life life;
    const answer streamed = life.post(R"({"model":"chat","input":"count 3","stream":true})");
    const std::vector<value> events = events_in(streamed.body);
    std::string names;
    std::string text;
    for (std::size_t i = 0; i < events.size(); ++i) {
        BOOST_TEST(events[i].at("sequence_number") == i);
        const std::string_view type = events[i].at("type").as_string();
        if (type == "response.output_text.delta") text.append(events[i].at("delta").as_string());
        else names.append(type.substr(9)).append(" ");
    }
    BOOST_TEST(names == "created in_progress output_item.added content_part.added output_text.done content_part.done "
                        "output_item.done completed ");
    BOOST_TEST(text == "1 2 3 ");
    const value& last = events.back().at("response");
    BOOST_TEST(text_in(last) == "1 2 3 ");
    BOOST_TEST(last.at("usage").at("total_tokens") == 12);
    for (std::size_t after = 0; after < events.size(); ++after) {
        const answer joined = life.server->send("GET", "/v1/responses/" + id_of(last) + "?stream=true&starting_after=" +
                                                           std::to_string(after));
        const std::vector<value> rest = events_in(joined.body);
        BOOST_TEST_REQUIRE(rest.size() == events.size() - after - 1);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const value& expected = events[after + 1 + i];
            BOOST_TEST(rest[i].at("type") == expected.at("type"));
            BOOST_TEST(rest[i].at("sequence_number") == expected.at("sequence_number"));
            if (const value* const item = expected.as_object().if_contains("item"))
                BOOST_TEST(rest[i].at("item") == *item);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_second_continuation_is_a_fork)
{
    response_life life;
    const value first = life.respond(R"({"model":"chat","input":"one"})");
    const std::string behind = R"(,"previous_response_id":")" + id_of(first) + R"("})";
    const value second = life.respond(R"({"model":"chat","input":"two")" + behind);
    BOOST_TEST(text_in(second) == "You said: two (3)");
    BOOST_TEST(second.at("previous_response_id") == first.at("id"));
    const value other = life.respond(R"({"model":"chat","input":"three")" + behind);
    BOOST_TEST(text_in(other) == "You said: three (3)");
    const value third =
        life.respond(R"({"model":"chat","input":"four","previous_response_id":")" + id_of(second) + R"("})");
    BOOST_TEST(text_in(third) == "You said: four (5)");
    const value unstored = life.respond(R"({"model":"chat","input":"five","store":false,"previous_response_id":")" +
                                        id_of(second) + R"("})");
    BOOST_TEST(text_in(unstored) == "You said: five (5)");
    BOOST_TEST(life.server->send("GET", "/v1/responses/" + id_of(unstored)).status == 404);
    const answer none = life.post(R"({"model":"chat","input":"x","previous_response_id":"resp_none"})");
    BOOST_TEST(none.status == 400);
    BOOST_TEST(life.code_of(none) == "previous_response_not_found");
}

BOOST_AUTO_TEST_CASE(a_function_of_the_client_is_answered_by_its_output)
{
    response_life life;
    const std::string tools = R"("tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"}}])";
    const value called = life.respond(R"({"model":"chat","input":"the weather?",)" + tools + "}");
    const value& call = called.at("output").at(0);
    BOOST_TEST(call.at("type") == "function_call");
    BOOST_TEST(call.at("name") == "get_weather");
    const std::string behind = R"("model":"chat","previous_response_id":")" + id_of(called) + R"(",)" + tools;
    const answer missing = life.post("{" + behind + R"(,"input":"well?"})");
    BOOST_TEST(life.code_of(missing) == "missing_tool_output");
    const answer unknown =
        life.post("{" + behind + R"(,"input":[{"type":"function_call_output","call_id":"call_x","output":"y"}]})");
    BOOST_TEST(life.code_of(unknown) == "tool_call_not_found");
    BOOST_TEST(unknown.json().at("error").at("param") == "input[0]");
    const std::string output = R"({"type":"function_call_output","call_id":")" +
                               std::string{call.at("call_id").as_string()} + R"(","output":"sunny"})";
    const value told = life.respond("{" + behind + R"(,"input":[)" + output + "]}");
    BOOST_TEST(text_in(told) == "The tool says sunny");
    // Without anything stored, all that was said comes with the request.
    const value whole = life.respond(R"({"model":"chat","store":false,)"
                                     R"("input":[{"role":"user","content":"the weather?"},)" +
                                     boost::json::serialize(call) + "," + output + "]}");
    BOOST_TEST(text_in(whole) == "The tool says sunny");
}

BOOST_AUTO_TEST_CASE(a_question_is_a_call_and_its_answer_another_response_of_the_run)
{
    response_life life;
    const value asked = life.respond(R"({"model":"asking","input":"order"})");
    BOOST_TEST(asked.at("status") == "completed");
    const value& call = asked.at("output").at(0);
    BOOST_TEST(call.at("name") == "weft_question");
    const std::string output = R"([{"type":"function_call_output","call_id":")" +
                               std::string{call.at("call_id").as_string()} + R"(","output":"small"}])";
    const std::string behind = R"({"model":"asking","previous_response_id":")" + id_of(asked) + R"(","input":)";
    const value told = life.respond(behind + output + "}");
    BOOST_TEST(text_in(told) == "It is the small one");
    BOOST_TEST(id_of(told).starts_with(id_of(asked) + "_"), id_of(told));
    const answer late = life.post(behind + output + "}");
    BOOST_TEST(late.status == 400);
    BOOST_TEST(life.code_of(late) == "tool_call_not_found", late.body);
    // Both are there, each with what it said.
    BOOST_TEST(text_in(life.get(id_of(told))) == "It is the small one");
    const value before = life.get(id_of(asked));
    BOOST_TEST(before.at("status") == "completed");
    BOOST_TEST(before.at("output").at(0).at("call_id") == call.at("call_id"));
    BOOST_TEST(before.at("output").as_array().size() == 1U);
    const answer joined = life.server->send("GET", "/v1/responses/" + id_of(asked) + "?stream=true");
    BOOST_TEST(events_in(joined.body).back().at("type") == "response.completed");
    BOOST_TEST(life.server->send("GET", "/v1/responses/" + id_of(asked) + "_2").status == 404);
}

BOOST_AUTO_TEST_CASE(what_one_protocol_begins_another_one_answers)
{
    response_life life;
    const value asked = life.respond(R"({"model":"asking","input":"order"})");
    const value threads = life.server->post("/threads/search", R"({"status":"interrupted"})").json();
    BOOST_TEST_REQUIRE(threads.as_array().size() == 1U);
    const std::string thread{threads.at(0).at("thread_id").as_string()};
    const answer resumed = life.server->post("/threads/" + thread + "/runs/wait",
                                             R"({"assistant_id":"asking","command":{"resume":"large"}})");
    BOOST_TEST_REQUIRE(resumed.status == 200, resumed.body);
    const value call = asked.at("output").at(0);
    const answer late = life.post(R"({"model":"asking","previous_response_id":")" + id_of(asked) +
                                  R"(","input":[{"type":"function_call_output","call_id":")" +
                                  std::string{call.at("call_id").as_string()} + R"(","output":"small"}]})");
    BOOST_TEST(life.code_of(late) == "tool_call_not_found", late.body);

    // And the other way round: a run of LangGraph's protocol is a response.
    const answer made = life.server->post("/threads", R"({"thread_id":"t9"})");
    BOOST_TEST(made.status == 200);
    const answer run =
        life.server->post("/threads/t9/runs/wait",
                          R"({"assistant_id":"asking","input":{"messages":[{"role":"user","content":"x"}]}})");
    BOOST_TEST(run.status == 200, run.body);
    std::string id{life.server->send("GET", "/threads/t9/runs").json().at(0).at("run_id").as_string()};
    std::erase(id, '-');
    const value seen = life.get("resp_" + id);
    const std::string call_id{seen.at("output").at(0).at("call_id").as_string()};
    const value told = life.respond(R"({"model":"asking","conversation":"t9","input":[{"type":"function_call_output",)"
                                    R"("call_id":")" + call_id + R"(","output":"large"}]})");
    BOOST_TEST(text_in(told) == "It is the large one");
}

BOOST_AUTO_TEST_CASE(a_tool_that_the_client_carries_out_for_the_graph_lets_its_run_go_on)
{
    response_life life;
    const value asked = life.respond(R"({"model":"remote","input":"look"})");
    BOOST_TEST(asked.at("output").at(0).at("name") == "look_outside");
    const value told =
        life.respond(R"({"model":"remote","previous_response_id":")" + id_of(asked) +
                     R"(","input":[{"type":"function_call_output","call_id":"call_7","output":"rain"}]})");
    BOOST_TEST(text_in(told) == "Outside: rain");
}

BOOST_AUTO_TEST_CASE(a_response_in_the_background_is_polled_joined_and_cancelled)
{
    response_life life;
    const value queued = life.respond(R"({"model":"chat","input":"count 2","background":true})");
    BOOST_TEST(queued.at("status") == "queued");
    BOOST_TEST(text_in(life.finished(id_of(queued))) == "1 2 ");
    const value slow = life.respond(R"({"model":"chat","input":"wait 60000","background":true})");
    const answer busy = life.post(R"({"model":"chat","input":"x","previous_response_id":")" + id_of(slow) + R"("})");
    BOOST_TEST(busy.status == 409);
    BOOST_TEST(life.code_of(busy) == "response_in_progress");
    BOOST_TEST(life.server->send("DELETE", "/v1/responses/" + id_of(slow)).status == 409);
    const answer cancelled = life.server->send("POST", "/v1/responses/" + id_of(slow) + "/cancel");
    BOOST_TEST_REQUIRE(cancelled.status == 200, cancelled.body);
    BOOST_TEST(cancelled.json().at("status") == "cancelled");
    BOOST_TEST(life.post(R"({"model":"chat","input":"x","background":true,"store":false})").status == 400);
}

BOOST_AUTO_TEST_CASE(a_question_that_is_cancelled_is_open_no_more)
{
    response_life life;
    const value asked = life.respond(R"({"model":"asking","input":"order"})");
    const answer cancelled = life.server->send("POST", "/v1/responses/" + id_of(asked) + "/cancel");
    BOOST_TEST(cancelled.json().at("status") == "cancelled", cancelled.body);
}

BOOST_AUTO_TEST_CASE(what_a_response_was_given_is_listed)
{
    response_life life;
    const value first = life.respond(
        R"({"model":"chat","instructions":"Pirate","input":[{"role":"user","content":[
            {"type":"input_text","text":"one"},
            {"type":"input_image","image_url":"data:image/png;base64,AA=="}]}]})");
    BOOST_TEST(text_in(first) == "Pirate: You said: one (1)");
    const value second =
        life.respond(R"({"model":"chat","input":"two","previous_response_id":")" + id_of(first) + R"("})");
    const value page = life.get(id_of(second), "/input_items?order=asc");
    BOOST_TEST_REQUIRE(page.at("data").as_array().size() == 3U);
    BOOST_TEST(page.at("data").at(0).at("content").at(1).at("type") == "input_image");
    BOOST_TEST(page.at("data").at(1).at("role") == "assistant");
    BOOST_TEST(page.at("data").at(2).at("content").at(0).at("text") == "two");
    const value one = life.get(id_of(second), "/input_items?limit=1");
    BOOST_TEST(one.at("data").as_array().size() == 1U);
    BOOST_TEST(one.at("has_more") == true);
    const value rest = life.get(id_of(second), "/input_items?after=" + std::string{one.at("last_id").as_string()});
    BOOST_TEST(rest.at("data").as_array().size() == 2U);
    BOOST_TEST(rest.at("has_more") == false);
    const value plain = life.respond(R"({"model":"plain","input":"this"})");
    BOOST_TEST(text_in(plain) == "worked on this");
    BOOST_TEST(life.get(id_of(plain), "/input_items").at("data").at(0).at("content").at(0).at("text") == "this");
}

BOOST_AUTO_TEST_CASE(a_response_that_is_deleted_is_gone_with_what_was_said)
{
    response_life life;
    const value made = life.respond(R"({"model":"chat","input":"secret"})");
    const answer gone = life.server->send("DELETE", "/v1/responses/" + id_of(made));
    BOOST_TEST(gone.json().at("deleted") == true);
    BOOST_TEST(life.server->send("GET", "/v1/responses/" + id_of(made)).status == 404);
    BOOST_TEST(life.server->post("/threads/search", "{}").json().as_array().empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_is_a_failed_response)
{
    response_life life;
    const value failed = life.respond(R"({"model":"chat","input":"fail"})");
    BOOST_TEST(failed.at("status") == "failed");
    BOOST_TEST(failed.at("error").at("code") == "node_failed");
    const answer streamed = life.post(R"({"model":"chat","input":"fail","stream":true})");
    BOOST_TEST(events_in(streamed.body).back().at("type") == "response.failed");
}

BOOST_AUTO_TEST_CASE(a_compaction_is_opaque_and_opens_only_here)
{
    response_life life;
    const answer made = life.server->post(
        "/v1/responses/compact",
        R"({"model":"chat","input":[{"role":"user","content":"one"},{"role":"assistant","content":"two"}]})");
    BOOST_TEST_REQUIRE(made.status == 200, made.body);
    BOOST_TEST(made.body.find("two") == made.body.npos);
    const value item = made.json().at("output").at(0);
    BOOST_TEST(item.at("type") == "compaction");
    const std::string sealed = boost::json::serialize(item);
    const value told =
        life.respond(R"({"model":"chat","input":[)" + sealed + R"(,{"role":"user","content":"three"}]})");
    BOOST_TEST(text_in(told) == "You said: three (3)");
    std::string broken = sealed;
    const std::size_t at = broken.find("weft1.") + 30;
    broken[at] = broken[at] == 'A' ? 'B' : 'A';
    const answer refused = life.post(R"({"model":"chat","input":[)" + broken + "]}");
    BOOST_TEST(refused.status == 400);
    BOOST_TEST(life.code_of(refused) == "invalid_encrypted_content");
    const value counted =
        life.server->post("/v1/responses/input_tokens", R"({"model":"chat","input":"hello you"})").json();
    BOOST_TEST(counted.at("input_tokens").as_int64() > 0);
    BOOST_TEST(life.server->post("/v1/responses/compact", R"({"input":"x"})").status == 400);
}

BOOST_AUTO_TEST_CASE(bad_requests_are_refused_with_their_place)
{
    struct row {
        const char* body;
        const char* param;
    };
    const row rows[]{
        {R"({"input":"x"})", "model"},
        {R"({"model":"chat"})", "input"},
        {R"({"model":"chat","input":7})", "input"},
        {R"({"model":"chat","input":[7]})", "input[0]"},
        {R"({"model":"chat","input":[{"role":"wizard","content":"x"}]})", "input[0].role"},
        {R"({"model":"chat","input":[{"type":"web_search_call"}]})", "input[0].type"},
        {R"({"model":"chat","input":[{"type":"function_call","call_id":"c"}]})", "input[0].name"},
        {R"({"model":"chat","input":[{"role":"user","content":[{"type":"input_file"}]}]})", "input[0].content[0].type"},
        {R"({"model":"chat","input":"x","tools":[{"type":"web_search"}]})", "tools[0].type"},
        {R"({"model":"chat","input":"x","temperature":"hot"})", "temperature"},
        {R"({"model":"chat","input":"x","store":"no"})", "store"},
        {R"({"model":"chat","input":"x","stream":1})", "stream"},
        {R"({"model":"chat","input":"x","prompt":{"id":"p"}})", "prompt"},
        {R"({"model":"chat","input":"x","previous_response_id":"a","conversation":"b"})", "previous_response_id"},
        {R"({"model":"chat","input":[{"type":"compaction","encrypted_content":"x"}]})", "input[0].encrypted_content"},
    };
    response_life life;
    for (const row& each : rows) {
        const answer got = life.post(each.body);
        BOOST_TEST(got.status == 400, each.body);
        BOOST_TEST(got.json().at("error").at("param") == each.param, got.body);
    }
    BOOST_TEST(life.post(R"({"model":"none","input":"x"})").status == 404);
    BOOST_TEST(life.post(R"({"model":"chat","input":"x","conversation":"conv_none"})").status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
