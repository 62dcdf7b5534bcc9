#include <boost/test/unit_test.hpp>

#include "heap_count.hpp"
#include "net/test_loop.hpp"

#include <weft/net/http_server.hpp>
#include <weft/observe/otlp/otlp_exporter.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A collector that is away for long, with delays some thousand times shorter than the defaults, while runs bring more
// spans than the queue has room for. Each batch that is given up costs the same, so that a few show what an hour does.

BOOST_AUTO_TEST_SUITE(dead_collector_test)

using namespace std::chrono_literals;

constexpr std::size_t batch_spans = 10;
constexpr std::size_t queue_spans = 100;
constexpr std::size_t new_spans = 30;  // in the time of a batch
constexpr int attempts = 3;
constexpr std::size_t batches = 24;

/** Runs whose spans have nowhere to go, and what they hold. */
class dead_collector {
public:
    dead_collector(const std::string& url, std::chrono::nanoseconds timeout)
        : exporter_{options_for(url, timeout), [this](std::string_view outcome, std::size_t spans) {
                                           count(outcome, spans);
                                       }}
    {
        add(2 * queue_spans);
    }
    [[nodiscard]] bool is_over() const { return given_up_ >= batches; }
    [[nodiscard]] std::size_t given_up() const { return given_up_; }

    /** Ends it: every span is sent, lost or dropped, and all was bounded. */
    void check()
    {
        is_open_ = false;
        (void)exporter_.close(0ns);
        BOOST_TEST(sent_ == 0u);
        BOOST_TEST(failed_ + exporter_.queue().dropped() == added_);
        BOOST_TEST(exporter_.queue().dropped() == dropped_);
        BOOST_TEST(dropped_ >= (batches - 1) * (new_spans - batch_spans));
        BOOST_TEST(waiting_max_ <= queue_spans);
        // Batches kept by mistake would take some 8 KiB each.
        BOOST_TEST(bytes_max_[1] <= bytes_max_[0] + 64 * 1024);
    }

private:
    static weft::otlp_options options_for(const std::string& url, std::chrono::nanoseconds timeout)
    {
        weft::otlp_options options;
        options.url = url;
        options.timeout = timeout;
        options.every = 5ms;
        options.batch_max = batch_spans;
        options.queue_max = queue_spans;
        options.retry = {.attempts_max = attempts, .initial = 10us};
        return options;
    }
    /** On the exporter's OS thread. */
    void count(std::string_view outcome, std::size_t spans)
    {
        (outcome == "sent" ? sent_ : failed_) += spans;
        if (!is_open_) return;
        add(new_spans);
        waiting_max_ = std::max(waiting_max_, exporter_.queue().waiting());
        std::int64_t& most = bytes_max_[given_up_ < batches / 3 ? 0 : 1];
        most = std::max(most, heap_count::live_bytes.load());
        ++given_up_;
    }
    void add(std::size_t spans)
    {
        const std::string name(500, 'n');
        dropped_ += exporter_.queue().add(std::vector<weft::span>(spans, {.name = name, .place = {1, 2, 3}}));
        added_ += spans;
    }

    std::atomic<bool> is_open_ = true;
    std::atomic<std::size_t> given_up_ = 0;
    std::atomic<std::size_t> sent_ = 0;
    std::atomic<std::size_t> failed_ = 0;
    std::atomic<std::size_t> added_ = 0;
    std::atomic<std::size_t> dropped_ = 0;
    std::size_t waiting_max_ = 0;                // of the exporter's OS thread until it is closed
    std::array<std::int64_t, 2> bytes_max_{};    // likewise: in the first third, and later
    weft::otlp_exporter exporter_;               // last: it counts in the others
};

BOOST_AUTO_TEST_CASE(refused_connections_cost_spans_and_no_memory)
{
    test_loop loop;
    dead_collector runs{"http://127.0.0.1:1/v1/traces", 10s};
    loop.run_until([&] { return runs.is_over(); });
    runs.check();
}

BOOST_AUTO_TEST_CASE(requests_without_an_answer_cost_spans_and_no_memory)
{
    using boost::asio::ip::tcp;
    test_loop loop;
    // The system accepts its connections, and nothing ever reads them.
    tcp::acceptor silent{loop.context(), tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}};
    dead_collector runs{"http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/v1/traces", 2ms};
    loop.run_until([&] { return runs.is_over(); });
    runs.check();
}

BOOST_AUTO_TEST_CASE(answers_of_503_cost_spans_no_memory_and_three_requests_a_batch)
{
    test_loop loop;
    std::size_t requests = 0;
    const auto is_busy = [&requests](weft::http_call& call) {
        ++requests;
        return call.reply(weft::http_reply{503, "busy", "text/plain"});
    };
    weft::http_server http{loop.loop(), is_busy};
    const weft::listen_address at = http.listen(weft::listen_address{"127.0.0.1:0"});
    const started<void> running{loop, http.run()};
    dead_collector runs{"http://127.0.0.1:" + std::to_string(at.port()) + "/v1/traces", 10s};
    loop.run_until([&] { return runs.is_over(); });
    BOOST_TEST(requests >= batches * attempts);
    const std::size_t asked = requests;
    BOOST_TEST(asked <= (runs.given_up() + 1) * attempts);
    runs.check();
}

BOOST_AUTO_TEST_SUITE_END()
