#pragma once

#include <weft/observe/event_publisher.hpp>
#include <weft/store/redis_client.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Writes each event as a line to a stream such as `std::cout`, and flushes it after each delivery.
 *
 *  @par Thread safety   The stream is written to on the publisher's OS thread only.
 *  @par Lifetimes       The stream outlives the publisher. */
class console_delivery final : public event_delivery {
public:
    explicit console_delivery(std::ostream& to) : to_{to} {}

    [[nodiscard]] std::string_view label() const noexcept override { return "console"; }
    /** @par Errors   `errc::connection_lost` if the stream takes no more. */
    void deliver(std::span<const std::string> events, std::stop_token stop) override;

private:
    std::ostream& to_;
};

/** Where Redis puts events. */
enum class redis_events : std::uint8_t {
    channel,  ///< `PUBLISH`: for those that listen now.
    stream,   ///< `XADD`, member `event`: kept, the newest `stream_max` or a few more.
};

/** How events go to Redis. */
class redis_delivery_options {
public:
    redis_delivery_options() {}

    /** Of the channel or the stream. */
    redis_delivery_options& name(std::string name) { name_ = std::move(name); return *this; }
    redis_delivery_options& mode(redis_events mode) { mode_ = mode; return *this; }
    redis_delivery_options& stream_max(std::int64_t count) { stream_max_ = count; return *this; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] redis_events mode() const noexcept { return mode_; }
    [[nodiscard]] std::int64_t stream_max() const noexcept { return stream_max_; }

private:
    std::string name_ = "weft.events";
    redis_events mode_ = redis_events::channel;
    std::int64_t stream_max_ = 100'000;
};

/** Brings events to a Redis server, many commands at a time over one connection, which is made again when it was lost.
 *
 *  @par Errors   From the constructor and from `deliver`: those of `redis_client`. */
class redis_delivery final : public event_delivery {
public:
    explicit redis_delivery(redis_options server, redis_delivery_options options = redis_delivery_options{});
    ~redis_delivery() override;

    [[nodiscard]] std::string_view label() const noexcept override;
    void deliver(std::span<const std::string> events, std::stop_token stop) override;

private:
    struct part;
    std::unique_ptr<part> part_;
};

}  // namespace weft
