#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/observe/event_deliveries.hpp>
#include <weft/observe/publish_to.hpp>

#include <boost/json/parse.hpp>

#include <condition_variable>
#include <mutex>
#include <sstream>
#include <stdexcept>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_publisher_test)

namespace {

/** What a delivery did, for the test to wait for. */
struct delivered {
    std::mutex lock;
    std::condition_variable changed;
    std::vector<std::string> events;
    std::vector<std::size_t> batches;
    bool is_blocked = false;
    bool is_waiting = false;
    int failures = 0;  ///< Deliveries that fail from now on.

    template <class Condition>
    void wait(Condition holds)
    {
        std::unique_lock held{lock};
        if (!changed.wait_for(held, 20s, holds)) throw std::runtime_error{"nothing happened for 20 s"};
    }
    void set_blocked(bool blocked)
    {
        const std::lock_guard held{lock};
        is_blocked = blocked;
        changed.notify_all();
    }
};

class fake_delivery final : public weft::event_delivery {
public:
    explicit fake_delivery(std::shared_ptr<delivered> to) : to_{std::move(to)} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "fake"; }
    void deliver(std::span<const std::string> events, std::stop_token stop) override
    {
        std::unique_lock held{to_->lock};
        const std::stop_callback wakes{stop, [this] { to_->changed.notify_all(); }};
        to_->is_waiting = true;
        to_->changed.notify_all();
        while (to_->is_blocked && !stop.stop_requested()) to_->changed.wait_for(held, 10ms);
        to_->is_waiting = false;
        if (to_->is_blocked) throw std::runtime_error{"blocked to the end"};
        if (to_->failures > 0) {
            --to_->failures;
            throw std::runtime_error{"as told"};
        }
        to_->batches.push_back(events.size());
        to_->events.insert(to_->events.end(), events.begin(), events.end());
        to_->changed.notify_all();
    }

private:
    std::shared_ptr<delivered> to_;
};

struct publishing {
    explicit publishing(weft::publisher_options options = {})
        : sink{std::make_unique<fake_delivery>(seen), quick(std::move(options))}
    {
    }
    /** The options with retries that a test can wait for. */
    static weft::publisher_options quick(weft::publisher_options options)
    {
        options.retry = {.attempts_max = 3, .initial = 1ms, .jitter = weft::jitter::none};
        return options;
    }
    /** Blocks the delivery with one event in its hands. */
    void block()
    {
        seen->set_blocked(true);
        sink.publish("first");
        seen->wait([this] { return seen->is_waiting; });
    }
    std::shared_ptr<delivered> seen = std::make_shared<delivered>();
    weft::event_publisher sink;
};

std::string joined(const std::vector<std::string>& events)
{
    std::string text;
    for (const std::string& event : events) text += event + " ";
    return text;
}

weft::errc code_of_publish(weft::event_sink& sink)
{
    try {
        sink.publish("late");
    } catch (const weft::error& e) {
        BOOST_TEST(e.detail().starts_with("Cannot publish to closed "));
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_11_events_arrive_in_order_and_a_close_flushes_them)
{
    publishing p;
    for (int i = 0; i < 1000; ++i) p.sink.publish(std::to_string(i));
    BOOST_TEST(p.sink.close(20s));
    BOOST_REQUIRE(p.seen->events.size() == 1000u);
    for (int i = 0; i < 1000; ++i) BOOST_REQUIRE(p.seen->events[static_cast<std::size_t>(i)] == std::to_string(i));
    BOOST_TEST(p.sink.counts().delivered == 1000u);
    for (const std::size_t batch : p.seen->batches) BOOST_TEST(batch <= 64u);
}

BOOST_AUTO_TEST_CASE(PYA_11_after_a_close_nothing_can_be_published_and_a_second_close_does_nothing)
{
    publishing p;
    BOOST_TEST(p.sink.close(1s));
    BOOST_TEST((code_of_publish(p.sink) == weft::errc::stream_closed));
    BOOST_TEST(p.sink.close(1s));
    BOOST_TEST(p.sink.counts().published == 0u);
}

BOOST_AUTO_TEST_CASE(PYA_11_a_blocked_delivery_holds_nobody_up_and_costs_the_oldest_events)
{
    publishing p{{.queue_max = 3}};
    p.block();
    for (int i = 1; i <= 10; ++i) p.sink.publish(std::to_string(i));
    BOOST_TEST(p.sink.counts().dropped == 7u);
    p.seen->set_blocked(false);
    BOOST_TEST(p.sink.close(20s));
    BOOST_TEST(joined(p.seen->events) == "first 8 9 10 ");
}

BOOST_AUTO_TEST_CASE(a_publisher_without_room_for_an_event_is_refused)
{
    BOOST_CHECK_EXCEPTION((publishing{{.queue_max = 0, .batch_max = 0}}), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration &&
               e.detail() == "queue_max must be at least 1; batch_max must be at least 1";
    });
}

BOOST_AUTO_TEST_CASE(PYA_11_or_the_newest_if_told_so)
{
    publishing p{{.queue_max = 3, .overflow = weft::event_overflow::drop_newest}};
    p.block();
    for (int i = 1; i <= 10; ++i) p.sink.publish(std::to_string(i));
    p.seen->set_blocked(false);
    BOOST_TEST(p.sink.close(20s));
    BOOST_TEST(joined(p.seen->events) == "first 1 2 3 ");
    BOOST_TEST(p.sink.counts().dropped == 7u);
}

