#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/unsettled_journal.hpp"
#include "net/http_fixture.hpp"

#include <atomic>

using namespace weft_tests;
using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;

BOOST_AUTO_TEST_SUITE(http_streams_test)

namespace {

/** Writes "0", "1", …, each when the service has seen the one before; "<" in its place takes all back. */
class stepping_model final : public weft::chat_model {
public:
    stepping_model(std::atomic<int>& seen, std::vector<std::string> steps) : seen_{seen}, steps_{std::move(steps)} {}
    std::string_view label() const noexcept override { return "stepping"; }
    bool is_open = false;

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        struct at_end {
            bool& is_open;
            ~at_end() { is_open = false; }
        } const ending{is_open = true};
        std::string all;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            for (int waits = 0; seen_ < static_cast<int>(i); ++waits) {
                if (waits > 5000) throw weft::error{errc::timeout, "test", "the service has not got the piece before"};
                co_await weft::sleep_for(1ms);
            }
            all = steps_[i] == "<" ? "" : all + steps_[i];
            if (steps_[i] == "<") sink.on_retracted();
            else sink.on_text(steps_[i]);
        }
        weft::chat_reply reply;
        reply.message = weft::message::assistant(all);
        co_return reply;
    }

    std::atomic<int>& seen_;
    std::vector<std::string> steps_;
};

/** A model, a service, and a file in which the one writes to the other. */
struct talk {
    std::atomic<int> seen{0};
    std::shared_ptr<stepping_model> model;
    tls_peer peer;
    test_loop loop;

    explicit talk(tls_peer::script play, std::vector<std::string> steps = {"0", "1", "2"})
        : model{std::make_shared<stepping_model>(seen, std::move(steps))}, peer{std::move(play)}
    {
    }

    [[nodiscard]] weft::node_registry registry() const
    {
        weft::agent_surroundings around;
        around.model = model;
        around.http.trusts = weft::trust_hosts({"localhost"});
        weft::node_registry known;
        weft::add_agent_kinds(known, around);
        return known;
    }
    [[nodiscard]] std::string file(std::string_view edge = ", 'streams': true", std::string_view more = "") const
    {
        return "'state': [{'name': 'draft', 'type': 'string'}, {'name': 'answer', 'type': 'string'}, {'name': 'count', "
               "'type': 'integer'}], 'nodes': [{'name': 'write', 'kind': 'llm', 'writes': ['draft'], 'settings': "
               "{'prompt': 'Write.'}}, {'name': 'tell', 'kind': 'http', 'reads': ['draft'], 'writes': ['answer'], "
               "'retry': {'attempts_max': 2, 'initial': '1ms', 'jitter': 'none'}, 'settings': {'url': '" +
               peer.url("/in").to_string() + "', 'body': {'stream': 'draft'}" + std::string{more} +
               "}}], 'edges': [{'from': '__start__', 'to': 'write'}, {'from': 'write', 'to': 'tell'" +
               std::string{edge} + "}]";
    }
    weft::run_result run(const std::string& members, weft::run_request request = {})
    {
        const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry());
        const weft::engine engine{loaded.what};
        started going{loop, engine.run(std::move(request))};
        return going.result();
    }
};

/** Reads pieces of a body as they come, and counts them. */
void read_pieces(peer_connection& connection, std::atomic<int>& seen, int count)
{
    for (; seen < count; ++seen) connection.read_until("1\r\n" + std::to_string(seen) + "\r\n");
}

std::string header_of(const std::string& request, std::string_view name)
{
    const std::size_t at = request.find(name);
    if (at == request.npos) return "none";
    return request.substr(at + name.size(), request.find("\r\n", at) - at - name.size());
}

std::string status_of(int status)
{
    return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 2\r\n\r\nno";
}

std::string value_in(const weft::run_result& result, std::string_view key)
{
    const boost::json::object all = result.state.to_json();
    return all.contains(key) ? boost::json::serialize(all.at(key)) : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_service_reads_what_a_model_still_writes)
{
    std::string got;
    talk both{[&](peer_connection& connection) {
        read_pieces(connection, both.seen, 3);
        got = connection.read_until("0\r\n\r\n");
        connection.write(response_of("heard"));
    }};
    const weft::run_result result = both.run(both.file());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_in(result, "draft") == "\"012\"");
    BOOST_TEST(value_in(result, "answer") == "\"heard\"");
    BOOST_TEST(got.starts_with("POST /in HTTP/1.1\r\n"));
    BOOST_TEST(header_of(got, "Content-Type: ") == "text/plain; charset=utf-8");
    BOOST_TEST(header_of(got, "Transfer-Encoding: ") == "chunked");
}

