#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/spec/cron_schedule.hpp>
#include <weft/agent/host/event_bus.hpp>
#include <weft/agent/host/execution_stream.hpp>
#include <weft/agent/host/webhook_gate.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_request.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** When a timer begins a run. */
struct entry_timer {
    std::string cron = {};  ///< See `cron_schedule`; counts before `interval`.
    std::chrono::nanoseconds interval = {};
    bool runs_at_once = false;  ///< Also when the entry points begin to work.
};

/** What began a run. */
struct entry_call {
    std::string entry_point = {};
    std::string by = {};  ///< `program`, `timer`, `webhook`, `event`.
    boost::json::value payload = {};
};

/** A way into a graph from outside. It has a stream of its own, so that it runs once at a time. */
struct entry_point {
    std::string id = {};
    std::function<run_request(const entry_call&)> request = {};  ///< What is run for a call.
    execution_stream::runner run = {};                           ///< With what.
    std::optional<entry_timer> timer = {};
    std::optional<webhook_route> webhook = {};  ///< Its `entry_point` is filled in.
    std::optional<bus_filter> events = {};      ///< Events of the bus that begin a run; `data` is the payload.
    bool ignores_own_graph = true;              ///< Of these, not those of the graph that it runs.
    std::string graph = {};                     ///< Its name for the bus.
    std::uint32_t resurrections_max = 3;
};

/** How entry points work together. */
struct entry_points_options {
    event_bus* bus = nullptr;
    std::size_t executions_max = 100;  ///< So many entry points have a run at once.
    std::chrono::nanoseconds timers_wait = std::chrono::seconds{300};  ///< See `entry_points`.
    std::size_t keys_max = 10'000;     ///< Idempotency keys that are remembered.
};

/** Begins runs when a program asks for one, when a timer is due, when a webhook or an event comes.
 *
 *      weft::entry_points ways{loop, {.bus = &bus}};
 *      ways.add({.id = "mail", .request = to_request, .run = run, .timer = weft::entry_timer{.cron = "0 * * * *"}});
 *      children.spawn(ways.work());
 *      ways.trigger("mail", {{"from", "Ada"}});
 *
 *  A timer passes over a moment at which a run is under way or ended less than `timers_wait` ago, whichever entry point
 *  it is of: agents are not disturbed at work. A second call with the same idempotency key begins nothing and gets the
 *  id of the first.
 *
 *  @par Thread safety   None: it belongs to one loop, on which the bus delivers too.
 *  @par Lifetimes       Loop and bus outlive it; it outlives its `work`.
 *  @par Source          Hive's agent runtime.
 */
class entry_points {
public:
    explicit entry_points(serial_loop& loop, entry_points_options options = entry_points_options{});
    ~entry_points();
    entry_points(const entry_points&) = delete;
    entry_points& operator=(const entry_points&) = delete;

    /** Before `work`.
     *  @par Errors   `errc::invalid_configuration`: the id is empty or there already, nothing can be run, the timer has
     *                neither cron nor interval, the schedule is none, the route is none, events without a bus, or the
     *                entry points are at work. */
    void add(entry_point what);

    /** Begins a run, while `work` is under way. @return Its id.
     *  @param key   An idempotency key; empty: none.
     *  @par Errors   `errc::invalid_configuration`: no such entry point, or `work` does not run.
     *                `errc::limit_reached`. What `entry_point::request` throws. */
    std::string trigger(std::string_view id, boost::json::value payload, std::string_view key = {});

    /** Answers a webhook, and begins its run: 503 while `work` does not run or too many runs are under way; 400 if
     *  `entry_point::request` refuses the payload. The answer of an accepted one has `execution`. */
    [[nodiscard]] webhook_answer receive(const webhook_request& request);

    void pause_timers() noexcept { are_timers_paused_ = true; }
    void resume_timers() noexcept { are_timers_paused_ = false; }

    /** Null if there is no such entry point. */
    [[nodiscard]] const execution_stream* stream_of(std::string_view id) const noexcept;
    /** How many entry points have a run. */
    [[nodiscard]] std::size_t active() const noexcept;
    /** Stops all runs. @return How many streams had one. */
    std::size_t stop_all();

    /** Does the runs, timers and events until `close`.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    All runs are stopped and awaited. */
    [[nodiscard]] task<void> work();
    /** Begins nothing more; `work` ends with the runs under way. */
    void close();

private:
    struct way;
    class at_work;
    [[nodiscard]] way* find(std::string_view id) const noexcept;
    void check(const entry_point& what) const;
    std::string begin(way& through, std::string_view by, boost::json::value payload, std::string_view key);
    void remember(std::string key, std::string run);
    [[nodiscard]] bool is_quiet() const noexcept;
    void tick(way& of);
    static task<void> keep_time(entry_points& self, way& of);
    static task<bool> sleep_until_due(entry_points& self, way& of);
    static task<void> begin_for(entry_points& self, way& of, bus_event event);
    void tell(const way& of, std::string type, std::string_view text) const;

    serial_loop& loop_;
    entry_points_options options_;
    webhook_gate gate_;
    std::vector<std::unique_ptr<way>> ways_;
    std::map<std::string, std::string, std::less<>> runs_by_key_;
    std::deque<std::string> keys_;  // oldest first
    bool are_timers_paused_ = false;
    bool is_working_ = false;
    bool is_closed_ = false;
};

}  // namespace weft
