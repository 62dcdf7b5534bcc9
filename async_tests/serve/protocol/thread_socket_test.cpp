#include <boost/test/unit_test.hpp>

#include "net/server/client_frames.hpp"
#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"

#include <weft/agent/agent_graph.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/faulty_store.hpp>
#include <weft/testing/scripted_model.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/data/test_case.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(thread_socket_test)

using namespace std::chrono_literals;
using boost::json::object;
using boost::json::value;
using server_fixture::raw_client;
using weft::graph_builder;
using weft::node_context;

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

weft::graph greeting()
{
    return graph_builder{"greeting"}
        .state(name, said)
        .node("greet", [](node_context& ctx) { ctx.set(said, "hello " + ctx.get(name)); })
        .edge(weft::start, "greet")
        .build();
}

weft::task<void> ask(node_context& ctx)
{
    weft::question which{"Which one?"};
    const std::string answer = co_await ctx.ask<std::string>(std::move(which));
    ctx.set(said, answer);
}

weft::graph asking()
{
    return graph_builder{"asking"}.state(name, said).node("ask", ask).edge(weft::start, "ask").build();
}

/** Says much more than a client is kept. */
weft::graph talking()
{
    return graph_builder{"talking"}
        .state(name, said)
        .node("talk", [](node_context& ctx) {
            for (int i = 0; i < 200; ++i) ctx.emit("word", std::string(10'000, 'w'));
        })
        .edge(weft::start, "talk")
        .build();
}

/** A server that runs. */
class life {
public:
    explicit life(test_loop& where, weft::server_options options = weft::server_options{},
                  std::vector<weft::served_graph> graphs = {greeting(), asking(), talking()})
        : where_{where},
          server_{where.loop(), weft::server_stores{faulty_, store_.service()}, std::move(graphs), std::move(options)},
          at_{server_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, server_.run()}
    {
    }
    [[nodiscard]] test_loop& loop() { return where_; }
    [[nodiscard]] weft::server& server() { return server_; }
    [[nodiscard]] weft::testing::faulty_store& store() { return faulty_; }
    [[nodiscard]] std::uint16_t port() const { return at_.port(); }
    [[nodiscard]] raw_client connect() { return raw_client{where_, port()}; }
    [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
    void wait_until_over()
    {
        where_.run_until([this] { return running_.is_done(); });
    }

    /** A request for a WebSocket; of a page, if an origin is given. */
    [[nodiscard]] std::string handshake(std::string_view thread, std::string_view origin = {},
                                        std::string_view cookie = {}) const
    {
        std::string request = "GET /threads/" + std::string{thread} + "/stream/events HTTP/1.1\r\nHost: " + host() +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        if (!origin.empty()) request.append("Origin: ").append(origin).append("\r\n");
        if (!cookie.empty()) request.append("Cookie: ").append(cookie).append("\r\n");
        return request.append("\r\n");
    }
    /** What the server answers to it. */
    std::string asked_for_socket(raw_client& client, std::string_view thread, std::string_view origin = {},
                                 std::string_view cookie = {})
    {
        client.send(handshake(thread, origin, cookie));
        client.read_until("\r\n\r\n");
        const std::size_t end = client.received().find("\r\n\r\n") + 4;
        std::string head = client.received().substr(0, end);
        client.received().erase(0, end);
        return head;
    }

private:
    test_loop& where_;
    weft::memory_store store_;
    weft::testing::faulty_store faulty_{store_, weft::testing::store_faults{}, 1};
    weft::server server_;
    weft::listen_address at_;
    started<void> running_;
};

/** A client of a thread: answers by their ids, and events in their order. */
class thread_client {
public:
    thread_client(life& server, std::string_view thread, std::string_view cookie = {})
        : server_{server}, raw_{server.connect()}
    {
        const std::string head = server.asked_for_socket(raw_, thread, {}, cookie);
        BOOST_TEST_REQUIRE(head.starts_with("HTTP/1.1 101 "), head);
    }

    void send(std::string_view text) { raw_.send(client_frames::text_frame(text)); }
    /** Sends a command and waits for its answer. */
    object command(std::string_view method, std::string_view params)
    {
        const std::int64_t id = ++last_id_;
        send("{\"id\":" + std::to_string(id) + ",\"method\":\"" + std::string{method} + "\",\"params\":" +
             std::string{params} + "}");
        wait([&] { return answers_.contains(id); });
        return answers_.at(id);
    }
    std::string subscribe(std::string_view params)
    {
        const object answer = command("subscription.subscribe", params);
        BOOST_TEST_REQUIRE(answer.at("type").as_string() == "success", answer);
        return std::string{answer.at("result").at("subscription_id").as_string()};
    }
    void start(std::string_view params)
    {
        const object answer = command("run.start", params);
        BOOST_TEST_REQUIRE(answer.at("type").as_string() == "success", answer);
    }
    /** Waits until an event has come whose text contains `part`. */
    const object& wait_for(std::string_view part)
    {
        const object* found = nullptr;
        wait([&] {
            for (const object& event : events_)
                if (boost::json::serialize(event).find(part) != std::string::npos) found = &event;
            return found != nullptr;
        });
        return *found;
    }
    void wait_for_number_of(std::string_view part, std::size_t number)
    {
        wait([&] { return count(part) >= number; });
        BOOST_TEST(count(part) == number);
    }
    [[nodiscard]] std::size_t count(std::string_view part) const
    {
        std::size_t found = 0;
        for (const object& event : events_) found += boost::json::serialize(event).find(part) != std::string::npos;
        return found;
    }
    /** Waits for an error without an id. */
    object wait_for_fault()
    {
        wait([&] { return !faults_.empty(); });
        const object fault = faults_.back();
        faults_.pop_back();
        return fault;
    }
    unsigned wait_for_close()
    {
        wait([&] { return close_code_ != 0; });
        return close_code_;
    }
    [[nodiscard]] std::vector<object>& events() { return events_; }
    [[nodiscard]] raw_client& raw() { return raw_; }

private:
    template <class Condition>
    void wait(Condition is_reached)
    {
        server_.loop().run_until([&] { return take_all(), is_reached(); });
    }
    void take_all()
    {
        (void)raw_.is_ended();
        while (const auto frame = client_frames::take_frame(raw_.received())) {
            if (frame->opcode == client_frames::websocket_opcode::close) close_code_ = frame->code();
            if (frame->opcode != client_frames::websocket_opcode::text) continue;
            object message = weft::parse_json(frame->payload).as_object();
            if (message.at("type") == "event")
                events_.push_back(std::move(message));
            else if (message.at("id").is_int64())
                answers_[message.at("id").as_int64()] = std::move(message);
            else
                faults_.push_back(std::move(message));
        }
    }

    life& server_;
    raw_client raw_;
    std::int64_t last_id_ = 0;
    std::map<std::int64_t, object> answers_;
    std::vector<object> events_;
    std::vector<object> faults_;
    unsigned close_code_ = 0;
};

constexpr std::string_view ada = R"({"assistant_id":"greeting","input":{"name":"Ada"}})";
constexpr std::string_view completed = R"("data":{"event":"completed"})";

/** An event without what differs from one sending to the next. */
std::string shown(object event)
{
    event.at("params").as_object().erase("timestamp");
    return boost::json::serialize(event);
}

BOOST_AUTO_TEST_CASE(a_run_is_started_and_watched_over_a_socket_as_over_an_event_stream)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    client.start(ada);
    BOOST_TEST(client.subscribe(R"({"channels":["values","lifecycle","tasks"]})") == "1");
    client.wait_for(completed);
    BOOST_TEST(client.count("hello Ada") == 1u);

    // The same thread as an event stream.
    raw_client stream = server.connect();
    const std::string body = R"({"channels":["values","lifecycle","tasks"]})";
    stream.send("POST /threads/t/stream/events HTTP/1.1\r\nHost: " + server.host() +
                "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body);
    const std::string& got = stream.read_until(completed);
    std::vector<std::string> frames;
    for (std::size_t at = got.find("data: "); at != std::string::npos; at = got.find("data: ", at + 1))
        frames.push_back(shown(weft::parse_json(got.substr(at + 6, got.find('\n', at) - at - 6)).as_object()));
    BOOST_TEST_REQUIRE(frames.size() == client.events().size());
    for (std::size_t i = 0; i < frames.size(); ++i) BOOST_TEST(frames[i] == shown(client.events()[i]));
}

BOOST_AUTO_TEST_CASE(a_subscription_goes_on_from_run_to_run)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    client.subscribe(R"({"channels":["values"]})");
    client.start(ada);
    client.wait_for("hello Ada");
    client.start(R"({"assistant_id":"greeting","input":{"name":"Bob"}})");
    client.wait_for("hello Bob");
    BOOST_TEST(client.count("lifecycle") == 0u);
}

BOOST_AUTO_TEST_CASE(an_event_that_two_subscriptions_want_is_sent_once)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    BOOST_TEST(client.subscribe(R"({"channels":["lifecycle","input"]})") == "1");
    BOOST_TEST(client.subscribe(R"({"channels":["values","lifecycle"],"namespaces":[[]],"depth":1})") == "2");
    client.start(ada);
    client.wait_for(completed);
    BOOST_TEST(client.count(completed) == 1u);
    BOOST_TEST(client.count(R"("data":{"event":"running"})") == 1u);
    BOOST_TEST(client.count("hello Ada") == 1u);
}

BOOST_AUTO_TEST_CASE(a_later_subscription_gets_what_has_happened_and_then_what_does)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    client.subscribe(R"({"channels":["lifecycle"]})");
    client.start(ada);
    client.wait_for(completed);
    BOOST_TEST(client.count("hello Ada") == 0u);
    // All of it has come before the answer: the SDK would not wait for it.
    const object answer = client.command("subscription.subscribe", R"({"channels":["values","lifecycle"]})");
    BOOST_TEST(client.count("hello Ada") == 1u);
    BOOST_TEST(client.count(completed) == 2u);  // once for each
    BOOST_TEST(answer.at("result").at("replayed_events").as_int64() == 4);
    client.start(R"({"assistant_id":"greeting","input":{"name":"Bob"}})");
    client.wait_for("hello Bob");
    client.wait_for_number_of(completed, 3);
}