BOOST_AUTO_TEST_CASE(with_a_journal_and_over_a_plain_edge_it_gets_the_whole)
{
    std::vector<std::string> got;
    talk both{[&](peer_connection& connection) {
        got.push_back(connection.read_request());
        connection.write(response_of("heard"));
    }};
    both.seen = 1000;
    weft::run_request written_down;
    written_down.journal(std::make_shared<unsettled_journal>());
    BOOST_TEST(value_in(both.run(both.file(), std::move(written_down)), "answer") == "\"heard\"");
    BOOST_TEST(value_in(both.run(both.file("")), "answer") == "\"heard\"");
    BOOST_REQUIRE(got.size() == 2u);
    for (const std::string& each : got) {
        BOOST_TEST(each.ends_with("\r\n\r\n012"));
        BOOST_TEST(header_of(each, "Content-Length: ") == "3");
    }
}

BOOST_AUTO_TEST_CASE(a_service_that_refuses_early_costs_the_text_nothing_and_is_asked_again_with_the_whole)
{
    std::string first, second;
    talk both{[&](peer_connection& connection) {
                  if (connection.number() == 2) {
                      second = connection.read_request();
                      return connection.write(response_of("heard"));
                  }
                  read_pieces(connection, both.seen, 2);
                  first = connection.read_until("\r\n\r\n");
                  connection.write(status_of(503));
                  connection.close();
                  both.seen = 1000;
                  connection.wait_until_closed();
              },
              {"0", "1", "2", "3", "4", "5"}};
    const weft::run_result result = both.run(both.file());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_in(result, "draft") == "\"012345\"");
    BOOST_TEST(value_in(result, "answer") == "\"heard\"");
    BOOST_TEST(second.ends_with("\r\n\r\n012345"));
    // What was cut is no answer for the whole: a service that knows keys must not take the one for the other.
    BOOST_TEST(header_of(first, "Idempotency-Key: ").size() == 36u);
    BOOST_TEST(header_of(second, "Idempotency-Key: ") != header_of(first, "Idempotency-Key: "));

    talk refused{[&](peer_connection& connection) {
        read_pieces(connection, refused.seen, 1);
        connection.write(status_of(413));
        connection.close();
        refused.seen = 1000;
        connection.wait_until_closed();
    }};
    const weft::run_result failed = refused.run(refused.file());
    BOOST_REQUIRE(failed.why);
    BOOST_TEST((failed.why->code == errc::http_refused));
    BOOST_TEST(failed.why->node == "tell");
    BOOST_TEST(value_in(failed, "draft") == "\"012\"");
    refused.peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(a_text_that_is_taken_back_is_sent_as_a_whole)
{
    std::string second;
    talk both{[&](peer_connection& connection) {
                  if (connection.number() == 2) {
                      second = connection.read_request();
                      return connection.write(response_of("heard"));
                  }
                  read_pieces(connection, both.seen, 1);
                  both.seen = 1000;
                  connection.wait_until_closed();
              },
              {"0", "<", "ri", "ght"}};
    const weft::run_result result = both.run(both.file());
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_in(result, "answer") == "\"heard\"");
    BOOST_TEST(second.ends_with("\r\n\r\nright"));
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_calls_of_model_and_service)
{
    talk both{[&](peer_connection& connection) {
        read_pieces(connection, both.seen, 1);
        connection.wait_until_closed();
    }, {"0", "1", "2", "3"}};
    std::stop_source stop;
    const weft::loaded_graph loaded = weft::load_graph(spec_text(both.file()), both.registry());
    const weft::engine engine{loaded.what};
    started going{both.loop, engine.run(weft::run_request{}.stop(stop.get_token()))};
    both.loop.run_until([&] { return both.seen.load() > 0; });
    BOOST_TEST(both.model->is_open);
    stop.request_stop();
    BOOST_TEST((going.result().status == weft::run_status::cancelled));
    BOOST_TEST(!both.model->is_open);
    both.peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_body_have_their_place)
{
    talk both{[](peer_connection&) {}};
    const weft::node_registry known = both.registry();
    const auto lacks_file = [&](std::string_view from, std::string_view to, std::vector<std::string_view> parts) {
        std::string text = both.file("", ", 'method': 'PUT'");
        text.replace(text.find(from), from.size(), to);
        return lacks(mistakes_in(spec_text(text), known), std::move(parts));
    };
    BOOST_TEST(lacks_file("PUT", "GET", {"$.nodes[1].settings.body: the method GET has no body"}) == "");
    BOOST_TEST(lacks_file("{'stream': 'draft'}", "{'stream': 'dratf'}",
                          {"$.nodes[1].settings.body.stream: there is no key 'dratf'"}) == "");
    BOOST_TEST(lacks_file("{'stream': 'draft'}", "{}", {"$.nodes[1].settings.body", "stream"}) == "");
    BOOST_TEST(lacks_file("'reads': ['draft']", "'reads': ['count']", {"$.nodes[1].settings.body.stream: "}) == "");
    BOOST_TEST(lacks_file("{'name': 'draft', 'type': 'string'}", "{'name': 'draft', 'type': 'integer'}",
                          {"$.nodes[1].settings.body.stream: 'draft' is no text"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
