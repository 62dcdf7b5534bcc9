#include <boost/test/unit_test.hpp>

#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"

#include <weft/agent/remote/openai_agent_node.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// `Idempotency-Key` of OpenAI's protocols.
BOOST_AUTO_TEST_SUITE(request_key_test)

namespace {

using boost::json::value;

constexpr std::string_view hello = R"({"model":"chat","input":"hello"})";

/** Two servers on one store, as two processes are. */
struct two_servers {
    test_loop loop;
    weft::memory_store store;
    std::vector<std::unique_ptr<life>> servers;

    two_servers()
    {
        for (int i = 0; i < 2; ++i) servers.push_back(std::make_unique<life>(loop, store, openai_graphs::all()));
    }
    weft::http_request request(std::size_t at, std::string_view key, std::string_view body,
                               std::string_view path = "/v1/responses")
    {
        weft::http_request request = servers[at]->request_to("POST", path);
        request.header("Idempotency-Key", key);
        request.body(std::string{body}, "application/json");
        return request;
    }
    answer post(std::size_t at, std::string_view key, std::string_view body, std::string_view path = "/v1/responses")
    {
        return servers[at]->send(request(at, key, body, path));
    }
    std::size_t threads() { return servers[0]->post("/threads/search", "{}").json().as_array().size(); }
};

std::string code_in(const answer& refused)
{
    return std::string{refused.json().at("error").at("code").as_string()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_same_request_gets_the_response_of_the_first_one_from_each_process)
{
    two_servers w;
    const answer first = w.post(0, "k1", hello);
    BOOST_TEST_REQUIRE(first.status == 200, first.body);
    for (const std::size_t at : {0u, 1u}) {
        const answer again = w.post(at, "k1", hello);
        BOOST_TEST_REQUIRE(again.status == 200, again.body);
        for (const char* const member : {"id", "created_at", "output", "usage", "status"})
            BOOST_TEST(again.json().at(member) == first.json().at(member), again.body);
        BOOST_TEST(again.headers.find("Content-Location").value() == first.headers.find("Content-Location").value());
    }
    BOOST_TEST(w.threads() == 1u);
    BOOST_TEST(w.post(0, "k2", hello).json().at("id") != first.json().at("id"));
    BOOST_TEST(w.threads() == 2u);
}

BOOST_AUTO_TEST_CASE(a_stream_comes_again_from_its_beginning)
{
    two_servers w;
    constexpr std::string_view counted = R"({"model":"chat","input":"count 3","stream":true})";
    const answer first = w.post(0, "k1", counted);
    BOOST_TEST(first.body.find("response.completed") != std::string::npos);
    BOOST_TEST(w.post(0, "k1", counted).body == first.body);
    // The other process tells it from the store: all events but those that came piece by piece are the same.
    const answer other = w.post(1, "k1", counted);
    const std::size_t last = first.body.rfind("event: response.completed");
    BOOST_TEST(other.body.find(first.body.substr(0, first.body.find("event: response.output_item"))) == 0u);
    BOOST_TEST(other.body.substr(other.body.rfind("event: response.completed")).size() ==
               first.body.substr(last).size());
    BOOST_TEST(w.threads() == 1u);
}

BOOST_AUTO_TEST_CASE(another_request_with_the_key_is_refused)
{
    two_servers w;
    BOOST_TEST(w.post(0, "k1", hello).status == 200);
    const answer other = w.post(1, "k1", R"({"model":"chat","input":"goodbye"})");
    BOOST_TEST(other.status == 400);
    BOOST_TEST(code_in(other) == "idempotency_key_reused");
    BOOST_TEST(other.json().at("error").at("type") == "invalid_request_error");
    BOOST_TEST(w.post(0, std::string(256, 'k'), hello).status == 400);
    BOOST_TEST(w.threads() == 1u);
    // What was refused for itself has not used its key up.
    BOOST_TEST(w.post(0, "k2", R"({"model":"none","input":"hello"})").status == 404);
    BOOST_TEST(w.post(0, "k2", hello).status == 200);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_under_way_is_joined)
{
    two_servers w;
    constexpr std::string_view slow = R"({"model":"chat","input":"wait 300"})";
    std::vector<std::unique_ptr<started<answer>>> asked;
    for (int i = 0; i < 6; ++i)
        asked.push_back(std::make_unique<started<answer>>(
            w.loop, fetch(weft::http_client{}, w.request(static_cast<std::size_t>(i % 2), "k1", slow))));
    std::vector<answer> got;
    for (const auto& each : asked) got.push_back(each->result());
    for (const answer& each : got) {
        BOOST_TEST_REQUIRE(each.status == 200, each.body);
        BOOST_TEST(each.json().at("id") == got[0].json().at("id"));
        BOOST_TEST(each.json().at("output") == got[0].json().at("output"));
    }
    BOOST_TEST(w.threads() == 1u);
}

BOOST_AUTO_TEST_CASE(a_request_whose_process_has_died_is_joined_where_its_run_is)
{
    two_servers w;
    started lost{w.loop, fetch(weft::http_client{}, w.request(0, "k1", R"({"model":"asking","input":"x"})"))};
    const auto waits = [&] {
        return w.servers[1]->post("/threads/search", R"({"status":"interrupted"})").json().as_array().size() == 1u;
    };
    w.loop.run_until(waits);
    lost.destroy();
    w.servers[0]->kill();
    const answer again = w.post(1, "k1", R"({"model":"asking","input":"x"})");
    BOOST_TEST(again.status == 200, again.body);
    BOOST_TEST(w.servers[1]->post("/threads/search", "{}").json().as_array().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_response_that_was_looked_at_on_its_way_is_whole_in_the_end_from_each_process)
{
    two_servers w;
    const answer queued =
        w.servers[0]->post("/v1/responses", R"({"model":"chat","input":"wait 200","background":true})");
    const std::string path = "/v1/responses/" + std::string{queued.json().at("id").as_string()};
    const auto look = [&](std::size_t at) { return w.servers[at]->send("GET", path).json(); };
    value seen = look(1);
    BOOST_TEST(seen.at("status") != "completed");
    while (seen.at("status") != "completed") seen = look(1);
    BOOST_TEST(seen.at("usage").at("total_tokens") == 12);
    const value here = look(0);
    for (const char* const member : {"output", "usage", "completed_at"}) BOOST_TEST(seen.at(member) == here.at(member));
}

BOOST_AUTO_TEST_CASE(a_response_that_has_failed_is_begun_anew)
{
    two_servers w;
    constexpr std::string_view fails = R"({"model":"chat","input":"fail"})";
    const answer first = w.post(0, "k1", fails);
    BOOST_TEST(first.json().at("status") == "failed");
    const answer second = w.post(1, "k1", fails);
    BOOST_TEST(second.json().at("status") == "failed");
    BOOST_TEST(second.json().at("id") != first.json().at("id"));
}

BOOST_AUTO_TEST_CASE(a_completion_of_a_thread_has_a_key_as_well)
{
    two_servers w;
    constexpr std::string_view path = "/v1/chat/completions";
    constexpr std::string_view body =
        R"({"model":"chat","messages":[{"role":"user","content":"hi"}],"metadata":{"thread_id":"t1"}})";
    const answer first = w.post(0, "k1", body, path);
    BOOST_TEST_REQUIRE(first.status == 200, first.body);
    const answer again = w.post(1, "k1", body, path);
    BOOST_TEST(again.json().at("id") == first.json().at("id"));
    BOOST_TEST(again.json().at("created") == first.json().at("created"));
    BOOST_TEST(again.json().at("choices") == first.json().at("choices"));
    BOOST_TEST(w.servers[0]->send("GET", "/threads/t1/runs").json().as_array().size() == 1u);
    BOOST_TEST(code_in(w.post(0, "k1", hello)) == "idempotency_key_reused");
}

namespace {

/** Stands between a client and a server; the first reply is lost on the way. */
class lossy_way {
public:
    lossy_way(test_loop& where, life& to)
        : to_{to}, running_{where, [this](weft::http_call& call) { return pass(*this, call); }}
    {
    }
    std::vector<std::string> keys;
    [[nodiscard]] std::uint16_t port() const { return running_.port(); }

private:
    static weft::task<void> pass(lossy_way& self, weft::http_call& call)
    {
        weft::http_request request = self.to_.request_to("POST", call.path());
        self.keys.emplace_back(call.headers().find("idempotency-key").value_or(""));
        request.header("Idempotency-Key", self.keys.back());
        std::string body = co_await call.read_body();
        request.body(std::move(body), "application/json");
        weft::http_client client;
        answer got = co_await fetch(client, std::move(request));
        weft::http_headers none;
        co_await call.start_stream(got.status, "text/event-stream", std::move(none));
        if (self.keys.size() == 1) throw weft::error{weft::errc::connection_lost, "the way", "the reply is lost"};
        co_await call.end_stream(got.body);
    }

    life& to_;
    server_fixture::running_server running_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_of_weft_whose_reply_was_lost_gets_it_from_the_same_run)
{
    two_servers w;
    lossy_way way{w.loop, *w.servers[0]};
    weft::openai_agent_settings settings;
    settings.url = "http://127.0.0.1:" + std::to_string(way.port()) + "/v1";
    settings.model = "chat";
    settings.message = "hello";
    weft::http_node_options program;
    program.trusts = weft::trust_hosts({"127.0.0.1"});
    const weft::openai_agent_node node{settings, {"output"}, program};
    const weft::graph caller =
        weft::graph_builder{"caller"}
            .state(openai_graphs::output)
            .node("ask", node, {.retry = {.attempts_max = 3, .initial = std::chrono::milliseconds{1}}})
            .edge(weft::start, "ask")
            .build();
    const weft::engine engine{caller};
    started calling{w.loop, engine.run(weft::run_request{})};
    const weft::run_result result = calling.result();
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.get(openai_graphs::output) == "You said: hello (1)");
    BOOST_TEST_REQUIRE(way.keys.size() == 2u);
    BOOST_TEST(!way.keys[0].empty());
    BOOST_TEST(way.keys[0] == way.keys[1]);
    BOOST_TEST(w.threads() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
