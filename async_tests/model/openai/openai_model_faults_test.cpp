#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"

#include <boost/test/data/test_case.hpp>

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

/** What goes wrong on the wire, over real TLS: each ends in its error, soon, with its connection closed or reusable. */
BOOST_AUTO_TEST_SUITE(openai_model_faults_test)

using namespace endpoint_calls;
using weft::errc;
using weft::model_error;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_counts;
using weft::testing::scripted_endpoint_options;
using weft::testing::scripted_reply;
using namespace std::chrono_literals;
namespace script = weft::testing;

struct fault {
    const char* name;
    std::function<scripted_reply()> reply;
    errc code;
    bool is_retryable;
    friend std::ostream& operator<<(std::ostream& out, const fault& f) { return out << f.name; }
};

scripted_reply words() { return script::text("one two three four"); }

const fault faults[] = {
    {"reset mid-token", [] { return words().reset_after(2); }, errc::response_truncated, false},
    {"cut without goodbye", [] { return words().cut_after(2); }, errc::response_truncated, false},
    {"cut in a chunk", [] { return words().cut_mid_chunk_after(1); }, errc::response_truncated, false},
    {"no finish reason", [] { return words().end_after(2); }, errc::response_truncated, false},
    {"stall", [] { return words().stall_after(2); }, errc::gap_timeout, false},
    {"stall before the first token", [] { return words().stall_after(0); }, errc::gap_timeout, true},
    {"silence", [] { return script::silence(); }, errc::first_byte_timeout, true},
    {"slow head", [] { return words().head_spread(1h); }, errc::first_byte_timeout, true},
    {"hang up", [] { return script::hang_up(); }, errc::connection_lost, true},
    {"no HTTP", [] { return script::garbage(); }, errc::invalid_response, false},
    {"429", [] { return script::status(429, "slow down"); }, errc::model_rate_limited, true},
    {"500", [] { return script::status(500, "oops"); }, errc::model_overloaded, true},
    {"502 page", [] { return script::status(502).body("<html>").header("content-type", "text/html"); },
     errc::model_overloaded, true},
    {"503", [] { return script::status(503, "busy"); }, errc::model_overloaded, true},
    {"529", [] { return script::status(529, "overloaded"); }, errc::model_overloaded, true},
    {"invalid JSON", [] { return words().invalid_json_after(2); }, errc::invalid_model_reply, false},
    {"oversized line", [] { return words().oversized_line_after(1, 2'000'000); }, errc::response_too_large, false},
    {"oversized head", [] { return words().header("x-large", std::string(70'000, 'x')); }, errc::response_too_large,
     false},
    {"error in the stream", [] { return words().error_after(2, "died"); }, errc::model_stream_error, false},
};

BOOST_DATA_TEST_CASE(it_ends_in_its_error_within_its_deadline, boost::unit_test::data::make(faults))
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(sample.reply());
    endpoint.when(any_request()).reply_always(script::text("fine"));
    const auto limits = weft::http_timeouts{.connect = 5s, .send = 5s, .first_byte = 300ms, .gap = 300ms};
    weft::openai_model_options options = options_for(endpoint);
    options.limits.text_bytes_max = 10'000;  // a line may be as long as such a reply needs
    options.limits.argument_bytes_max = 10'000;
    weft::openai_model model{client_for(endpoint, limits), options};
    const auto began = std::chrono::steady_clock::now();
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello())), model_error, [&](const model_error& e) {
        BOOST_TEST_INFO(e.what());
        BOOST_TEST((e.code() == sample.code));
        BOOST_TEST(e.is_retryable() == sample.is_retryable);
        return std::string_view{e.what()}.find("0123456789") == std::string_view::npos;
    });
    BOOST_TEST((std::chrono::steady_clock::now() - began < 10s));  // the deadline is far below; machines are slow
    const weft::chat_reply next = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(next.message.text() == "fine");
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.connections_open <= 1; }));
}

BOOST_AUTO_TEST_CASE(invalid_utf_8_is_repaired_and_breaks_nothing)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(words().bytes_after(1, "data: {\"choices\":[{\"delta\":{\"content\":\"<\xff\xc3>\"}}]}\n\n"
                                      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                                      "data: [DONE]\n\n"));
    weft::openai_model model = model_for(endpoint);
    const weft::chat_reply reply = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(reply.message.text() == "one<\uFFFD\uFFFD>");
}

BOOST_AUTO_TEST_CASE(a_storm_of_429s_leaves_one_connection_and_keeps_every_hint)
{
    constexpr int storm = 200;
    scripted_endpoint endpoint{scripted_endpoint_options{}.requests_kept_max(0)};
    endpoint.when(any_request()).reply_always(script::status(429, "slow down").header("retry-after", "7"));
    const weft::http_client client = client_for(endpoint);
    weft::openai_model model{client, options_for(endpoint)};
    const auto ask_often = [](weft::openai_model* asked) -> weft::task<int> {
        int refused = 0;
        for (int i = 0; i < storm; ++i) {
            try {
                const weft::chat_reply reply = co_await asked->reply(hello());
            } catch (const model_error& e) {
                refused += e.code() == errc::model_rate_limited && e.failure().retry_after == 7s ? 1 : 0;
            }
        }
        co_return refused;
    };
    BOOST_TEST(weft::run_blocking(ask_often(&model)) == storm);
    BOOST_TEST(client.counts().opened == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