BOOST_AUTO_TEST_CASE(a_client_that_connects_again_goes_on_behind_what_it_has_seen)
{
    test_loop loop;
    life server{loop};
    std::uint64_t seen = 0;
    {
        thread_client first{server, "t"};
        first.subscribe(R"({"channels":["values","lifecycle"]})");
        first.start(ada);
        seen = static_cast<std::uint64_t>(first.wait_for(completed).at("seq").as_int64());
    }
    thread_client second{server, "t"};
    second.subscribe(R"({"channels":["values","lifecycle"],"since":)" + std::to_string(seen) + "}");
    second.start(R"({"assistant_id":"greeting","input":{"name":"Bob"}})");
    second.wait_for("hello Bob");
    second.wait_for(completed);
    BOOST_TEST(second.count(completed) == 1u);
    BOOST_TEST(second.count(R"("data":{"event":"running"})") == 1u);
    // A number of another process is no reason to miss events.
    thread_client third{server, "t"};
    third.subscribe(R"({"channels":["values"],"since":1000000})");
    third.wait_for("hello Bob");
}

BOOST_AUTO_TEST_CASE(a_subscription_that_is_ended_gets_no_more)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    const std::string values = client.subscribe(R"({"channels":["values"]})");
    client.subscribe(R"({"channels":["lifecycle"]})");
    const object ended = client.command("subscription.unsubscribe", R"({"subscription_id":")" + values + "\"}");
    BOOST_TEST(ended.at("type").as_string() == "success");
    client.start(ada);
    client.wait_for(completed);
    BOOST_TEST(client.count("hello Ada") == 0u);
    const object again = client.command("subscription.unsubscribe", R"({"subscription_id":")" + values + "\"}");
    BOOST_TEST(again.at("error").as_string() == "no_such_subscription");
    const object back = client.command("subscription.reconnect", R"({"run_id":"r","subscriptions":["1"]})");
    BOOST_TEST(!back.at("result").at("restored").as_bool());
}

