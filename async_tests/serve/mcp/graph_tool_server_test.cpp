#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp_client.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(graph_tool_server_test)

using boost::json::object;
using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> text{"text"};
inline constexpr weft::state_key<std::string> reply{"reply"};

weft::graph echo_graph()
{
    const auto echo = [](weft::node_context& ctx) { ctx.set(reply, "You say " + ctx.get(text)); };
    return weft::graph_builder{"echo"}.state(text, reply).node("echo", echo).edge(weft::start, "echo").build();
}

weft::graph telling_graph()
{
    const auto tell = [](weft::node_context& ctx) -> weft::task<void> {
        ctx.emit("found", R"({"page":7})");
        ctx.emit("output", "a token of a model");
        co_await weft::sleep_for(1ms);
        ctx.set(reply, "told");
    };
    return weft::graph_builder{"telling"}.state(reply).node("tell", tell).edge(weft::start, "tell").build();
}

weft::graph asking_graph()
{
    const auto ask = [](weft::node_context& ctx) -> weft::task<void> {
        weft::question which = weft::question::selection("Which colour?", {"red", "blue"});
        const std::string answer = co_await ctx.ask<std::string>(std::move(which));
        weft::question sure = weft::question::approval("Sure?");
        const bool is_sure = co_await ctx.ask<bool>(std::move(sure));
        ctx.set(reply, answer + (is_sure ? ", sure" : ", perhaps"));
    };
    return weft::graph_builder{"asking"}.state(reply).node("ask", ask).edge(weft::start, "ask").build();
}

weft::graph endless_graph()
{
    const auto wait = [](weft::node_context&) -> weft::task<void> { co_await weft::sleep_for(60s); };
    return weft::graph_builder{"endless"}.state(reply).node("wait", wait).edge(weft::start, "wait").build();
}

/** A server with all of them. */
struct tool_life : life {
    tool_life(test_loop& where, weft::memory_store& store)
        : life{where, store, {echo_graph(), telling_graph(), asking_graph(), endless_graph()}}
    {
    }
    [[nodiscard]] std::unique_ptr<weft::mcp_client> client(weft::mcp_client_options options) const
    {
        const std::string url = "http://127.0.0.1:" + std::to_string(port()) + "/mcp";
        return std::make_unique<weft::mcp_client>(weft::mcp_http(weft::http_client{}, weft::mcp_endpoint{url}),
                                                  std::move(options));
    }
    /** The status of the newest run of a thread. */
    std::string status_of(const std::string& thread)
    {
        return std::string{send("GET", "/threads/" + thread + "/runs").json().at(0).at("status").as_string()};
    }
    /** The only thread that there is. */
    std::string thread()
    {
        const boost::json::array all = post("/threads/search", "{}").json().as_array();
        BOOST_TEST_REQUIRE(all.size() == 1U);
        return std::string{all[0].at("thread_id").as_string()};
    }
};

weft::mcp_client_options options_of(weft::mcp_era_choice era)
{
    weft::mcp_client_options options;
    options.era = era;
    return options;
}

constexpr weft::mcp_era_choice eras[]{weft::mcp_era_choice::legacy_only, weft::mcp_era_choice::modern_only};

object with_text(std::string_view words) { return {{"text", words}}; }

std::string meta_text(const weft::mcp_call_result& result, std::string_view name)
{
    return std::string{result.meta.at(name).as_string()};
}

BOOST_AUTO_TEST_CASE(a_graph_is_a_tool_whose_arguments_are_its_keys)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        weft::memory_store store;
        tool_life server{loop, store};
        const auto client = server.client(options_of(era));
        started listing{loop, client->tools()};
        const auto tools = listing.result();
        BOOST_TEST_REQUIRE(tools->size() == 4U);
        BOOST_TEST(tools->front().name == "echo");
        BOOST_TEST(tools->front().input_schema.at("properties").as_object().contains("text"));
        started calling{loop, client->call_tool("echo", with_text("hello"))};
        const weft::mcp_call_result result = calling.result();
        BOOST_TEST(!result.is_error);
        BOOST_TEST(result.text() == "You say hello");
        BOOST_TEST(result.structured.at("reply") == "You say hello");
        const std::string thread = meta_text(result, "weft/thread_id");
        BOOST_TEST(server.status_of(thread) == "success");
        const boost::json::value run = server.send("GET", "/threads/" + thread + "/runs").json().at(0);
        BOOST_TEST(run.at("run_id").as_string() == meta_text(result, "weft/run_id"));
        BOOST_TEST(!run.at("metadata").as_object().contains("weft.mcp"));
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_where_they_are)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    const auto client = server.client(options_of(weft::mcp_era_choice::modern_only));
    started wrong{loop, client->call_tool("echo", object{{"texxt", "hello"}})};
    const weft::mcp_call_result result = wrong.result();
    BOOST_TEST(result.is_error);
    BOOST_TEST(result.text().starts_with("arguments.texxt: "));
    started unknown{loop, client->call_tool("nothing", object{})};
    BOOST_TEST(unknown.failure().detail().find("Unknown tool: nothing") != std::string::npos);
    BOOST_TEST(server.post("/threads/search", "{}").json().as_array().empty());
}

