// Sample 26, an agent that sees what happens on a page while it works. The page (page_events/index.html) tells its
// events over the WebSocket of its thread; the next request to the model has the newest of each subject.
//
//   26_page_events samples/page_events/index.html        then open http://127.0.0.1:8124/
//
// With --once the program is its own client and ends. A model of the environment answers (docs/MODELS.md), else one
// that says what it was told.

#include <weft/weft.hpp>

#include <weft/agent/agent_graph.hpp>
#include <weft/asio.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/http_server.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

// Stands in for a model: it says what it sees around it.
class mirror_model final : public weft::chat_model {
public:
    std::string_view label() const noexcept override { return "mirror"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        const std::string told = request.messages.front().text();
        const std::size_t heading = told.rfind("What is so around you");
        std::string seen = heading == told.npos ? "nothing" : told.substr(told.find('\n', heading) + 1);
        weft::chat_reply reply;
        reply.message = weft::message::assistant("I see: " + seen + "\n<AGENT_DONE>Told.</AGENT_DONE>");
        co_return reply;
    }
};

std::shared_ptr<weft::chat_model> make_model()
{
    if (auto named = weft::read_any_model_environment(weft::process_environment()))
        return weft::make_model(weft::http_client{}, std::move(*named));
    return std::make_shared<mirror_model>();
}

void rethrow(std::exception_ptr failure)
{
    if (failure) std::rethrow_exception(failure);
}

std::string text_of_file(const std::string& name)
{
    std::ifstream file{name};
    return {std::istreambuf_iterator<char>{file}, {}};
}

weft::task<std::string> send(std::string method, std::string url, std::string body)
{
    const weft::http_client client;
    weft::http_request request{std::move(method), weft::url{url}};
    if (!body.empty()) request.body(std::move(body), "application/json");
    weft::http_response response = co_await client.send(std::move(request));
    co_return co_await response.read_all(1 << 20);
}

// What the page does, over HTTP: the same commands go over its WebSocket.
weft::task<void> play_page(weft::http_server& http, weft::server& server, std::string at)
{
    const std::string thread = at + "/threads/t";
    const std::string page = co_await send("GET", at + "/", {});
    (void)co_await send("POST", at + "/threads", R"({"thread_id": "t"})");
    for (const char* const order : {"17 umbrella paid", "18 raincoat sent"}) {
        const std::string params = R"({"subject": "selected order", "text": ")" + std::string{order} + R"("})";
        (void)co_await send("POST", thread + "/commands",
                            R"({"id": 1, "method": "surroundings.tell", "params": )" + params + "}");
    }
    const std::string said = co_await send("POST", thread + "/runs/wait",
                                           R"({"assistant_id": "agent", "input": {"input": "What do I look at?"}})");
    const bool has_page = page.find("surroundings.tell") != page.npos;
    const bool is_seen = said.find("I see: - selected order: 18 raincoat sent") != said.npos;
    std::cout << (has_page && is_seen ? "the agent saw the newest order\n" : "FAILED: " + said + '\n');
    if (!has_page || !is_seen) throw weft::error{weft::errc::invalid_response, "page events", said};
    server.drain();
    http.drain();
}

int main(int count, char** arguments)
{
    const std::string file = count > 1 ? arguments[1] : "samples/page_events/index.html";
    const bool is_once = count > 2 && arguments[2] == std::string_view{"--once"};
    const std::string page = text_of_file(file);
    if (page.empty()) {
        std::cerr << "the page cannot be read: " << file << '\n';
        return 2;
    }
    // [live]
    const auto live = std::make_shared<weft::live_surroundings>();
    weft::agent_options agent;
    agent.model = make_model();
    agent.prompt.base = "You help a person on a page with orders.";
    agent.live = live;  // what its requests say of the page
    boost::asio::io_context context{1};
    weft::memory_store store;
    weft::server_options options;
    options.live = live;  // where the command `surroundings.tell` puts it
    weft::server server{weft::serial_loop::of(context), weft::server_stores{store},
                        {weft::served_graph{weft::agent_graph(std::move(agent)), weft::agent_run_options()}},
                        std::move(options)};
    // [/live]
    weft::http_server http{server.loop(), [&server, &page](weft::http_call& call) {
                               if (call.path() != "/") return server.handle(call);
                               return call.reply(weft::http_reply{200, page, "text/html; charset=utf-8"});
                           }};
    const weft::listen_address at = http.listen(weft::listen_address{is_once ? "127.0.0.1:0" : "127.0.0.1:8124"});
    weft::async_start(server.loop(), server.run(), rethrow);
    weft::async_start(server.loop(), http.run(), rethrow);
    std::cout << "http://" << at.to_string() << "/\n" << std::flush;
    boost::asio::signal_set signals{context};
    if (is_once) {
        weft::async_start(server.loop(), play_page(http, server, "http://" + at.to_string()), rethrow);
    } else {
        signals.add(SIGINT);
        signals.add(SIGTERM);
        signals.async_wait([&](const boost::system::error_code&, int) {
            server.drain();
            http.drain();
        });
    }
    context.run();
}