BOOST_AUTO_TEST_CASE(a_silent_client_of_a_thread_that_was_forgotten_still_gets_its_events)
{
    test_loop loop;
    weft::server_options options;
    options.tapes_max = 1;
    life server{loop, options};
    thread_client client{server, "t"};
    thread_client other{server, "other"};
    other.subscribe(R"({"channels":["values"]})");
    client.start(ada);
    client.subscribe(R"({"channels":["values"]})");
    client.start(R"({"assistant_id":"greeting","input":{"name":"Bob"}})");
    client.wait_for("hello Bob");
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_over_the_socket)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    client.subscribe(R"({"channels":["input","values","lifecycle"]})");
    client.start(R"({"assistant_id":"asking","input":{"name":"x"}})");
    const object asked = client.wait_for("input.requested");
    client.wait_for("interrupted");
    const std::string id{asked.at("params").at("data").at("interrupt_id").as_string()};
    const object stale = client.command("input.respond", R"({"namespace":[],"interrupt_id":"x","response":1})");
    BOOST_TEST(stale.at("error").as_string() == "no_such_interrupt");
    const object answer =
        client.command("input.respond", R"({"namespace":[],"interrupt_id":")" + id + R"(","response":"red"})");
    BOOST_TEST(answer.at("type").as_string() == "success", answer);
    client.wait_for(R"("said":["red"])");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_command_is_told_and_the_conversation_goes_on)
{
    test_loop loop;
    life server{loop};
    thread_client client{server, "t"};
    for (const std::string_view text : {"{", "[]", "7", "{}", R"({"id":"x","method":"agent.getTree"})"}) {
        client.send(text);
        const object fault = client.wait_for_fault();
        BOOST_TEST(fault.at("type").as_string() == "error", text);
        BOOST_TEST(fault.at("error").as_string() == "invalid_argument", text);
        BOOST_TEST(fault.at("id").is_null(), text);
    }
    const auto code = [&](std::string_view method, std::string_view params) {
        const object answer = client.command(method, params);
        return std::string{answer.at("error").as_string()};
    };
    BOOST_TEST(code("state.get", "{}") == "unknown_command");
    BOOST_TEST(code("run.start", R"({"assistant_id":"nobody","input":{}})") == "invalid_argument");
    BOOST_TEST(code("subscription.subscribe", "{}") == "invalid_argument");
    BOOST_TEST(code("subscription.unsubscribe", "{}") == "invalid_argument");
    const object channel = client.command("subscription.subscribe", R"({"channels":["nonsense"]})");
    BOOST_TEST(channel.at("message").as_string().find("lifecycle") != std::string_view::npos);
    for (int i = 0; i < 64; ++i) client.subscribe(R"({"channels":["custom"]})");
    BOOST_TEST(code("subscription.subscribe", R"({"channels":["custom"]})") == "invalid_argument");
    client.command("subscription.unsubscribe", R"({"subscription_id":"7"})");
    client.subscribe(R"({"channels":["values"]})");
    client.start(ada);
    client.wait_for("hello Ada");
}

