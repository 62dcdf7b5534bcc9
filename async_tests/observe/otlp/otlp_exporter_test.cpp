#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"

#include <weft/net/http_server.hpp>
#include <weft/observe/otlp/otlp_exporter.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(otlp_exporter_test)

using namespace std::chrono_literals;

/** A receiver on the loop of the test: it answers with what a script says, then always with 200. */
class receiver {
public:
    explicit receiver(test_loop& where)
        : where_{where}, http_{where.loop(), [this](weft::http_call& call) { return take(*this, call); }},
          at_{http_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, http_.run()}
    {
    }
    /** @param body   Of the answer. */
    receiver& then(int status, std::string body = {}, std::string retry_after = {})
    {
        script_.push_back({status, std::move(body), std::move(retry_after)});
        return *this;
    }
    [[nodiscard]] weft::otlp_options options() const
    {
        weft::otlp_options options;
        options.url = "http://127.0.0.1:" + std::to_string(at_.port()) + "/v1/traces";
        options.format = weft::otlp_format::json;
        options.every = 5ms;
        options.gzip_bytes_min = 0;
        options.retry.initial = 1ms;
        return options;
    }
    void wait_for(std::size_t requests)
    {
        where_.run_until([&] { return bodies.size() >= requests; });
    }
    /** Lets it answer while something else ends. */
    template <class Condition>
    void serve_until(Condition is_reached)
    {
        where_.run_until(is_reached);
    }

    std::vector<std::string> bodies;
    std::vector<std::string> types;
    std::vector<std::string> keys;
    std::vector<std::string> encodings;

private:
    struct scripted {
        int status;
        std::string body;
        std::string retry_after;
    };
    static weft::task<void> take(receiver& self, weft::http_call& call)
    {
        std::string body = co_await call.read_body();
        self.bodies.push_back(std::move(body));
        self.types.emplace_back(call.headers().find("content-type").value_or(""));
        self.keys.emplace_back(call.headers().find("x-key").value_or(""));
        self.encodings.emplace_back(call.headers().find("content-encoding").value_or(""));
        scripted next{200, "{}", {}};
        if (self.place_ < self.script_.size()) next = self.script_[self.place_++];
        weft::http_reply answer{next.status, std::move(next.body), "application/json"};
        if (!next.retry_after.empty()) answer.headers.set("Retry-After", next.retry_after);
        co_await call.reply(std::move(answer));
    }

    test_loop& where_;
    weft::http_server http_;
    weft::listen_address at_;
    started<void> running_;
    std::vector<scripted> script_;
    std::size_t place_ = 0;
};

/** What became of spans, counted on the exporter's OS thread. */
class outcomes {
public:
    [[nodiscard]] weft::otlp_exporter::count_function counting()
    {
        return [this](std::string_view outcome, std::size_t spans) {
            const std::lock_guard lock{changing_};
            counts_[std::string{outcome}] += spans;
        };
    }
    [[nodiscard]] std::size_t of(const std::string& outcome)
    {
        const std::lock_guard lock{changing_};
        return counts_[outcome];
    }

private:
    std::mutex changing_;
    std::map<std::string, std::size_t> counts_;
};

std::vector<weft::span> some_spans(std::size_t count)
{
    weft::span one{.name = "work", .place = {1, 2, 3}, .start = 10, .end = 20};
    return std::vector<weft::span>(count, one);
}

