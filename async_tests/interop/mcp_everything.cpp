// mcp_client against the server "everything" of the protocol's own project.
// usage: mcp_everything stdio <file for its process id> <program> <arguments…>
//        mcp_everything http <url> <command that restarts the server>

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/json.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_client.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using boost::json::object;
using weft::task;
using namespace std::chrono_literals;

void require(bool holds, const std::string& what)
{
    if (!holds) throw std::runtime_error{what};
    std::cout << "ok: " << what << '\n';
}

template <class Item>
bool has_name(const std::vector<Item>& items, std::string_view name)
{
    return std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
}

object arguments_of(std::string_view json)
{
    return weft::parse_json(json).get_object();
}

task<void> look_around(weft::mcp_client& client)
{
    co_await client.connect();
    const weft::mcp_agreement& met = client.agreement();
    require(!met.version.empty() && !met.server_name.empty(), "met " + met.server_name + ", revision " + met.version);
    // The server adds tools once it knows what the client can do, and says so: the list is asked for again.
    std::size_t before = 0;
    auto tools = co_await client.tools();
    while (before != tools->size()) {
        before = tools->size();
        co_await weft::sleep_for(300ms);
        auto changed = co_await client.tools();
        tools = std::move(changed);
    }
    require(has_name(*tools, "echo") && has_name(*tools, "get-sum"), std::to_string(tools->size()) + " tools");
    const auto again = co_await client.tools();
    require(again == tools, "the list of tools is kept");
    const auto resources = co_await client.resources();
    require(!resources->empty(), std::to_string(resources->size()) + " resources");
    const auto templates = co_await client.resource_templates();
    require(!templates->empty(), std::to_string(templates->size()) + " resource templates");
    const auto prompts = co_await client.prompts();
    require(has_name(*prompts, "simple-prompt"), std::to_string(prompts->size()) + " prompts");
    const auto contents = co_await client.read_resource(resources->front().uri);
    require(!contents.empty() && !(contents.front().text.empty() && contents.front().blob.empty()),
            "read " + resources->front().uri);
    const auto simple = co_await client.prompt("simple-prompt");
    require(!simple.messages.empty() && !simple.messages.front().content.text.empty(), "got a prompt");
    const auto with_arguments = co_await client.prompt("args-prompt", arguments_of(R"({"city":"Ulm"})"));
    require(with_arguments.messages.front().content.text.find("Ulm") != std::string::npos, "got a prompt of arguments");
}

task<void> call_tools(weft::mcp_client& client)
{
    const auto echo = co_await client.call_tool("echo", arguments_of(R"({"message":"hällo"})"));
    require(echo.text().find("hällo") != std::string::npos && !echo.is_error, "echo");
    const auto sum = co_await client.call_tool("get-sum", arguments_of(R"({"a":2,"b":40})"));
    require(sum.text().find("42") != std::string::npos, "get-sum");
    const auto weather =
        co_await client.call_tool("get-structured-content", arguments_of(R"({"location":"Chicago"})"));
    require(weather.structured.as_object().at("temperature") == 36, "structured content, checked by its schema");
    const auto image = co_await client.call_tool("get-tiny-image", object{});
    require(std::any_of(image.content.begin(), image.content.end(),
                        [](const auto& piece) { return piece.what == weft::mcp_content::kind::image; }),
            "an image");
    const auto wrong = co_await client.call_tool("get-sum", arguments_of(R"({"a":"x"})"));
    require(wrong.is_error, "wrong arguments are an error of the tool: " + wrong.text().substr(0, 60));
}

task<void> watch_progress(weft::mcp_client& client)
{
    std::vector<double> steps;
    weft::mcp_call_options options;
    options.timeout = 700ms;
    options.timeout_max = 20s;
    options.on_progress = [&steps](const weft::mcp_progress& step) { steps.push_back(step.progress); };
    const object one_second = arguments_of(R"({"duration":1,"steps":4})");
    const auto done = co_await client.call_tool("trigger-long-running-operation", one_second, options);
    require(!done.is_error && steps == std::vector<double>({1, 2, 3, 4}), "progress, which extends the timeout");
}

task<void> fails(task<weft::mcp_call_result> call, weft::errc wanted, std::string what)
{
    std::optional<weft::errc> code;
    try {
        const auto result = co_await std::move(call);
        static_cast<void>(result);
    } catch (const weft::error& e) {
        code = e.code();
    }
    require(code == wanted, what);
}

