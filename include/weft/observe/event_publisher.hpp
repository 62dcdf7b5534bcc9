#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Takes what runs publish, and never holds them up.
 *
 *  @par Thread safety   From any OS thread. */
class event_sink {
public:
    virtual ~event_sink() = default;

    /** For messages: `console`, `redis at localhost:6379`. */
    [[nodiscard]] virtual std::string_view label() const noexcept = 0;
    /** Takes one event, a text such as a JSON object on one line. Returns at once.
     *  @par Errors   `errc::stream_closed` after `close`: "Cannot publish to closed …". */
    virtual void publish(std::string event) = 0;
    /** Takes no more, and waits until what was taken is delivered, or for `limit`. Again it does nothing.
     *  @return   Whether everything was delivered. */
    virtual bool close(std::chrono::nanoseconds limit) = 0;

protected:
    event_sink() = default;
    event_sink(const event_sink&) = delete;
    event_sink& operator=(const event_sink&) = delete;
};

/** Brings events somewhere. It belongs to one publisher and is called on the OS thread of that alone. */
class event_delivery {
public:
    virtual ~event_delivery() = default;

    [[nodiscard]] virtual std::string_view label() const noexcept = 0;
    /** Delivers events in their order; may block.
     *  @param stop   Asked to stop when the publisher is closed and out of time: then it gives up soon.
     *  @par Errors   Any: all of the events are delivered again, so that some may arrive twice. */
    virtual void deliver(std::span<const std::string> events, std::stop_token stop) = 0;

protected:
    event_delivery() = default;
    event_delivery(const event_delivery&) = default;
    event_delivery& operator=(const event_delivery&) = default;
};

/** Which events a full queue does without. */
enum class event_overflow : std::uint8_t {
    drop_oldest,  ///< Those that wait for longest.
    drop_newest,  ///< Those that come.
};

/** How much a publisher keeps, and how often it tries.
 *
 *      event_publisher publisher{std::move(delivery), {.queue_max = 100}};
 */
struct publisher_options {
    std::size_t queue_max = 4096;                           ///< Events that wait; at least 1.
    std::size_t queue_bytes_max = std::size_t{16} << 20;    ///< Of events that wait. A larger event is dropped.
    event_overflow overflow = event_overflow::drop_oldest;
    std::size_t batch_max = 64;                             ///< Events of one delivery; at least 1.
    /** Attempts at a delivery, and the delays between them; then its events are lost, and counted. */
    retry_policy retry = {.attempts_max = 3, .initial = std::chrono::milliseconds{200}};
};

/** What became of the events of a publisher. */
struct publisher_counts {
    std::uint64_t published = 0;  ///< Taken.
    std::uint64_t delivered = 0;
    std::uint64_t dropped = 0;    ///< For want of room.
    std::uint64_t failed = 0;     ///< Lost, since no attempt at their delivery succeeded, or time was up.
    std::string last_error;       ///< Of a delivery; empty if none has failed.
};

/** A bounded queue before a delivery, and an OS thread that empties it.
 *
 *      auto out = std::make_shared<weft::event_publisher>(std::make_unique<weft::console_delivery>(std::cout));
 *      request.on_event(weft::publish_to(out, {.thread = "t-1"}));
 *      …
 *      out->close(5s);
 *
 *  Runs give it events and go on; a slow or broken delivery costs events, which are counted, and no time of runs.
 *
 *  @par Lifetimes   The destructor closes it without waiting: what was not delivered by then has failed. It waits for
 *                   the delivery that is under way. */
class event_publisher final : public event_sink {
public:
    /** @par Errors   `errc::invalid_configuration` if the queue or a delivery has room for no event. */
    explicit event_publisher(std::unique_ptr<event_delivery> delivery, publisher_options options = {});
    ~event_publisher() override;

    [[nodiscard]] std::string_view label() const noexcept override;
    void publish(std::string event) override;
    bool close(std::chrono::nanoseconds limit) override;

    [[nodiscard]] publisher_counts counts() const;

private:
    struct part;
    std::unique_ptr<part> part_;
};

/** Gives every event to several sinks. One that fails leaves the others alone.
 *
 *  @par Thread safety   As an `event_sink`. */
class composite_sink final : public event_sink {
public:
    explicit composite_sink(std::vector<std::shared_ptr<event_sink>> sinks);
    ~composite_sink() override;

    [[nodiscard]] std::string_view label() const noexcept override { return "all"; }
    void publish(std::string event) override;
    /** Of all sinks, in their order, each with an equal share of the limit. */
    bool close(std::chrono::nanoseconds limit) override;

    /** What sinks threw. */
    [[nodiscard]] std::uint64_t failures() const noexcept;

private:
    struct part;
    std::unique_ptr<part> part_;
};

}  // namespace weft
