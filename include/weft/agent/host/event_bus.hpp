#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class scope;

/** Something that agents, and those around them, tell everybody who listens. */
struct bus_event {
    bus_event() {}
    bus_event(std::string type, boost::json::value data) : type{std::move(type)}, data(std::move(data)) {}

    std::string type{};         ///< E.g. `judge_verdict`; any word.
    std::string stream{};       ///< The stream of runs that it belongs to.
    std::string execution{};    ///< The run.
    std::string graph{};
    std::string node{};         ///< Where in the graph; of graphs within nodes joined by "/".
    std::string correlation{};  ///< What ties events of several runs together.
    boost::json::value data{};
    std::uint64_t sequence = 0;  ///< From 1, without holes; the bus counts.
    std::int64_t at = 0;         ///< Milliseconds since 1970, UTC; the bus writes it.
    std::uint64_t missed = 0;    ///< So many events before it the handler has lost, since it was too slow.
};
BOOST_DESCRIBE_STRUCT(bus_event, (),
                      (type, stream, execution, graph, node, correlation, data, sequence, at, missed))

/** Which events a subscriber wants. What is empty does not matter. */
struct bus_filter {
    bus_filter() {}
    explicit bus_filter(std::vector<std::string> types) : types{std::move(types)} {}

    std::vector<std::string> types{};
    std::string stream{};
    std::string execution{};
    std::string graph{};
    std::string node{};
    std::string other_than_graph{};  ///< Events of this graph are left out.

    [[nodiscard]] bool matches(const bus_event& event) const noexcept;
};
BOOST_DESCRIBE_STRUCT(bus_filter, (), (types, stream, execution, graph, node, other_than_graph))

/** How much a bus holds. */
struct event_bus_limits {
    std::size_t history_max = 1'000;
    std::size_t handlers_max = 10;         ///< So many handlers are at work at once.
    std::size_t waiting_max = 1'000;       ///< Events of one handler; then the oldest are lost.
    std::size_t subscribers_max = 10'000;  ///< Handlers and waits together.
};

/** What a bus has done. */
struct event_bus_counts {
    std::uint64_t published = 0;
    std::uint64_t missed = 0;   ///< Events that a slow handler lost, counted for each handler.
    std::uint64_t failed = 0;   ///< Handlers that threw.
    std::string last_failure{};
};

/** Carries events from runs, and from anywhere else, to handlers.
 *
 *      weft::event_bus bus;
 *      bus.subscribe(weft::bus_filter{{"judge_verdict"}}, show);
 *      children.spawn(bus.deliver());
 *      …
 *      co_await engine.run(weft::run_request{"t"}.on_event(weft::publishes_to(bus, {.stream = "chat"})));
 *
 *  A handler gets its events one after the other, in their order. Up to `handlers_max` are at work at once.
 *  Publishing does not wait: a handler that is too slow loses its oldest events and gets their number. What a handler
 *  throws is counted, and has no other effect.
 *
 *  @par Thread safety   All but `deliver` and `wait_for` from any OS thread; these on one loop.
 *  @par Lifetimes       Outlives those who publish, and its tasks.
 *  @par Source          Hive's event bus.
 */
class event_bus {
public:
    using handler = std::function<task<void>(bus_event)>;
    using subscription = std::uint64_t;

    /** @param time   Of the events. It outlives the bus. */
    explicit event_bus(event_bus_limits limits = event_bus_limits{}, const clock& time = real_clock());
    ~event_bus();
    event_bus(const event_bus&) = delete;
    event_bus& operator=(const event_bus&) = delete;

    /** Tells an event. Its `sequence`, `at` and `missed` are written here. A closed bus drops it. */
    void publish(bus_event event);

    /** @return   For `unsubscribe`.
     *  @par Errors   `errc::limit_reached`: there are `subscribers_max`. */
    subscription subscribe(bus_filter which, handler what);
    /** The handler gets no further event; one that is at work ends. @return False if there is none. */
    bool unsubscribe(subscription which);

    /** Waits for the next event that matches.
     *  @return   Nothing if `timeout` passes, on the loop's clock.
     *  @par Errors   `errc::limit_reached`, `errc::cancelled`. */
    [[nodiscard]] task<std::optional<bus_event>> wait_for(bus_filter which, std::chrono::nanoseconds timeout);

    /** What was told, newest first. */
    [[nodiscard]] std::vector<bus_event> history(const bus_filter& which = bus_filter{}, std::size_t limit = 100) const;

    /** Calls the handlers, until the bus is closed and they have had all events. One at a time.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    The handlers are stopped and awaited. */
    [[nodiscard]] task<void> deliver();
    /** Takes no further events; `deliver` ends. */
    void close();

    [[nodiscard]] event_bus_counts counts() const;

private:
    struct subscriber;
    struct waiting;
    class busy_mark;
    struct job;

    void start_handlers(scope& handlers);
    [[nodiscard]] std::optional<job> next_job();
    [[nodiscard]] bool is_finished() const;
    static task<void> handle(event_bus& bus, job what);
    void note_failure(std::string why);
    void check_room() const;

    event_bus_limits limits_;
    const clock& time_;
    mutable std::mutex mutex_;
    std::deque<bus_event> history_;
    std::vector<std::shared_ptr<subscriber>> subscribers_;
    std::vector<waiting*> waits_;
    std::size_t next_ = 0;  // whose turn it is among the subscribers
    subscription last_id_ = 0;
    bool is_closed_ = false;
    event_bus_counts counts_;
    intrusive_ptr<remote_signal> news_;
};

}  // namespace weft
