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
struct redis_delivery_options {
    std::string name = "weft.events";  ///< Of the channel or the stream.
    redis_events mode = redis_events::channel;
    std::int64_t stream_max = 100'000;
};

/** Brings events to a Redis server, many commands at a time over one connection, which is made again when it was lost.
 *
 *  @par Errors   From the constructor and from `deliver`: those of `redis_client`. */
class redis_delivery final : public event_delivery {
public:
    explicit redis_delivery(redis_options server, redis_delivery_options options = {});
    ~redis_delivery() override;

    [[nodiscard]] std::string_view label() const noexcept override;
    void deliver(std::span<const std::string> events, std::stop_token stop) override;

private:
    struct part;
    std::unique_ptr<part> part_;
};

}  // namespace weft
