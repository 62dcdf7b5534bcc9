#include "net/test_loop.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/http_server.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/mcp_server.hpp>

#include <boost/describe/class.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

struct mcp_sum_arguments {
    int a = 0;
    int b = 0;
};
BOOST_DESCRIBE_STRUCT(mcp_sum_arguments, (), (a, b))

BOOST_AUTO_TEST_SUITE(mcp_server_test)

using boost::json::object;
using weft::mcp_call_result;
using weft::mcp_server_context;
using weft::task;
using namespace std::chrono_literals;

weft::mcp_tool tool_of(std::string name)
{
    weft::mcp_tool tool;
    tool.name = std::move(name);
    tool.input_schema = object{{"type", "object"}};
    return tool;
}

task<mcp_call_result> ask_two(mcp_server_context& context, object)
{
    const object schema = weft::parse_json(R"({"type":"object","properties":{"x":{"type":"string"}}})").as_object();
    const object first = co_await context.elicit("First?", schema);
    const object second = co_await context.elicit("Second?", schema);
    const auto said = [](const object& answer) {
        return std::string{answer.at("content").as_object().at("x").as_string()};
    };
    co_return mcp_call_result::of_text(said(first) + said(second));
}

task<mcp_call_result> wait_long(mcp_server_context&, object)
{
    co_await weft::sleep_for(60s);
    co_return mcp_call_result{};
}

task<std::vector<weft::mcp_resource_content>> read_page(mcp_server_context&, std::string uri, object)
{
    std::vector<weft::mcp_resource_content> contents(1);
    contents[0].uri = uri;
    contents[0].text = "a page";
    co_return contents;
}

void add_all(weft::mcp_server& server)
{
    weft::tool_set tools;
    tools.add("add", "Adds.", [](mcp_sum_arguments of) { return of.a + of.b; }).read_only();
    tools.add("shout", "Says it loudly.", [](std::string words) { return words + "!"; });
    tools.add("work", "Emits.", [](weft::tool_context& context) {
        context.emit("one");
        context.emit("note", "two");
        return std::string{"worked"};
    });
    server.add_tools(std::move(tools));
    server.add_tool(tool_of("ask"), ask_two);
    server.add_tool(tool_of("wait"), wait_long);
    weft::mcp_resource page;
    page.uri = "test://page";
    server.add_resource(page, read_page);
    weft::mcp_prompt prompt;
    prompt.name = "greet";
    prompt.arguments.push_back({"who", "", true});
    server.add_prompt(prompt, [](mcp_server_context&, object given) -> task<weft::mcp_prompt_text> {
        weft::mcp_prompt_text text;
        weft::mcp_content content;
        content.what = weft::mcp_content::kind::text;
        content.text = "Greet " + std::string{given.at("who").as_string()};
        text.messages.push_back({"user", std::move(content)});
        co_return text;
    });
}

/** A server over HTTP, and clients of it. */
class served {
public:
    explicit served(test_loop& where, weft::mcp_server_options options = weft::mcp_server_options{})
        : server{std::move(options)},
          http_{where.loop(), [this](weft::http_call& call) { return server.handle(call, caller_of(call)); }},
          at_{http_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, http_.run()}
    {
        add_all(server);
    }

    [[nodiscard]] std::unique_ptr<weft::mcp_client> client(weft::mcp_client_options options) const
    {
        return std::make_unique<weft::mcp_client>(weft::mcp_http(weft::http_client{}, endpoint("ada")),
                                                  std::move(options));
    }
    [[nodiscard]] weft::mcp_endpoint endpoint(std::string who) const
    {
        weft::mcp_endpoint at{"http://127.0.0.1:" + std::to_string(at_.port()) + "/mcp"};
        at.headers["x-who"] = std::move(who);
        return at;
    }

    weft::mcp_server server;

private:
    static weft::mcp_caller caller_of(const weft::http_call& call)
    {
        weft::mcp_caller caller;
        caller.principal = call.headers().find("x-who").value_or("");
        return caller;
    }

    weft::http_server http_;
    weft::listen_address at_;
    started<void> running_;
};

weft::mcp_client_options options_of(weft::mcp_era_choice era)
{
    weft::mcp_client_options options;
    options.era = era;
    return options;
}

constexpr weft::mcp_era_choice eras[]{weft::mcp_era_choice::legacy_only, weft::mcp_era_choice::modern_only};