BOOST_AUTO_TEST_CASE(spans_are_sent_in_batches_with_the_headers_of_the_user)
{
    test_loop loop;
    receiver at{loop};
    outcomes seen;
    weft::otlp_options options = at.options();
    options.every = 1h;  // so only a full batch, and the end, send anything
    options.batch_max = 2;
    options.headers.emplace_back("X-Key", weft::secret_string{"k"});
    weft::otlp_exporter exporter{options, seen.counting()};
    BOOST_TEST(exporter.queue().add(some_spans(5)) == 0u);
    at.wait_for(3);
    at.serve_until([&] { return seen.of("sent") == 5; });
    BOOST_TEST(at.keys.front() == "k");
    BOOST_TEST(at.types.front() == "application/json");
    BOOST_TEST(at.bodies.back().find(R"("traceId":"00000000000000010000000000000002")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(long_bodies_are_compressed_and_protobuf_says_what_it_is)
{
    test_loop loop;
    receiver at{loop};
    weft::otlp_options options = at.options();
    options.format = weft::otlp_format::protobuf;
    options.gzip_bytes_min = 100;
    weft::otlp_exporter exporter{options};
    exporter.queue().add(some_spans(50));
    at.wait_for(1);
    BOOST_TEST(at.types.front() == "application/x-protobuf");
    BOOST_TEST(at.encodings.front() == "gzip");
    BOOST_TEST(at.bodies.front().size() < 200u);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_is_busy_gets_the_same_batch_again)
{
    test_loop loop;
    receiver at{loop};
    at.then(503).then(429, "", "0").then(200, R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}})");
    outcomes seen;
    weft::otlp_exporter exporter{at.options(), seen.counting()};
    exporter.queue().add(some_spans(3));
    at.wait_for(3);
    BOOST_TEST(at.bodies[0] == at.bodies[2]);
    at.serve_until([&] { return seen.of("failed") == 1 && seen.of("sent") == 2; });
}

BOOST_AUTO_TEST_CASE(what_a_receiver_refuses_is_lost_and_told)
{
    test_loop loop;
    receiver at{loop};
    at.then(400);
    outcomes seen;
    std::atomic<int> told = 0;
    weft::otlp_options options = at.options();
    options.on_error = [&told](std::string_view what) {
        if (what.find("status 400") != what.npos) ++told;
    };
    weft::otlp_exporter exporter{options, seen.counting()};
    exporter.queue().add(some_spans(3));
    at.serve_until([&] { return seen.of("failed") == 3; });
    BOOST_TEST(at.bodies.size() == 1u);
    exporter.queue().add(some_spans(1));
    at.serve_until([&] { return seen.of("sent") == 1; });
    BOOST_TEST(told == 1);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_is_gone_costs_spans_and_no_more_memory_than_the_queue)
{
    weft::otlp_options options;
    options.url = "http://127.0.0.1:1/v1/traces";
    options.every = 1ms;
    options.queue_max = 100;
    options.batch_max = 10;
    options.retry.initial = 1h;
    options.retry.jitter = weft::jitter::none;
    options.flush_for = 0ns;
    outcomes seen;
    weft::otlp_exporter exporter{options, seen.counting()};
    std::size_t lost = 0;
    for (int i = 0; i < 1000; ++i) lost += exporter.queue().add(some_spans(10));
    BOOST_TEST(exporter.queue().waiting() <= 100u);
    BOOST_TEST(lost >= 10'000u - 120u);
    BOOST_TEST(exporter.queue().dropped() == lost);
    // The end does not wait for it, and all are accounted for.
    (void)exporter.close(1ms);
    BOOST_TEST(seen.of("failed") + lost == 10'000u);
}

BOOST_AUTO_TEST_CASE(the_end_sends_what_waits)
{
    test_loop loop;
    receiver at{loop};
    outcomes seen;
    weft::otlp_options options = at.options();
    options.every = 1h;
    weft::otlp_exporter exporter{options, seen.counting()};
    exporter.queue().add(some_spans(7));
    std::atomic<bool> is_closed = false;
    bool was_sent = false;
    std::jthread closing{[&] {
        was_sent = exporter.close(10s);
        is_closed = true;
    }};
    at.serve_until([&] { return is_closed.load(); });
    closing.join();
    BOOST_TEST(was_sent);
    BOOST_TEST(seen.of("sent") == 7u);
}

BOOST_AUTO_TEST_SUITE_END()
