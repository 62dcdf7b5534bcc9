#pragma once

#include <weft/agent/chat_agent/heartbeat_graph.hpp>
#include <weft/agent/node/failure_streak.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/engine/engine.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace weft {

/** What a heartbeat service tells of a beat, for its records. */
struct heartbeat_event {
    enum class kind : std::uint8_t {
        started,
        completed,
        failed,
        aborted,
    };
    kind what = kind::started;
    std::uint64_t beat = 0;   ///< From 1.
    std::string thread{};
    std::string text{};       ///< What it did, or why it failed.
    std::uint32_t failures_in_a_row = 0;
};

/** When beats come, and who hears of them. Functions are called on the loop; what they throw is swallowed. */
struct heartbeat_service_options {
    heartbeat_service_options() {}

    std::chrono::nanoseconds every = std::chrono::minutes{15};
    bool begins_at_once = false;  ///< The first beat comes at once, and not after `every`.
    run_options limits = heartbeat_run_options();
    failure_streak streak{};
    /** For people: beats fail again and again, at the third failure in a row and at every 25th. */
    std::function<void(const heartbeat_event&)> on_notice{};
    std::function<void(const heartbeat_event&)> on_audit{};   ///< For records: each start and each end.
    std::function<void(const run_event&)> on_event{};
};

/** Starts a heartbeat graph again and again on the loop's clock.
 *
 *      weft::heartbeat_service service{weft::heartbeat_graph(options)};
 *      children.spawn(service.run());
 *
 *  One beat at a time: beats that come due while one is under way are left out. Each begins with a fresh talk; what the
 *  one before did, and why it was blocked, it is told. Beats that were stopped neither fail nor succeed.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       Outlives its tasks.
 *  @par Example         samples/16_heartbeat.cpp [service]
 *  @par Source          Sulla's heartbeat service.
 */
class heartbeat_service {
public:
    /** @param heartbeat   Of `heartbeat_graph`.
     *  @par Errors        `errc::invalid_configuration` if `every` is less than a millisecond. */
    explicit heartbeat_service(graph heartbeat, heartbeat_service_options options = {});

    /** Beats until it is stopped.
     *  @par Errors          `errc::cancelled`: it ends in no other way.
     *  @par Cancellation    A beat under way is stopped and awaited. */
    [[nodiscard]] task<void> run();

    /** One beat now.
     *  @return              False if one is under way; then nothing happens.
     *  @par Cancellation    As `run`. */
    [[nodiscard]] task<bool> beat();

    [[nodiscard]] bool is_beating() const noexcept { return is_beating_; }
    [[nodiscard]] const failure_streak& failures() const noexcept { return options_.streak; }
    /** What the last beat that was not stopped left. */
    [[nodiscard]] const heartbeat_status& last() const noexcept { return last_; }

private:
    static task<void> keep_on(heartbeat_service& self);
    static task<bool> beat_once(heartbeat_service& self);
    [[nodiscard]] run_request request_for(const std::string& thread) const;
    [[nodiscard]] heartbeat_event judge(const run_result& result, heartbeat_event event);
    void audit(const heartbeat_event& event) const noexcept;

    engine engine_;
    heartbeat_service_options options_;
    heartbeat_status last_;
    std::string blocker_;  ///< Of the last beat, if it was blocked.
    std::uint64_t beats_ = 0;
    bool is_beating_ = false;
};

}  // namespace weft