BOOST_AUTO_TEST_CASE(tools_of_a_set_resources_and_prompts_are_served)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        weft::mcp_server_options few;
        few.page_size = 2;
        served all{loop, few};
        const auto client = all.client(options_of(era));
        started listing{loop, client->tools()};
        const auto tools = listing.result();
        BOOST_TEST_REQUIRE(tools->size() == 5U);
        BOOST_TEST((*tools)[0].name == "add");
        BOOST_TEST((*tools)[0].hints.is_read_only);
        started adding{loop, client->call_tool("add", object{{"a", 2}, {"b", 40}})};
        const mcp_call_result sum = adding.result();
        BOOST_TEST(sum.text() == "42");
        const boost::json::value structured =
            era == weft::mcp_era_choice::modern_only ? boost::json::value(42) : boost::json::value{{"result", 42}};
        BOOST_TEST((sum.structured == structured));
        started wrong{loop, client->call_tool("add", object{{"a", "x"}})};
        const mcp_call_result mistake = wrong.result();
        BOOST_TEST(mistake.is_error);
        BOOST_TEST(mistake.text().find("$.a") != std::string::npos);
        started shouting{loop, client->call_tool("shout", object{{"input", "hey"}})};
        BOOST_TEST(shouting.result().text() == "hey!");
        started reading{loop, client->read_resource("test://page")};
        BOOST_TEST(reading.result().at(0).text == "a page");
        started lacking{loop, client->read_resource("test://none")};
        const weft::error none = lacking.failure();
        BOOST_TEST(none.detail().find("Resource not found: test://none") != std::string::npos);
        started prompting{loop, client->prompt("greet", object{{"who", "Ada"}})};
        BOOST_TEST(prompting.result().messages.at(0).content.text == "Greet Ada");
        started without{loop, client->prompt("greet", object{})};
        BOOST_TEST(without.failure().detail().find("params.arguments.who: is required") != std::string::npos);
        started unknown{loop, client->request("no/such", object{})};
        BOOST_TEST(unknown.failure().detail().find("Method not found: no/such") != std::string::npos);
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(what_a_tool_emits_is_progress_or_a_log_line)
{
    test_loop loop;
    served all{loop};
    weft::mcp_client_options options = options_of(weft::mcp_era_choice::legacy_only);
    std::vector<std::string> lines;
    options.on_log = [&lines](const weft::mcp_log_line& line) { lines.push_back(line.logger + ": " + line.text); };
    const auto client = all.client(std::move(options));
    std::vector<std::string> steps;
    weft::mcp_call_options how;
    how.on_progress = [&steps](const weft::mcp_progress& step) { steps.push_back(step.message); };
    started working{loop, client->call_tool("work", object{}, how)};
    BOOST_TEST(working.result().text() == "worked");
    BOOST_TEST(steps == std::vector<std::string>{"one"}, boost::test_tools::per_element());
    BOOST_TEST(lines == std::vector<std::string>{"note: two"}, boost::test_tools::per_element());
    lines.clear();
    started quieter{loop, client->request("logging/setLevel", object{{"level", "error"}})};
    quieter.result();
    started again{loop, client->call_tool("work", object{})};
    again.result();
    BOOST_TEST(lines.empty());
    started leaving{loop, client->close()};
    leaving.result();
}

BOOST_AUTO_TEST_CASE(a_tool_asks_the_person_at_the_client_in_either_era)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        served all{loop};
        weft::mcp_client_options options = options_of(era);
        std::vector<std::string> asked;
        options.on_elicitation = [&asked](object params) -> task<boost::json::value> {
            asked.emplace_back(params.at("message").as_string());
            co_return object{{"action", "accept"}, {"content", object{{"x", asked.back().substr(0, 1)}}}};
        };
        const auto client = all.client(std::move(options));
        started asking{loop, client->call_tool("ask", object{})};
        BOOST_TEST(asking.result().text() == "FS");
        const std::vector<std::string> expected{"First?", "Second?"};
        BOOST_TEST(asked == expected, boost::test_tools::per_element());
        const auto mute = all.client(options_of(era));
        started failing{loop, mute->call_tool("ask", object{})};
        if (era == weft::mcp_era_choice::legacy_only) BOOST_TEST(failing.result().is_error);
        else BOOST_TEST(failing.failure().detail().find("-32021") != std::string::npos);
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(clients_hear_of_changes)
{
    for (const weft::mcp_era_choice era : eras) {
        test_loop loop;
        served all{loop};
        weft::mcp_client_options options = options_of(era);
        std::vector<weft::mcp_list> changed;
        options.on_list_changed = [&changed](weft::mcp_list which) { changed.push_back(which); };
        std::vector<std::string> updated;
        options.on_resource_updated = [&updated](std::string_view uri) { updated.emplace_back(uri); };
        const auto client = all.client(std::move(options));
        started connecting{loop, client->connect()};
        connecting.result();
        // The stream for it opens beside what the client does.
        loop.run_until([&] {
            all.server.tell_list_changed(weft::mcp_list::tools);
            loop.settle();
            return !changed.empty();
        });
        BOOST_TEST((changed.front() == weft::mcp_list::tools));
        if (era == weft::mcp_era_choice::legacy_only) {
            started subscribing{loop, client->request("resources/subscribe", object{{"uri", "test://page"}})};
            subscribing.result();
            all.server.tell_resource_updated("test://other");
            all.server.tell_resource_updated("test://page");
            loop.run_until([&] { return !updated.empty(); });
            BOOST_TEST(updated == std::vector<std::string>{"test://page"}, boost::test_tools::per_element());
        }
        started leaving{loop, client->close()};
        leaving.result();
    }
}

