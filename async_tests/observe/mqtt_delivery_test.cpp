#include <boost/test/unit_test.hpp>

#include "mqtt_broker.hpp"

#include <weft/base/error.hpp>
#include <weft/observe/mqtt_delivery.hpp>

#include <mosquitto.h>

#include <memory>
#include <string>
#include <vector>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(mqtt_delivery_test)

namespace {

/** A subscriber of a topic. */
class subscriber {
public:
    subscriber(const mqtt_broker& broker, const std::string& topic)
    {
        mosquitto_lib_init();
        client_.reset(mosquitto_new(nullptr, true, this));
        mosquitto_subscribe_callback_set(client_.get(), [](mosquitto*, void* self, int, int, const int*) {
            static_cast<subscriber*>(self)->is_subscribed_ = true;
        });
        mosquitto_message_callback_set(client_.get(), [](mosquitto*, void* self, const mosquitto_message* message) {
            static_cast<subscriber*>(self)->received.emplace_back(static_cast<const char*>(message->payload),
                                                                  static_cast<std::size_t>(message->payloadlen));
        });
        BOOST_REQUIRE(mosquitto_connect(client_.get(), "127.0.0.1", broker.port(), 60) == MOSQ_ERR_SUCCESS);
        turn([this] { return mosquitto_socket(client_.get()) >= 0; });
        mosquitto_subscribe(client_.get(), nullptr, topic.c_str(), 1);
        turn([this] { return is_subscribed_; });
    }
    void wait_for(std::size_t count)
    {
        turn([this, count] { return received.size() >= count; });
    }

    std::vector<std::string> received;

private:
    struct closer {
        void operator()(mosquitto* client) const noexcept { mosquitto_destroy(client); }
    };
    template <class Done>
    void turn(Done is_done)
    {
        for (int i = 0; i < 4000 && !is_done(); ++i)
            BOOST_REQUIRE(mosquitto_loop(client_.get(), 5, 1) == MOSQ_ERR_SUCCESS);
        BOOST_REQUIRE(is_done());
    }
    std::unique_ptr<mosquitto, closer> client_;
    bool is_subscribed_ = false;
};

weft::mqtt_options options_of(const mqtt_broker& broker)
{
    weft::mqtt_options options{"127.0.0.1", broker.port()};
    options.topic = "acme/events";
    options.timeout = 2s;
    return options;
}

weft::errc code_of_delivery(weft::mqtt_options options)
{
    weft::mqtt_delivery delivery{std::move(options)};
    const std::vector<std::string> events{"x"};
    try {
        delivery.deliver(events, {});
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

weft::errc code_of_options(const weft::mqtt_options& options)
{
    try {
        const weft::mqtt_delivery delivery{options};
    } catch (const weft::error& e) {
        return e.code();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_11_events_go_to_a_message_queue_in_order)
{
    if (!mqtt_broker::is_installed()) return;
    const mqtt_broker broker;
    subscriber listens{broker, "acme/#"};
    // What is not acknowledged in time is sent again, and then comes twice.
    weft::mqtt_options options = options_of(broker);
    options.timeout = 20s;
    weft::event_publisher sink{std::make_unique<weft::mqtt_delivery>(options)};
    for (int i = 0; i < 300; ++i) sink.publish("{\"n\":" + std::to_string(i) + "}");
    BOOST_TEST(sink.close(20s));
    BOOST_TEST(sink.counts().delivered == 300u);
    listens.wait_for(300);
    for (std::size_t i = 0; i < 300; ++i)
        BOOST_REQUIRE(listens.received[i] == "{\"n\":" + std::to_string(i) + "}");
}

BOOST_AUTO_TEST_CASE(PYA_11_a_broker_that_was_away_gets_what_waited)
{
    if (!mqtt_broker::is_installed()) return;
    mqtt_broker broker;
    weft::publisher_options patient;
    patient.retry = {.attempts_max = 200, .initial = 50ms, .factor = 1, .jitter = weft::jitter::none};
    weft::event_publisher sink{std::make_unique<weft::mqtt_delivery>(options_of(broker)), patient};
    sink.publish("before");
    broker.kill();
    for (int i = 0; i < 10; ++i) sink.publish(std::to_string(i));
    broker.restart();
    BOOST_TEST(sink.close(20s));
    BOOST_TEST(sink.counts().delivered == 11u);
}

BOOST_AUTO_TEST_CASE(a_broker_that_is_not_there_is_an_error)
{
    if (!mqtt_broker::is_installed()) return;
    mqtt_broker broker;
    const weft::mqtt_options options = options_of(broker);
    BOOST_TEST((code_of_delivery(options) == weft::errc{}));
    broker.kill();
    BOOST_TEST((code_of_delivery(options) == weft::errc::connect_failed));
}

BOOST_AUTO_TEST_CASE(PYA_14_a_stop_ends_a_delivery)
{
    if (!mqtt_broker::is_installed()) return;
    const mqtt_broker broker;
    weft::mqtt_delivery delivery{options_of(broker)};
    const std::vector<std::string> events{"x"};
    std::stop_source stop;
    stop.request_stop();
    BOOST_CHECK_EXCEPTION(delivery.deliver(events, stop.get_token()), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::cancelled; });
    delivery.deliver(events, {});  // and the next one begins anew
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_the_options_is_told)
{
    using weft::errc;
    using weft::mqtt_options;
    for (const char* const topic : {"", "a/#"}) {
        mqtt_options options;
        options.topic = topic;
        BOOST_TEST((code_of_options(options) == errc::invalid_configuration));
    }
    mqtt_options there{"mqtt.example"};
    there.password = weft::secret_string{"secret-of-ours"};
    BOOST_TEST((code_of_options(there) == errc::invalid_configuration));
    mqtt_options here = there;
    there.ca_file = "/x.pem";
    BOOST_TEST((code_of_options(there) == errc{}));
    here.host = "127.0.0.1";
    BOOST_TEST((code_of_options(here) == errc{}));
}

BOOST_AUTO_TEST_SUITE_END()
