#pragma once

#include "endpoint_calls.hpp"
#include "net/test_loop.hpp"
#include "stream_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

/** Calls of any model that end before they are over, wherever they are. */
namespace torn_calls {

/** Lets the loop run so many handlers. @return Whether the call has ended by then. */
inline bool run_steps(test_loop& loop, const started<weft::chat_reply>& call, std::size_t steps)
{
    for (std::size_t i = 0; i < steps && !call.is_done(); ++i) {
        loop.context().restart();
        loop.context().run_one_for(std::chrono::seconds{10});
    }
    return call.is_done();
}

/** After each step of a call it may be destroyed: nothing of it runs any more, and the connection is closed. */
inline void check_destroyed_anywhere(weft::testing::scripted_endpoint& endpoint, weft::chat_model& model)
{
    std::size_t steps = 0;
    for (bool is_done = false; !is_done; ++steps) {
        test_loop loop;
        recording_sink sink;
        started call{loop, model.reply(endpoint_calls::hello(), sink)};
        is_done = run_steps(loop, call, steps);
        call.destroy();
        const std::string seen = sink.log();
        loop.settle();
        BOOST_TEST(sink.log() == seen);
    }
    BOOST_TEST(steps > 5);
    BOOST_TEST(endpoint.wait_until(
        [](const weft::testing::scripted_endpoint_counts& c) { return c.connections_open == 0; }));
}

/** After each step of a call it may be stopped: it ends as cancelled, unless all had been read. */
inline void check_stopped_anywhere(weft::chat_model& model, std::string_view text)
{
    std::size_t cancelled = 0;
    for (std::size_t steps = 0;; ++steps) {
        test_loop loop;
        started call{loop, model.reply(endpoint_calls::hello())};
        if (run_steps(loop, call, steps)) {
            BOOST_TEST(call.result().message.text() == text);
            break;
        }
        call.stop();
        try {
            BOOST_TEST(call.result().message.text() == text);
        } catch (const weft::error& e) {
            BOOST_TEST((e.code() == weft::errc::cancelled));
            ++cancelled;
        }
    }
    BOOST_TEST(cancelled > 5);
}

}  // namespace torn_calls
