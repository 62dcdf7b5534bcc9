// Cookbook: streams a run to browsers as server-sent events, from a web server made of Boost.Beast.

// [program]
#include <weft/agent/llm_node.hpp>
#include <weft/asio.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/weft.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

using namespace std::chrono_literals;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<std::string> poem{"poem"};
constexpr std::string_view poems = "/poem/";

constexpr const char* page = R"(<!doctype html><pre id="poem"></pre><script>
const poem = document.getElementById("poem");
const events = new EventSource("/poem/" + (location.hash.slice(1) || "rain"));
events.addEventListener("text", e => poem.append(JSON.parse(e.data)));
events.addEventListener("retract", () => poem.textContent = "");  // the model's call is made again
events.addEventListener("end", () => events.close());             // else the browser would ask again
</script>)";

// One connection. It goes along with each operation, so that a coroutine may be destroyed while it waits for one.
struct visitor {
    explicit visitor(tcp::socket from) : socket{std::move(from)} {}
    tcp::socket socket;
    boost::beast::flat_buffer buffer;
    http::request<http::empty_body> request;
    http::response<http::string_body> reply;
    std::string piece;
};

// False: the request did not come, or was none.
weft::task<bool> read(std::shared_ptr<visitor> from)
{
    const auto done =
        co_await http::async_read(from->socket, from->buffer, from->request, weft::use_task_keeping{from});
    co_return !std::get<0>(done);
}

// False: the browser has gone.
weft::task<bool> send(std::shared_ptr<visitor> to, std::string piece)
{
    to->piece = std::move(piece);
    const auto done =
        co_await boost::asio::async_write(to->socket, boost::asio::buffer(to->piece), weft::use_task_keeping{to});
    co_return !std::get<0>(done);
}

std::string server_sent(std::string_view type, const boost::json::value& data)
{
    return "event: " + std::string{type} + "\ndata: " + boost::json::serialize(data) + "\n\n";
}

// A run for each browser. A slow browser gets longer pieces; when it goes away its run ends, with the model's socket.
weft::task<void> stream(std::shared_ptr<visitor> to, weft::graph graph, std::string about)
{
    std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                       "Connection: close\r\n\r\n";
    bool is_there = co_await send(to, std::move(head));
    const weft::task_context& context = co_await weft::this_task::context();
    const weft::engine engine{std::move(graph)};
    weft::run_handle run = engine.start(*context.loop, weft::run_request{}.input(topic, std::move(about)));
    weft::event_stream events = run.events(weft::slow_subscriber::join_text);
    while (is_there) {
        const std::optional<weft::run_event> event = co_await events.next();
        if (!event) break;
        if (event->what != weft::run_event::kind::output) continue;
        std::string piece = server_sent("text", boost::json::value(event->text));
        if (event->label == "retract") piece = server_sent("retract", nullptr);
        else if (event->label != "output") continue;  // usage, warnings
        is_there = co_await send(to, std::move(piece));
    }
    if (!is_there) run.cancel();
    const weft::run_result result = co_await run.result();
    if (result.status == weft::run_status::failed) std::clog << result.message() << '\n';  // not for browsers
    std::string end = server_sent("end", result.status == weft::run_status::finished);
    if (is_there) co_await send(to, std::move(end));
}

weft::task<void> serve(std::shared_ptr<visitor> who, weft::graph graph)
{
    weft::task<bool> reading = read(who);
    const bool is_read = co_await weft::with_deadline(std::move(reading), 10s);
    if (!is_read) co_return;
    const std::string target{who->request.target()};
    if (target.starts_with(poems)) {
        std::string about = target.substr(poems.size());
        co_await stream(who, std::move(graph), std::move(about));
        co_return;
    }
    who->reply.result(target == "/" ? http::status::ok : http::status::not_found);
    who->reply.set(http::field::content_type, "text/html; charset=utf-8");
    who->reply.body() = target == "/" ? page : "There is nothing here.";
    who->reply.keep_alive(false);
    who->reply.prepare_payload();
    co_await http::async_write(who->socket, who->reply, weft::use_task_keeping{who});
}

weft::task<void> accept(tcp::acceptor& door, weft::graph graph, weft::scope& children)
{
    for (;;) {
        tcp::socket socket = co_await door.async_accept(weft::use_task);
        if (children.running() < 1'000) children.spawn(serve(std::make_shared<visitor>(std::move(socket)), graph));
    }
}

// Plays a browser.
weft::task<void> visit(unsigned short port, std::string& seen, weft::scope& children)
{
    const weft::http_client client;
    const std::string root = "http://127.0.0.1:" + std::to_string(port);
    weft::http_request request{"GET", weft::url{root + std::string{poems} + "snow"}};
    weft::http_response response = co_await client.send(std::move(request));
    seen = co_await response.read_all(100'000);
    children.request_stop();
}

weft::task<std::string> host(unsigned short port, weft::graph graph)
{
    const weft::task_context& context = co_await weft::this_task::context();
    boost::asio::io_context& io = context.loop->context();
    tcp::acceptor door{io, {boost::asio::ip::address_v4::loopback(), port}};
    boost::asio::signal_set signals{io, SIGINT, SIGTERM};
    std::string seen;
    weft::scope children{context, weft::failure_policy::keep_going};
    signals.async_wait([&children](boost::system::error_code error, int) {
        if (!error) children.request_stop();
    });
    std::cout << "http://127.0.0.1:" << door.local_endpoint().port() << '\n';
    children.spawn(accept(door, std::move(graph), children));
    if (port == 0) children.spawn(visit(door.local_endpoint().port(), seen, children));
    co_await children.join();
    co_return seen;
}

int main(int count, char** words)
try {
    const auto named = weft::read_any_model_environment(weft::process_environment());
    const auto model = named ? weft::make_model(weft::http_client{}, *named) : nullptr;
    weft::llm_node_options asking{.settings = {.prompt = "A poem of ten lines about {topic}."}, .writes = {"poem"}};
    asking.settings.scripted = {"It falls, it falls, it does not ask."};  // without a model
    const weft::graph graph = weft::graph_builder{"poet"}
                                  .state(topic, poem)
                                  .node("write", weft::llm_node{model, std::move(asking)})
                                  .edge(weft::start, "write")
                                  .edge("write", weft::end)
                                  .build();
    const auto port = static_cast<unsigned short>(count > 1 ? std::atoi(words[1]) : 0);
    const std::string seen = weft::run_blocking(host(port, graph));
    std::cout << seen;
    const bool is_whole = seen.find("data: \" falls,\"\n") < seen.find("event: end\ndata: true\n");
    return port != 0 || is_whole ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
// [/program]