BOOST_AUTO_TEST_CASE(a_client_that_reads_nothing_is_given_up_and_its_events_wait_for_it)
{
    test_loop loop;
    weft::server_options options;
    options.http.send_buffer_bytes = 16 * 1024;
    options.http.timeouts.write_stall = 1s;
    life server{loop, options};
    boost::asio::ip::tcp::socket stalled{loop.context()};
    stalled.open(boost::asio::ip::tcp::v4());
    stalled.set_option(boost::asio::socket_base::receive_buffer_size{4096});
    stalled.connect({boost::asio::ip::address_v4::loopback(), server.port()});
    const std::string all =
        server.handshake("t") +
        client_frames::text_frame(R"({"id":1,"method":"subscription.subscribe","params":{"channels":["custom"]}})") +
        client_frames::text_frame(R"({"id":2,"method":"run.start","params":{"assistant_id":"talking","input":{}}})");
    boost::asio::write(stalled, boost::asio::buffer(all));
    loop.run_until([&] { return server.server().counts().requests == 1; });
    loop.run_until([&] { return server.server().counts().open == 0; });
    thread_client again{server, "t"};
    again.subscribe(R"({"channels":["custom"]})");
    again.wait_for_number_of(R"("name":"word")", 200);
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_server_is_told_to_its_log_and_the_conversation_goes_on)
{
    test_loop loop;
    std::string told;
    weft::server_options options;
    options.on_error = [&told](std::string_view where, std::string_view what) {
        told.append(where).append(": ").append(what) += '\n';
    };
    life server{loop, options};
    thread_client client{server, "t"};
    client.subscribe(R"({"channels":["values"]})");
    weft::testing::store_faults down;
    server.store().set_faults(down.lose_requests(1));
    const object answer = client.command("run.start", ada);
    BOOST_TEST(answer.at("error").as_string() == "unknown_error");
    BOOST_TEST(answer.at("message").as_string() == "the server cannot do that now; try again");
    BOOST_TEST(told.find("a command of thread t: ") != std::string::npos, told);
    server.store().set_faults(weft::testing::store_faults{});
    client.start(ada);
    client.wait_for("hello Ada");
}