BOOST_AUTO_TEST_CASE(too_many_requests_at_once_are_refused)
{
    test_loop loop;
    weft::mcp_server_options options;
    options.running_max = 1;
    served all{loop, options};
    const auto client = all.client(options_of(weft::mcp_era_choice::modern_only));
    started connecting{loop, client->connect()};
    connecting.result();
    started waiting{loop, client->call_tool("wait", object{})};
    std::string refused;
    loop.run_until([&] {
        started second{loop, client->call_tool("add", object{{"a", 1}, {"b", 1}})};
        try {
            (void)second.result();
        } catch (const weft::error& e) {
            refused = e.what();
        }
        return !refused.empty();
    });
    BOOST_TEST(refused.find("too many requests at once") != std::string::npos);
    waiting.stop();
    const weft::error stopped = waiting.failure();
    BOOST_TEST((stopped.code() == weft::errc::cancelled), stopped.what());
    // The end of its connection has ended the call.
    loop.run_until([&] {
        started second{loop, client->call_tool("add", object{{"a", 1}, {"b", 1}})};
        try {
            return second.result().text() == "2";
        } catch (const weft::error&) {
            return false;
        }
    });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_offered_is_refused)
{
    weft::mcp_server server;
    add_all(server);
    const auto nothing = [](mcp_server_context&, object) -> task<mcp_call_result> { co_return mcp_call_result{}; };
    BOOST_CHECK_THROW(server.add_tool(tool_of("add"), nothing), weft::error);
    BOOST_CHECK_THROW(server.add_tool(tool_of("no spaces"), nothing), weft::error);
    weft::mcp_tool no_schema = tool_of("odd");
    no_schema.input_schema = object{{"type", 7}};
    BOOST_CHECK_THROW(server.add_tool(no_schema, nothing), weft::error);
    weft::tool_set remote;
    remote.add_remote("far", "Elsewhere.", object{{"type", "object"}});
    BOOST_CHECK_THROW(server.add_tools(remote), weft::error);
}

/** A server at the other end of a pipe. */
class piped {
public:
    explicit piped(test_loop& where) : where_{where}
    {
        BOOST_TEST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_) == 0);
        add_all(server_);
        serving_.emplace(where, server_.serve_pipe(ends_[1], ends_[1]));
    }
    ~piped()
    {
        close();
        ::close(ends_[1]);
    }

    void say(std::string_view line)
    {
        const std::string text = std::string{line} + "\n";
        BOOST_TEST_REQUIRE(::write(ends_[0], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    /** The next message. */
    boost::json::value hear()
    {
        where_.run_until([this] {
            char bytes[4096];
            const ssize_t size = ::recv(ends_[0], bytes, sizeof bytes, MSG_DONTWAIT);
            if (size > 0) heard_.append(bytes, static_cast<std::size_t>(size));
            return heard_.find('\n') != std::string::npos;
        });
        const std::size_t end = heard_.find('\n');
        boost::json::value message = weft::parse_json(heard_.substr(0, end));
        heard_.erase(0, end + 1);
        return message;
    }
    void close()
    {
        if (ends_[0] >= 0) ::shutdown(ends_[0], SHUT_WR);
        if (serving_) serving_->result();
        serving_.reset();
        if (ends_[0] >= 0) ::close(std::exchange(ends_[0], -1));
    }

private:
    test_loop& where_;
    weft::mcp_server server_;
    int ends_[2]{-1, -1};
    std::string heard_;
    std::optional<started<void>> serving_;
};

BOOST_AUTO_TEST_CASE(a_pipe_speaks_both_eras_and_says_what_is_wrong)
{
    test_loop loop;
    piped pipe{loop};
    const auto code_of = [&](std::string_view line) {
        pipe.say(line);
        return pipe.hear().at("error").at("code").as_int64();
    };
    BOOST_TEST(code_of("{nonsense") == -32700);
    BOOST_TEST(code_of("[]") == -32600);
    BOOST_TEST(code_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})") == -32600);
    pipe.say(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
    BOOST_TEST(pipe.hear().at("result").as_object().empty());
    BOOST_TEST(code_of(R"({"jsonrpc":"2.0","id":3,"method":"initialize","params":{}})") == -32602);
    pipe.say(R"({"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2024-11-05",)"
             R"("capabilities":{},"clientInfo":{"name":"x","version":"1"}}})");
    BOOST_TEST(pipe.hear().at("result").at("protocolVersion") == "2024-11-05");
    pipe.say(R"({"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"wait","arguments":{}}})");
    pipe.say(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}})");
    BOOST_TEST(pipe.hear().at("id") == 5);
    BOOST_TEST(code_of(R"({"jsonrpc":"2.0","id":"w","method":"ping"})") == -32600);  // an id that is in use
    pipe.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}})");
    pipe.say(R"({"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{)"
             R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
             R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    const boost::json::value found = pipe.hear();
    BOOST_TEST(found.at("id") == 6);  // and nothing for what was cancelled
    BOOST_TEST(found.at("result").at("resultType") == "complete");
    pipe.close();
}

BOOST_AUTO_TEST_CASE(a_pipe_that_is_closed_ends_calls_that_take_too_long)
{
    test_loop loop;
    piped pipe{loop};
    pipe.say(R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{)"
             R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
             R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    pipe.close();
}

BOOST_AUTO_TEST_SUITE_END()
