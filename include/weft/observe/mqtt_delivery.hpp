#pragma once

#include <weft/net/secret_string.hpp>
#include <weft/observe/event_publisher.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Which MQTT broker, who we are to it, and where events go. */
class mqtt_options {
public:
    mqtt_options() {}
    explicit mqtt_options(std::string host, std::uint16_t port = 1883) : host_{std::move(host)}, port_{port} {}

    mqtt_options& topic(std::string name) { topic_ = std::move(name); return *this; }
    /** Of the connection; empty: one that the library makes up. */
    mqtt_options& client_id(std::string id) { client_id_ = std::move(id); return *this; }
    mqtt_options& user(std::string name) { user_ = std::move(name); return *this; }
    mqtt_options& password(secret_string text) { password_ = std::move(text); return *this; }
    /** A file of certificates that are trusted: the connection is with TLS then. */
    mqtt_options& ca_file(std::string path) { ca_file_ = std::move(path); return *this; }
    /** Lets the password go to another machine without TLS, where anybody on the way can read it. */
    mqtt_options& secrets_without_tls(bool allowed) { secrets_without_tls_ = allowed; return *this; }
    /** For connecting, and for the broker's receipt of a delivery. */
    mqtt_options& timeout(std::chrono::milliseconds limit) { timeout_ = limit; return *this; }

    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::string& topic() const noexcept { return topic_; }
    [[nodiscard]] const std::string& client_id() const noexcept { return client_id_; }
    [[nodiscard]] const std::string& user() const noexcept { return user_; }
    [[nodiscard]] const secret_string& password() const noexcept { return password_; }
    [[nodiscard]] const std::string& ca_file() const noexcept { return ca_file_; }
    [[nodiscard]] bool secrets_without_tls() const noexcept { return secrets_without_tls_; }
    [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return timeout_; }

private:
    std::string host_ = "127.0.0.1";
    std::uint16_t port_ = 1883;
    std::string topic_ = "weft/events";
    std::string client_id_;
    std::string user_;
    secret_string password_;
    std::string ca_file_;
    bool secrets_without_tls_ = false;
    std::chrono::milliseconds timeout_{5000};
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