/** Callers say in a cookie who they are: `reader@acme`. */
weft::task<std::optional<weft::principal>> caller_by_cookie(const weft::http_call& call)
{
    const std::string cookie{call.headers().find("cookie").value_or("")};
    std::optional<weft::principal> who;
    if (const std::size_t at = cookie.find('@'); at != std::string::npos) {
        who.emplace();
        who->name = cookie.substr(0, at);
        who->tenant = cookie.substr(at + 1);
        if (who->name == "reader") who->scopes = {"threads:read"};
    }
    co_return who;
}

BOOST_AUTO_TEST_CASE(a_caller_may_do_over_a_socket_what_it_may_over_http)
{
    test_loop loop;
    weft::server_options options;
    options.auth.authenticate = caller_by_cookie;
    life server{loop, options};
    raw_client stranger = server.connect();
    BOOST_TEST(server.asked_for_socket(stranger, "t").starts_with("HTTP/1.1 401 "));
    thread_client reader{server, "t", "reader@acme"};
    reader.subscribe(R"({"channels":["values"]})");
    BOOST_TEST(reader.command("agent.getTree", "{}").at("type").as_string() == "success");
    for (const std::string_view method : {"run.start", "input.respond"}) {
        const object refused = reader.command(method, ada);
        BOOST_TEST(refused.at("error").as_string() == "permission_denied", method);
        BOOST_TEST(refused.at("message").as_string().find("threads:create_run") != std::string_view::npos);
    }
    thread_client of_other_tenant{server, "t", "writer@other"};
    of_other_tenant.subscribe(R"({"channels":["values"]})");
    thread_client writer{server, "t", "writer@acme"};
    writer.start(ada);
    reader.wait_for("hello Ada");
    // The thread of the same name that another tenant has is another one.
    (void)of_other_tenant.command("agent.getTree", "{}");
    BOOST_TEST(of_other_tenant.count("hello Ada") == 0u);
}

BOOST_AUTO_TEST_CASE(commands_over_a_socket_count_as_requests_of_their_caller)
{
    test_loop loop;
    weft::server_options options;
    options.auth.authenticate = caller_by_cookie;
    options.auth.limits.requests_per_second = 0.001;
    options.auth.limits.burst = 3;
    life server{loop, options};
    thread_client client{server, "t", "writer@acme"};
    for (int i = 0; i < 2; ++i) BOOST_TEST(client.command("agent.getTree", "{}").at("type").as_string() == "success");
    BOOST_TEST(client.command("agent.getTree", "{}").at("error").as_string() == "too_many_requests");
}

BOOST_AUTO_TEST_CASE(a_page_of_another_site_is_refused)
{
    test_loop loop;
    weft::server_options options;
    options.allowed_origin = "https://app.example";
    life server{loop, options};
    const auto status = [&](std::string_view origin) {
        raw_client client = server.connect();
        return server.asked_for_socket(client, "t", origin).substr(9, 3);
    };
    BOOST_TEST(status("https://evil.example") == "403");
    BOOST_TEST(status("null") == "403");
    BOOST_TEST(status("http://localhost:3000") == "403");
    BOOST_TEST(status("https://app.example") == "101");
    BOOST_TEST(status("http://" + server.host()) == "101");
    BOOST_TEST(status("") == "101");
}

