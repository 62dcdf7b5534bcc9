#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/stream_reader.hpp"
#include "net/test_loop.hpp"

#include <stop_token>
#include <string>

BOOST_AUTO_TEST_SUITE(openai_model_stop_test)

using namespace endpoint_calls;
using weft::errc;
using weft::model_error;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_counts;
using namespace std::chrono_literals;
namespace script = weft::testing;

namespace {

/** Lets the loop run so many handlers. @return Whether the call has ended by then. */
bool run_steps(test_loop& loop, const started<weft::chat_reply>& call, std::size_t steps)
{
    for (std::size_t i = 0; i < steps && !call.is_done(); ++i) {
        loop.context().restart();
        loop.context().run_one_for(10s);
    }
    return call.is_done();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stop_in_the_stream_closes_the_connection_and_keeps_the_text)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::text("one two three").stall_after(2));
    weft::openai_model model = model_for(endpoint);
    std::stop_source stop;
    acting_sink sink{[&] { stop.request_stop(); }};
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello(), sink), stop.get_token()), model_error,
                          [&](const model_error& e) {
                              return e.code() == errc::cancelled && !e.is_retryable() && !sink.text.empty() &&
                                     e.partial().message.text() == sink.text;
                          });
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.closed_early == 1; }));
}

BOOST_AUTO_TEST_CASE(a_stop_before_the_head_closes_the_connection)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(script::silence());
    weft::openai_model model = model_for(endpoint);
    test_loop loop;
    started call{loop, model.reply(hello())};
    loop.run_until([&] { return endpoint.counts().requests == 1; });
    call.stop();
    const weft::error e = call.failure();
    BOOST_TEST((e.code() == errc::cancelled));
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.connections_open == 0; }));
}

BOOST_AUTO_TEST_CASE(a_stop_before_the_start_asks_nothing)
{
    scripted_endpoint endpoint;
    weft::openai_model model = model_for(endpoint);
    std::stop_source stop;
    stop.request_stop();
    BOOST_CHECK_EXCEPTION((void)weft::run_blocking(model.reply(hello()), stop.get_token()), weft::error,
                          [](const weft::error& e) { return e.code() == errc::cancelled; });
    BOOST_TEST(endpoint.counts().requests == 0);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_destroyed_closes_the_connection)
{
    for (const bool has_begun : {false, true}) {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(has_begun ? script::text("one two").stall_after(1) : script::silence());
        weft::openai_model model = model_for(endpoint);
        test_loop loop;
        recording_sink sink;
        started call{loop, model.reply(hello(), sink)};
        loop.run_until([&] { return has_begun ? sink.pieces == 1 : endpoint.counts().requests == 1; });
        call.destroy();
        loop.settle();
        BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.connections_open == 0; }));
    }
}

// Wherever a call is: nothing is left of it, and nothing of it runs any more.
BOOST_AUTO_TEST_CASE(a_call_may_be_destroyed_after_any_step)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::text("one two three"));
    weft::openai_model model = model_for(endpoint);
    std::size_t steps = 0;
    for (bool is_done = false; !is_done; ++steps) {
        test_loop loop;
        recording_sink sink;
        started call{loop, model.reply(hello(), sink)};
        is_done = run_steps(loop, call, steps);
        call.destroy();
        const std::string seen = sink.log();
        loop.settle();
        BOOST_TEST(sink.log() == seen);
    }
    BOOST_TEST(steps > 5);
    BOOST_TEST(endpoint.wait_until([](const scripted_endpoint_counts& c) { return c.connections_open == 0; }));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_stopped_after_any_step_ends_as_cancelled)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::text("one two three"));
    weft::openai_model model = model_for(endpoint);
    std::size_t cancelled = 0;
    for (std::size_t steps = 0;; ++steps) {
        test_loop loop;
        started call{loop, model.reply(hello())};
        if (run_steps(loop, call, steps)) {
            BOOST_TEST(call.result().message.text() == "one two three");
            break;
        }
        call.stop();
        try {
            // A stop that comes when all has been read changes nothing any more.
            BOOST_TEST(call.result().message.text() == "one two three");
        } catch (const weft::error& e) {
            BOOST_TEST((e.code() == errc::cancelled));
            ++cancelled;
        }
    }
    BOOST_TEST(cancelled > 5);
}

BOOST_AUTO_TEST_SUITE_END()