task<void> give_up(weft::mcp_client& client)
{
    const object slow = arguments_of(R"({"duration":60,"steps":60})");
    weft::mcp_call_options quick;
    quick.timeout = 200ms;
    co_await fails(client.call_tool("trigger-long-running-operation", slow, quick), weft::errc::timeout, "a timeout");
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope work{context};
    task<weft::mcp_call_result> endless = client.call_tool("trigger-long-running-operation", slow);
    work.spawn(fails(std::move(endless), weft::errc::cancelled, "a cancellation"));
    co_await weft::sleep_for(200ms);
    work.request_stop();
    co_await work.join();
    const auto echo = co_await client.call_tool("echo", arguments_of(R"({"message":"still here"})"));
    require(!echo.is_error, "calls go on after a timeout and a cancellation");
}

task<boost::json::value> sample(object)
{
    co_return weft::parse_json(
        R"({"role":"assistant","content":{"type":"text","text":"a sampled answer"},"model":"none"})");
}

task<boost::json::value> elicit(object)
{
    co_return weft::parse_json(R"({"action":"accept","content":{"name":"Ada","check":true}})");
}

task<boost::json::value> roots(object)
{
    co_return weft::parse_json(R"({"roots":[{"uri":"file:///tmp","name":"tmp"}]})");
}

weft::mcp_client_options options_with_handlers()
{
    weft::mcp_client_options options;
    options.on_sampling = sample;
    options.on_elicitation = elicit;
    options.on_roots = roots;
    options.on_noise = [](std::string_view what) { std::cout << "noise: " << what << '\n'; };
    options.reconnect.initial = 50ms;
    return options;
}

task<void> answer_the_server(weft::mcp_client& client)
{
    const auto sampled =
        co_await client.call_tool("trigger-sampling-request", arguments_of(R"({"prompt":"hi","maxTokens":10})"));
    require(sampled.text().find("a sampled answer") != std::string::npos, "answered a request for sampling");
    const auto elicited = co_await client.call_tool("trigger-elicitation-request", object{});
    require(elicited.text().find("Ada") != std::string::npos, "answered an elicitation");
}

/** Lets the server be killed by `kill`, and calls again. */
task<void> survive(weft::mcp_client& client, std::function<void()> kill)
{
    kill();
    for (int attempt = 0;; ++attempt) {
        bool is_answered = false;
        std::string why;
        try {
            const auto echo = co_await client.call_tool("echo", arguments_of(R"({"message":"again"})"));
            is_answered = !echo.is_error;
        } catch (const weft::error& e) {
            why = e.what();
        }
        if (is_answered) break;
        std::cout << "meanwhile: " << why << '\n';
        if (attempt > 50) throw std::runtime_error{"the server did not come back"};
        co_await weft::sleep_for(100ms);
    }
    require(true, "a server that was killed is found again");
}

task<void> run(weft::mcp_client& client, std::function<void()> kill)
{
    co_await look_around(client);
    co_await call_tools(client);
    co_await watch_progress(client);
    co_await give_up(client);
    co_await answer_the_server(client);
    co_await survive(client, std::move(kill));
    co_await client.close();
    require(!client.is_connected(), "closed");
}

int run_stdio(std::vector<std::string> command)
{
    // A shell writes the number of its process, which then is the server's, where the test finds it.
    const std::string pid_file = command.front();
    command.erase(command.begin());
    weft::mcp_program program{{"sh", "-c", "echo $$ >\"$0\"; echo a banner; exec \"$@\"", pid_file}};
    program.command.insert(program.command.end(), command.begin(), command.end());
    weft::mcp_client client{weft::mcp_stdio(std::move(program)), options_with_handlers()};
    const auto kill = [pid_file] {
        const std::string kills = "kill -KILL $(cat " + pid_file + ")";
        if (std::system(kills.c_str()) != 0) throw std::runtime_error{"cannot kill the server"};
    };
    weft::run_blocking(run(client, kill));
    return 0;
}

int run_http(const std::string& url, const std::string& restart)
{
    weft::mcp_client client{weft::mcp_http(weft::http_client{}, weft::mcp_endpoint{url}), options_with_handlers()};
    const auto kill = [restart] {
        if (std::system(restart.c_str()) != 0) throw std::runtime_error{"cannot restart the server"};
    };
    weft::run_blocking(run(client, kill));
    return 0;
}

}  // namespace

int main(int count, char** words)
{
    const std::vector<std::string> arguments{words + 1, words + count};
    try {
        if (arguments.size() >= 3 && arguments[0] == "stdio")
            return run_stdio({arguments.begin() + 1, arguments.end()});
        if (arguments.size() == 3 && arguments[0] == "http") return run_http(arguments[1], arguments[2]);
        std::cerr << "usage: mcp_everything stdio <file for its process id> <program> <arguments…>\n"
                     "       mcp_everything http <url> <command that restarts the server>\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "failed: " << e.what() << '\n';
        return 1;
    }
}