BOOST_AUTO_TEST_CASE(a_plain_request_is_told_to_ask_for_a_socket)
{
    test_loop loop;
    life server{loop};
    raw_client client = server.connect();
    client.send("GET /threads/t/stream/events HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n");
    const std::string& got = client.read_until("upgrade_required");
    BOOST_TEST(got.starts_with("HTTP/1.1 426 "));
    BOOST_TEST(got.find("Sec-WebSocket-Version: 13\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_drain_ends_sockets_with_and_without_subscriptions)
{
    test_loop loop;
    life server{loop};
    thread_client watching{server, "t"};
    watching.subscribe(R"({"channels":["values","lifecycle"]})");
    watching.start(ada);
    watching.wait_for(completed);
    thread_client silent{server, "t"};
    server.server().drain();
    for (thread_client* const client : {&watching, &silent}) {
        BOOST_TEST(client->wait_for_close() == 1012u);
        client->raw().send(client_frames::close_frame(1012));
        client->raw().read_to_end();
    }
    server.wait_until_over();
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_away_leaves_nothing_behind_and_no_trouble)
{
    test_loop loop;
    std::string told;
    weft::server_options options;
    options.on_error = [&told](std::string_view where, std::string_view what) {
        told.append(where).append(": ").append(what) += '\n';
    };
    life server{loop, options};
    {
        thread_client starts{server, "t"};
        starts.subscribe(R"({"channels":["custom","lifecycle"]})");
        starts.start(R"({"assistant_id":"talking","input":{}})");
        starts.wait_for(completed);
        raw_client replayed = server.connect();
        (void)server.asked_for_socket(replayed, "t");
        replayed.send(client_frames::text_frame(
            R"({"id":1,"method":"subscription.subscribe","params":{"channels":["custom"]}})"));
        replayed.close();
        thread_client vanishes{server, "t"};
        vanishes.subscribe(R"({"channels":["values"]})");
        thread_client closes{server, "t"};
        closes.subscribe(R"({"channels":["values"]})");
        closes.send(R"({"id":9,"method":"agent.getTree"})");
        closes.raw().send(client_frames::close_frame(1000));
        BOOST_TEST(closes.wait_for_close() == 1000u);
    }
    loop.run_until([&] { return server.server().counts().open == 0; });
    BOOST_TEST(told == "");
}

BOOST_AUTO_TEST_CASE(SUL_27_what_a_page_tells_over_the_socket_is_in_the_next_request_of_the_agent)
{
    const auto live = std::make_shared<weft::live_surroundings>();
    const auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(weft::testing::scripted_turn{"Ready. <AGENT_DONE>Ready.</AGENT_DONE>"});
    model->then(weft::testing::scripted_turn{"I see. <AGENT_DONE>Seen.</AGENT_DONE>"});
    weft::agent_options agent;
    agent.model = model;
    agent.live = live;
    agent.prompt.base = "You help on a page.";
    test_loop loop;
    weft::server_options options;
    options.live = live;
    life server{loop, std::move(options), {weft::agent_graph(std::move(agent))}};
    thread_client client{server, "t"};
    const auto say = [&](std::string_view text, std::size_t ends) {
        client.start(R"({"assistant_id":"agent","input":{"input":")" + std::string{text} + R"("}})");
        client.wait_for_number_of(completed, ends);
    };
    // Of a thread that is not there nothing is kept.
    const std::string page = R"({"subject":"page","text":"/orders/17"})";
    BOOST_TEST(client.command("surroundings.tell", page).at("error").as_string() == "invalid_argument");
    client.subscribe(R"({"channels":["lifecycle"]})");
    say("Hello", 1);
    BOOST_TEST(client.command("surroundings.tell", page).at("type").as_string() == "success");
    for (const char* const row : {"row 1", "row 2", "row 3"})
        client.command("surroundings.tell", R"({"subject":"selection","text":")" + std::string{row} + R"("})");
    BOOST_TEST(client.command("surroundings.tell", "{}").at("error").as_string() == "invalid_argument");
    say("What do I see?", 2);
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_TEST_REQUIRE(asked.size() == 2u);
    const std::string before = asked[0].messages.front().text();
    const std::string after = asked[1].messages.front().text();
    BOOST_TEST(before.find("/orders/17") == std::string::npos);
    BOOST_TEST(after.find("- page: /orders/17\n- selection: row 3") != std::string::npos, after);
    BOOST_TEST(after.find("row 2") == std::string::npos);
    // A server without agents that listen says so.
    test_loop other;
    life deaf{other};
    thread_client there{deaf, "t"};
    there.start(ada);
    BOOST_TEST(there.command("surroundings.tell", page).at("error").as_string() == "not_supported");
}

BOOST_AUTO_TEST_SUITE_END()
