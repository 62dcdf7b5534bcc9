#pragma once

#include <weft/agent/host/event_bus.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

class scope;

/** One run of a stream. */
struct execution {
    enum class phase : std::uint8_t { waiting, running, ended };

    std::string id{};
    phase at = phase::waiting;
    std::uint32_t resurrections = 0;
    std::optional<run_result> result{};  ///< Of one that has ended, unless it could not be run.
    std::string problem{};               ///< Why there is no result: what the runner threw, or that another one came.
    time_point ended{};
};

/** How a stream deals with its runs. */
struct execution_stream_options {
    std::uint32_t resurrections_max = 3;  ///< So often a failed run is run again.
    std::chrono::nanoseconds cooldown = std::chrono::seconds{2};  ///< Before that.
    std::size_t results_max = 1'000;
    std::chrono::nanoseconds results_kept = std::chrono::hours{1};
    event_bus* bus = nullptr;  ///< Is told what the runs do, unless a request has a watcher of its own.
    std::string graph = {};    ///< Its name for the bus.
};

/** Whether a failure would only happen again: a wrong key or setting, a loop that stalled or has used up its turns. */
[[nodiscard]] bool is_fatal_failure(const failure& why) noexcept;

/** Runs one after the other, never two at once: a new run stops the one under way and begins when that has really
 *  ended.
 *
 *      weft::execution_stream chat{loop, "chat", [&](weft::run_request what) { return engine.run(std::move(what)); }};
 *      children.spawn(chat.work());
 *      const std::string id = chat.execute(weft::run_request{"t"}.input(topic, "rain"));
 *
 *  A run that fails is run again after the cooldown, unless the failure is fatal or another run waits; with
 *  `durable_engine::run` it goes on from its last checkpoint then.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The loop and the bus outlive it; it outlives its `work`.
 *  @par Source          Hive's execution stream.
 */
class execution_stream {
public:
    using runner = std::function<task<run_result>(run_request)>;

    execution_stream(serial_loop& loop, std::string name, runner how,
                     execution_stream_options options = execution_stream_options{});
    execution_stream(const execution_stream&) = delete;
    execution_stream& operator=(const execution_stream&) = delete;

    /** Runs a request next: stops the run under way, and takes the place of one that waits. @return Its id. */
    std::string execute(run_request request);
    /** Stops the run under way and drops the one that waits. @return False if there is none. */
    bool stop();
    /** Lets the run under way end, and the one that waits, and `work` with them. */
    void close();

    /** Does the runs until it is closed. One at a time.
     *  @par Errors          `errc::cancelled`.
     *  @par Cancellation    The run is stopped and awaited. */
    [[nodiscard]] task<void> work();

    /** Null if it was never here or is forgotten. Valid until the next `execute`. */
    [[nodiscard]] const execution* find(std::string_view id) const noexcept;
    /** Whether a run is under way or waits. */
    [[nodiscard]] bool is_active() const noexcept { return current_ || next_; }
    /** When the last run ended, if one has. */
    [[nodiscard]] std::optional<time_point> last_end() const noexcept { return last_end_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    struct order {
        order(std::shared_ptr<execution> of, run_request request) : of{std::move(of)}, request{std::move(request)} {}

        std::shared_ptr<execution> of;
        run_request request;
    };

    [[nodiscard]] task<void> run_order(order what);
    [[nodiscard]] task<void> attempt(const order& what);
    static task<void> run_into(task<run_result> work, execution& into);
    /** Whether a run that failed is not to be gone on with. */
    [[nodiscard]] bool is_wanted_elsewhere() const noexcept { return next_ || is_closed_ || is_stop_wanted_; }
    [[nodiscard]] bool deserves_another(const execution& one) const noexcept;
    [[nodiscard]] task<bool> cool_down();
    void end(execution& one, std::string problem = {});
    void tell(const execution& one, std::string type, std::string text) const;
    void forget_old();

    serial_loop& loop_;
    std::string name_;
    runner how_;
    execution_stream_options options_;
    id_source ids_;
    std::deque<std::shared_ptr<execution>> known_;
    std::shared_ptr<execution> current_;
    std::optional<order> next_;
    scope* running_ = nullptr;  // of the attempt under way
    bool is_stop_wanted_ = false;
    bool is_closed_ = false;
    std::optional<time_point> last_end_;
    intrusive_ptr<remote_signal> news_;
};

}  // namespace weft