BOOST_AUTO_TEST_CASE(progress_and_log_lines_tell_what_a_run_does)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        weft::memory_store store;
        tool_life server{loop, store};
        weft::mcp_client_options options = options_of(era);
        std::vector<std::string> lines;
        options.on_log = [&lines](const weft::mcp_log_line& line) { lines.push_back(line.logger + " " + line.text); };
        const auto client = server.client(std::move(options));
        std::vector<std::string> steps;
        weft::mcp_call_options how;
        how.on_progress = [&steps](const weft::mcp_progress& step) { steps.push_back(step.message); };
        started calling{loop, client->call_tool("telling", object{}, how)};
        BOOST_TEST(calling.result().text() == "told");
        const std::vector<std::string> expected{"tell", "tell: done"};
        BOOST_TEST(steps == expected, boost::test_tools::per_element());
        // In the modern era a client asks for log lines with each request, which this one does not.
        const std::size_t heard = era == weft::mcp_era_choice::legacy_only ? 1 : 0;
        BOOST_TEST_REQUIRE(lines.size() == heard);
        if (heard > 0) BOOST_TEST(lines.front().find("\"page\":7") != std::string::npos);
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(a_question_of_a_graph_is_an_elicitation)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        weft::memory_store store;
        tool_life server{loop, store};
        weft::mcp_client_options options = options_of(era);
        std::vector<std::string> asked;
        options.on_elicitation = [&asked](object params) -> weft::task<boost::json::value> {
            asked.emplace_back(params.at("message").as_string());
            const bool is_first = asked.size() == 1;
            object content;
            if (is_first) content["answer"] = "blue";
            else content["answer"] = true;
            co_return object{{"action", "accept"}, {"content", std::move(content)}};
        };
        const auto client = server.client(std::move(options));
        started calling{loop, client->call_tool("asking", object{})};
        const weft::mcp_call_result result = calling.result();
        BOOST_TEST(result.text() == "blue, sure");
        const std::vector<std::string> expected{"Which colour?", "Sure?"};
        BOOST_TEST(asked == expected, boost::test_tools::per_element());
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(a_client_that_cannot_ask_is_told_where_the_question_waits)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    const auto client = server.client(options_of(weft::mcp_era_choice::modern_only));
    started calling{loop, client->call_tool("asking", object{})};
    const weft::mcp_call_result result = calling.result();
    BOOST_TEST(result.is_error);
    const std::string thread = meta_text(result, "weft/thread_id");
    BOOST_TEST(result.text().find("Which colour?") != std::string::npos);
    BOOST_TEST(result.text().find(thread) != std::string::npos);
    BOOST_TEST(server.status_of(thread) == "interrupted");
    const answer left = server.post("/threads/" + thread + "/runs/wait",
                                    R"({"assistant_id":"asking","command":{"resume":"red"}})");
    BOOST_TEST(left.status == 200);
}

BOOST_AUTO_TEST_CASE(a_question_asked_over_mcp_may_be_answered_over_another_protocol)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    weft::mcp_client_options options = options_of(weft::mcp_era_choice::legacy_only);
    int asked = 0;
    options.on_elicitation = [&asked](object) -> weft::task<boost::json::value> {
        ++asked;
        co_await weft::sleep_for(60s);
        co_return nullptr;
    };
    const auto client = server.client(std::move(options));
    started calling{loop, client->call_tool("asking", object{})};
    for (const char* const said : {"\"red\"", "false"}) {
        const int before = asked;
        loop.run_until([&] { return asked > before; });
        const answer left = server.post("/threads/" + server.thread() + "/runs/wait",
                                        std::string{R"({"assistant_id":"asking","command":{"resume":)"} + said + "}}");
        BOOST_TEST(left.status == 200);
    }
    BOOST_TEST(calling.result().text() == "red, perhaps");
}