BOOST_AUTO_TEST_CASE(PYA_11_bytes_are_bounded_too)
{
    publishing p{{.queue_bytes_max = 10}};
    p.block();
    p.sink.publish("aaaa");
    p.sink.publish("bbbb");
    p.sink.publish("cccc");          // the first goes
    p.sink.publish("12345678901");   // never fits
    p.seen->set_blocked(false);
    BOOST_TEST(p.sink.close(20s));
    BOOST_TEST(joined(p.seen->events) == "first bbbb cccc ");
    BOOST_TEST(p.sink.counts().dropped == 2u);
}

BOOST_AUTO_TEST_CASE(PYA_11_a_delivery_that_fails_is_tried_again_and_then_given_up)
{
    publishing p;
    p.seen->failures = 2;
    p.sink.publish("a");
    p.seen->wait([&] { return !p.seen->events.empty(); });
    {
        const std::lock_guard held{p.seen->lock};
        p.seen->failures = 3;
    }
    p.sink.publish("b");
    p.seen->wait([&] { return p.seen->failures == 0; });
    p.sink.publish("c");
    BOOST_TEST(!p.sink.close(20s));
    BOOST_TEST(joined(p.seen->events) == "a c ");
    BOOST_TEST(p.sink.counts().failed == 1u);
    BOOST_TEST(p.sink.counts().last_error.find("as told") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(PYA_14_a_close_that_is_out_of_time_ends_a_blocked_delivery)
{
    publishing p;
    p.block();
    p.sink.publish("second");
    BOOST_TEST(!p.sink.close(1ms));
    BOOST_TEST(p.sink.counts().failed == 2u);
    BOOST_TEST(p.sink.counts().delivered == 0u);
}

BOOST_AUTO_TEST_CASE(PYA_11_several_sinks_do_not_disturb_each_other)
{
    auto closed = std::make_shared<weft::event_publisher>(
        std::make_unique<fake_delivery>(std::make_shared<delivered>()));
    (void)closed->close(1s);
    const auto seen = std::make_shared<delivered>();
    auto open = std::make_shared<weft::event_publisher>(std::make_unique<fake_delivery>(seen));
    weft::composite_sink all{{closed, open}};
    all.publish("x");
    BOOST_TEST(all.failures() == 1u);
    BOOST_TEST(all.close(20s));
    BOOST_TEST(joined(seen->events) == "x ");
    BOOST_TEST((code_of_publish(all) == weft::errc::stream_closed));
}

BOOST_AUTO_TEST_CASE(PYA_11_a_run_publishes_its_events_as_lines_of_JSON)
{
    std::ostringstream text;
    auto sink = std::make_shared<weft::event_publisher>(std::make_unique<weft::console_delivery>(text));
    const weft::graph hello = weft::graph_builder{"hello"}
                                  .node("greet", [](weft::node_context& node) { node.emit("Hi\n\"you\""); })
                                  .edge(weft::start, "greet")
                                  .build();
    weft::publication about;
    about.run = "r-1";
    about.thread = "t";
    about.takes = [](const weft::run_event& e) { return e.what != weft::run_event::kind::edge_taken; };
    const weft::run_result result =
        weft::run_blocking(hello, weft::run_request{}.on_event(weft::publish_to(sink, about)));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(sink->close(20s));
    std::istringstream lines{text.str()};
    std::string kinds;
    for (std::string line; std::getline(lines, line);) {
        const boost::json::object event = boost::json::parse(line).as_object();
        BOOST_TEST(event.at("run").as_string() == "r-1");
        BOOST_TEST(event.at("thread").as_string() == "t");
        BOOST_TEST(!event.contains("graph"));
        kinds += std::string{event.at("kind").as_string()} + " ";
    }
    BOOST_TEST(kinds.starts_with("run_started node_started output node_succeeded "));
    BOOST_TEST(kinds.ends_with("run_finished "));
    BOOST_TEST(kinds.find("edge_taken") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(U2_12_publications_have_the_id_of_the_run_and_of_the_event_and_numbers_for_people)
{
    std::ostringstream text;
    auto sink = std::make_shared<weft::event_publisher>(std::make_unique<weft::console_delivery>(text));
    const weft::graph nothing = weft::graph_builder{"g"}.node("n", [] {}).edge(weft::start, "n").build();
    const weft::run_result result =
        weft::run_blocking(nothing, weft::run_request{}.on_event(weft::publish_to(sink)));
    BOOST_TEST(sink->close(20s));
    std::istringstream lines{text.str()};
    std::int64_t last = 0;
    for (std::string line; std::getline(lines, line);) {
        const boost::json::object event = boost::json::parse(line).as_object();
        BOOST_TEST(event.at("run").as_string() == result.id.text());
        BOOST_TEST(event.at("id").as_int64() == ++last);
        BOOST_TEST(line.find('E') == std::string::npos);  // no exponent: a time is written as 0.012
    }
    BOOST_TEST(last > 3);
    BOOST_TEST(!result.id.is_nil());
}

BOOST_AUTO_TEST_CASE(PYA_11_a_sink_that_says_no_does_not_fail_a_run)
{
    std::ostringstream text;
    auto sink = std::make_shared<weft::event_publisher>(std::make_unique<weft::console_delivery>(text));
    (void)sink->close(1s);
    const weft::graph nothing = weft::graph_builder{"g"}.node("n", [] {}).edge(weft::start, "n").build();
    const weft::run_result result =
        weft::run_blocking(nothing, weft::run_request{}.on_event(weft::publish_to(sink)));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(text.str().empty());
}

BOOST_AUTO_TEST_CASE(PYA_11_a_stream_that_takes_no_more_is_an_error)
{
    std::ostringstream text;
    text.setstate(std::ios::badbit);
    weft::console_delivery console{text};
    const std::vector<std::string> events{"x"};
    BOOST_CHECK_EXCEPTION(console.deliver(events, {}), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::connection_lost; });
}

BOOST_AUTO_TEST_SUITE_END()
