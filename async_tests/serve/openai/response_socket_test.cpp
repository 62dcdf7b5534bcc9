#include <boost/test/unit_test.hpp>

#include "net/server/client_frames.hpp"
#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"

#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(response_socket_test)

namespace {

using boost::json::value;

/** A server, and a client that speaks Responses over one WebSocket. */
class socket_life {
public:
    socket_life() { connect(); }

    void connect()
    {
        raw_.emplace(loop_, server_.port());
        raw_->send("GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) +
                   "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        raw_->read_until("\r\n\r\n");
        std::string& received = raw_->received();
        BOOST_TEST_REQUIRE(received.starts_with("HTTP/1.1 101 "), received);
        received.erase(0, received.find("\r\n\r\n") + 4);
    }
    /** Sends a request and waits for the last event of its response. */
    value ask(std::string_view body)
    {
        raw_->send(client_frames::text_frame(body));
        events_.clear();
        loop_.run_until([this] { return take_all(); });
        return events_.back();
    }
    [[nodiscard]] const std::vector<value>& events() const { return events_; }
    [[nodiscard]] life& server() { return server_; }

private:
    bool take_all()
    {
        (void)raw_->is_ended();
        while (const auto frame = client_frames::take_frame(raw_->received())) {
            if (frame->opcode != client_frames::websocket_opcode::text) continue;
            events_.push_back(weft::parse_json(frame->payload));
        }
        if (events_.empty()) return false;
        const std::string_view type = events_.back().at("type").as_string();
        return type == "error" || type == "response.completed" || type == "response.failed" ||
               type == "response.incomplete";
    }

    test_loop loop_;
    weft::memory_store store_;
    life server_{loop_, store_, openai_graphs::all()};
    std::optional<server_fixture::raw_client> raw_;
    std::vector<value> events_;
};

std::string said(const value& completed)
{
    BOOST_TEST_REQUIRE(completed.at("type") == "response.completed", completed);
    return std::string{completed.at("response").at("output").at(0).at("content").at(0).at("text").as_string()};
}

std::string id_of(const value& completed) { return std::string{completed.at("response").at("id").as_string()}; }

std::string code_of(const value& event)
{
    BOOST_TEST_REQUIRE(event.at("type") == "error", event);
    return std::string{event.at("error").at("code").as_string()};
}

constexpr std::string_view head = R"({"type":"response.create","model":"chat",)";

std::string create(std::string_view rest) { return std::string{head}.append(rest).append("}"); }

}  // namespace

BOOST_AUTO_TEST_CASE(responses_follow_one_another_on_a_connection)
{
    socket_life life;
    BOOST_TEST(said(life.ask(create(R"("input":"one")"))) == "You said: one (1)");
    BOOST_TEST(life.events().front().at("type") == "response.created");
    BOOST_TEST(life.events()[1].at("sequence_number") == 1);
    BOOST_TEST(said(life.ask(create(R"("input":"two")"))) == "You said: two (1)");
}

BOOST_AUTO_TEST_CASE(one_that_is_not_stored_is_followed_on_its_connection_only)
{
    socket_life life;
    const std::string first = id_of(life.ask(create(R"("store":false,"input":"one")")));
    const std::string behind = R"("store":false,"previous_response_id":")" + first + R"(","input":)";
    const value second = life.ask(create(behind + R"("two")"));
    BOOST_TEST(said(second) == "You said: two (3)");
    const std::string deeper = R"("store":false,"previous_response_id":")" + id_of(second) + R"(","input":"three")";
    BOOST_TEST(said(life.ask(create(deeper))) == "You said: three (5)");
    // What is stored may follow it, and is there for others.
    const value stored = life.ask(create(R"("previous_response_id":")" + first + R"(","input":"kept")"));
    BOOST_TEST(said(stored) == "You said: kept (3)");
    BOOST_TEST(life.server().send("GET", "/v1/responses/" + id_of(stored)).status == 200);
    life.connect();
    BOOST_TEST(code_of(life.ask(create(behind + R"("two")"))) == "previous_response_not_found");
    BOOST_TEST(said(life.ask(create(R"("input":"again")"))) == "You said: again (1)");
}

BOOST_AUTO_TEST_CASE(a_continuation_that_fails_lets_the_response_before_be_forgotten)
{
    socket_life life;
    const std::string first = id_of(life.ask(create(R"("store":false,"input":"one")")));
    const std::string behind = R"("store":false,"previous_response_id":")" + first + R"(","input":)";
    const value failed =
        life.ask(create(behind + R"([{"type":"function_call_output","call_id":"call_none","output":"x"}])"));
    BOOST_TEST(code_of(failed) == "tool_call_not_found");
    BOOST_TEST(failed.at("status") == 400);
    BOOST_TEST(code_of(life.ask(create(behind + R"("two")"))) == "previous_response_not_found");
}

BOOST_AUTO_TEST_CASE(a_warm_up_generates_nothing_and_is_followed)
{
    socket_life life;
    const value warm = life.ask(create(R"("store":false,"generate":false,"input":"before")"));
    BOOST_TEST(warm.at("response").at("output").as_array().empty());
    const value next =
        life.ask(create(R"("store":false,"previous_response_id":")" + id_of(warm) + R"(","input":"then")"));
    BOOST_TEST(said(next) == "You said: then (2)");
}

BOOST_AUTO_TEST_CASE(what_is_no_request_is_refused_and_the_connection_stays)
{
    socket_life life;
    BOOST_TEST(code_of(life.ask("{")) == "invalid_json");
    BOOST_TEST(code_of(life.ask("[]")) == "invalid_json");
    BOOST_TEST(code_of(life.ask(R"({"type":"response.cancel"})")) == "unsupported_event");
    BOOST_TEST(code_of(life.ask(create(R"("input":"x","background":true)"))) == "unsupported_parameter");
    BOOST_TEST(code_of(life.ask(R"({"type":"response.create","model":"none","input":"x"})")) == "model_not_found");
    BOOST_TEST(said(life.ask(create(R"("input":"one")"))) == "You said: one (1)");
    const value failed = life.ask(create(R"("input":"fail")"));
    BOOST_TEST(failed.at("type") == "response.failed");
}

BOOST_AUTO_TEST_SUITE_END()