BOOST_AUTO_TEST_CASE(the_word_of_the_client_cancels_the_run)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        weft::memory_store store;
        tool_life server{loop, store};
        const auto client = server.client(options_of(era));
        started calling{loop, client->call_tool("endless", object{})};
        loop.run_until([&] {
            const boost::json::array all = server.post("/threads/search", "{}").json().as_array();
            return all.size() == 1 && all[0].at("status") == "busy";
        });
        const std::string thread = server.thread();
        calling.stop();
        BOOST_TEST((calling.failure().code() == weft::errc::cancelled));
        loop.run_until([&] { return server.status_of(thread) != "running"; });
        BOOST_TEST(server.status_of(thread) == "interrupted");
    }
}

BOOST_AUTO_TEST_CASE(a_run_that_is_cancelled_elsewhere_ends_its_call)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    const auto client = server.client(options_of(weft::mcp_era_choice::legacy_only));
    started calling{loop, client->call_tool("endless", object{})};
    loop.run_until([&] {
        const boost::json::array all = server.post("/threads/search", "{}").json().as_array();
        return all.size() == 1 && all[0].at("status") == "busy";
    });
    const std::string thread = server.thread();
    const boost::json::value run = server.send("GET", "/threads/" + thread + "/runs").json().at(0);
    server.post("/threads/" + thread + "/runs/" + std::string{run.at("run_id").as_string()} + "/cancel", "{}");
    const weft::mcp_call_result result = calling.result();
    BOOST_TEST(result.is_error);
    BOOST_TEST(result.text() == "the run was cancelled");
}

/** A session of the legacy era by hand. */
class raw_session {
public:
    explicit raw_session(life& server, std::string_view capabilities = "{}") : server_{server}
    {
        const answer met = post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
                                R"("protocolVersion":"2025-11-25",)"
                                R"("clientInfo":{"name":"raw","version":"1"},"capabilities":)" +
                                std::string{capabilities} + "}}");
        BOOST_TEST_REQUIRE(met.status == 200);
        id_ = met.headers.find("mcp-session-id").value();
        BOOST_TEST(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").status == 202);
    }

    [[nodiscard]] weft::http_request request(std::string method, std::string body = {}) const
    {
        weft::http_request made = server_.request_to(std::move(method), "/mcp");
        made.header("Accept", "application/json, text/event-stream");
        if (!id_.empty()) made.header("Mcp-Session-Id", id_).header("MCP-Protocol-Version", "2025-11-25");
        if (!body.empty()) made.body(std::move(body), "application/json");
        return made;
    }
    answer post(std::string body) { return server_.send(request("POST", std::move(body))); }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    void be(std::string id) { id_ = std::move(id); }

private:
    life& server_;
    std::string id_;
};

struct read_event {
    std::string id;
    std::string data;
};

/** Reads a stream until its end, or until there are so many events. */
weft::task<std::vector<read_event>> read_events(weft::http_request request, std::size_t count)
{
    const weft::http_client client;
    weft::http_response response = co_await client.send(std::move(request));
    std::vector<read_event> events;
    weft::sse_parser parser;
    while (events.size() < count) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty()) break;
        parser.feed(bytes);
        while (const weft::sse_event* const event = parser.next())
            events.push_back({std::string{event->id}, std::string{event->data}});
    }
    co_return events;
}

constexpr const char* ask_call = R"({"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"asking",)"
                                 R"("arguments":{},"_meta":{"progressToken":"p"}}})";

