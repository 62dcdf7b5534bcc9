#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/observe/event_publisher.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Which MQTT broker, who we are to it, and where events go. */
struct mqtt_options {
    mqtt_options() {}
    explicit mqtt_options(std::string host, std::uint16_t port = 1883) : host{std::move(host)}, port{port} {}

    std::string host = "127.0.0.1";
    std::uint16_t port = 1883;
    std::string topic = "weft/events";
    std::string client_id;  ///< Of the connection; empty: one that the library makes up.
    std::string user;
    secret_string password;
    std::string ca_file;  ///< A file of certificates that are trusted: the connection is with TLS then.
    /** Lets the password go to another machine without TLS, where it can be read on the way. */
    bool secrets_without_tls = false;
    /** For connecting, and for the broker's receipt of a delivery. */
    std::chrono::milliseconds timeout{5000};
};

/** Brings events to an MQTT broker, with receipts (QoS 1), over one connection that is made again when it was lost.
 *
 *  It is there when weft was built with libmosquitto (`WEFT_HAS_MQTT`).
 *
 *  @par Errors   From the constructor `errc::invalid_configuration`. From `deliver`:
 *    - `errc::connect_failed`    the broker cannot be reached or refuses us; says why.
 *    - `errc::connection_lost`   it went away, and some events have no receipt.
 *    - `errc::timeout`           there are no receipts in time.
 *    - `errc::cancelled`         the publisher is out of time.
 *  @par Source   MQTT 3.1.1, OASIS; Eclipse Mosquitto's client library. */
class mqtt_delivery final : public event_delivery {
public:
    explicit mqtt_delivery(mqtt_options options);
    ~mqtt_delivery() override;

    [[nodiscard]] std::string_view label() const noexcept override;
    void deliver(std::span<const std::string> events, std::stop_token stop) override;

private:
    struct part;
    std::unique_ptr<part> part_;
};

}  // namespace weft