BOOST_AUTO_TEST_CASE(a_client_comes_back_to_its_call_in_another_life_of_the_server)
{
    test_loop loop;
    weft::memory_store store;
    std::string session;
    std::vector<read_event> events;
    {
        tool_life first{loop, store};
        raw_session raw{first, R"({"elicitation":{}})"};
        session = raw.id();
        started reading{loop, read_events(raw.request("POST", ask_call), 3)};
        events = reading.result();
        first.kill();
    }
    BOOST_TEST_REQUIRE(events.size() == 3U);
    BOOST_TEST(events[0].data.empty());
    BOOST_TEST(events[1].data.find("notifications/progress") != std::string::npos);
    tool_life second{loop, store};
    raw_session raw{second, R"({"elicitation":{}})"};
    raw.be(session);
    weft::http_request back = raw.request("GET");
    back.header("Last-Event-ID", events[1].id);
    started reading{loop, read_events(std::move(back), 1)};
    const std::vector<read_event> rest = reading.result();
    BOOST_TEST_REQUIRE(rest.size() == 1U);
    BOOST_TEST(rest[0].id == events[2].id);
    const boost::json::value question = weft::parse_json(rest[0].data);
    BOOST_TEST(question.at("method") == "elicitation/create");
    const std::string id{question.at("id").as_string()};
    const std::string accepted = R"({"jsonrpc":"2.0","id":")" + id +
                                 R"(","result":{"action":"accept","content":{"answer":"red"}}})";
    const answer wrong = raw.post(R"({"jsonrpc":"2.0","id":")" + id +
                                  R"(","result":{"action":"accept","content":{"answer":"green"}}})");
    BOOST_TEST(wrong.status == 422);
    BOOST_TEST(wrong.body.find("result.content") != std::string::npos);
    BOOST_TEST(raw.post(accepted).status == 202);
    const std::string thread = second.thread();
    loop.run_until([&] { return second.status_of(thread) == "interrupted"; });
    const answer stale = raw.post(accepted);
    BOOST_TEST(stale.status == 400);
    BOOST_TEST(stale.body.find("stale_answer") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_person_who_declines_ends_the_run)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    weft::mcp_client_options options = options_of(weft::mcp_era_choice::legacy_only);
    options.on_elicitation = [](object) -> weft::task<boost::json::value> {
        co_return object{{"action", "decline"}};
    };
    const auto client = server.client(std::move(options));
    started calling{loop, client->call_tool("asking", object{})};
    const weft::mcp_call_result result = calling.result();
    BOOST_TEST(result.is_error);
    BOOST_TEST(server.status_of(meta_text(result, "weft/thread_id")) == "interrupted");
}

BOOST_AUTO_TEST_CASE(sessions_are_refused_as_the_protocol_has_it)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    raw_session raw{server};
    constexpr const char* ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    BOOST_TEST(raw.post(ping).json().at("result").as_object().empty());
    raw_session none{server};
    none.be("");
    BOOST_TEST(none.post(ping).status == 400);
    none.be("0123456789");
    BOOST_TEST(none.post(ping).status == 404);
    BOOST_TEST(server.send(raw.request("DELETE")).status == 204);
    BOOST_TEST(raw.post(ping).status == 404);
    const answer no_json = server.send("POST", "/mcp", "hello", "text/plain");
    BOOST_TEST(no_json.status == 415);
    BOOST_TEST(no_json.json().at("error").at("code") == -32600);
    const answer foreign = server.send("POST", "/mcp", "{}", "application/json", "http://evil.example");
    BOOST_TEST(foreign.status == 403);
    BOOST_TEST(foreign.json().at("jsonrpc") == "2.0");
}

BOOST_AUTO_TEST_CASE(a_stale_answer_of_the_modern_era_is_refused)
{
    test_loop loop;
    weft::memory_store store;
    tool_life server{loop, store};
    const auto call = [&](std::string_view more) {
        weft::http_request request = server.request_to("POST", "/mcp");
        request.header("Accept", "application/json, text/event-stream").header("MCP-Protocol-Version", "2026-07-28");
        request.header("Mcp-Method", "tools/call").header("Mcp-Name", "asking");
        request.body(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asking","arguments":{},)" +
                         std::string{more} +
                         R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                         R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}})",
                     "application/json");
        return server.send(std::move(request)).json();
    };
    const boost::json::value first = call("");
    BOOST_TEST(first.at("result").at("resultType") == "input_required");
    const std::string state{first.at("result").at("requestState").as_string()};
    const object& questions = first.at("result").at("inputRequests").as_object();
    BOOST_TEST_REQUIRE(questions.size() == 1U);
    const std::string address{questions.begin()->key()};
    const auto with_answer = [&](std::string_view of, std::string_view said) {
        return R"("requestState":")" + state + R"(","inputResponses":{")" + std::string{of} +
               R"(":{"action":"accept","content":{"answer":)" + std::string{said} + "}}},";
    };
    const boost::json::value second = call(with_answer(address, "\"red\""));
    BOOST_TEST(second.at("result").at("resultType") == "input_required");
    const boost::json::value stale = call(with_answer(address, "\"blue\""));
    BOOST_TEST(stale.at("error").at("code") == -32602);
    BOOST_TEST(std::string{stale.at("error").at("message").as_string()}.starts_with("stale_answer"));
    const std::string next{second.at("result").at("inputRequests").as_object().begin()->key()};
    const boost::json::value done = call(with_answer(next, "true"));
    BOOST_TEST(done.at("result").at("content").at(0).at("text") == "red, sure");
}

BOOST_AUTO_TEST_SUITE_END()
