#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/text/span.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/engine/run/run_observer.hpp>
#include <weft/observe/metric/weft_metrics.hpp>
#include <weft/observe/trace/span_queue.hpp>
#include <weft/observe/trace/trace_options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::observe_detail {

/** What all observations have in common. It outlives them. */
struct observation_setup {
    weft_metrics& metrics;
    trace_options traces;
    span_queue* queue = nullptr;  ///< Null: nothing is sent, and spans count in metrics only.
    std::function<void(std::string_view line)> log = {};  ///< See `telemetry_options::log`.
};

/** Makes metrics and spans of one run, from its events and from the calls that its nodes make.
 *
 *  Spans wait for the end of their run where that decides whether they are sent; see `trace_sampling`.
 *
 *  @par Thread safety   None: it belongs to the loop of the run. */
class run_observation final : public span_recorder {
public:
    run_observation(std::shared_ptr<const observation_setup> setup, const observed_run& what);
    ~run_observation() override;

    /** Of the run's nodes. Without a caller and without spans it has no `parent`. */
    [[nodiscard]] const trace_context& trace() const noexcept { return trace_; }
    void see(const run_event& event);

    [[nodiscard]] std::int64_t now() const noexcept override { return wall_of(clock_->now()); }
    [[nodiscard]] bool wants_content() const noexcept override { return sends() && setup_->traces.has_content; }
    void record(span&& done) noexcept override;
    void name_agent(std::uint64_t visit, std::string_view agent) noexcept override;
    [[nodiscard]] std::uint64_t next_span() noexcept override;

private:
    [[nodiscard]] bool sends() const noexcept { return setup_->queue != nullptr; }
    [[nodiscard]] std::int64_t wall_of(time_point at) const noexcept { return wall_ + (at - began_).count(); }
    [[nodiscard]] std::uint64_t parent_of(const run_event& event) const;
    void begin_trace(const observed_run& what);
    void begin_visit(const run_event& event);
    void end_visit(const run_event& event);
    void end_run(const run_event& event);
    void end_open_visits(std::int64_t end, std::string_view how);
    void note(const run_event& event, std::string_view name);
    void count_model(const span& done);
    void count_tool(const span& done);
    void keep(span&& done);
    void clean(span& done) const;
    void flush();
    /** Writes a line about something that happened, to which `about` adds what is known of it. */
    void log(std::string_view event, std::int64_t at, const span& about) const;

    const std::shared_ptr<const observation_setup> setup_;
    const clock* clock_;
    const std::string graph_;
    const std::string thread_;
    const std::string id_;
    const time_point began_;
    const std::int64_t wall_;  // of `began_`
    trace_context trace_;
    span run_;                 // that of the run
    std::vector<span> open_;   // attempts at nodes that are under way
    std::vector<span> ended_;
    std::uint64_t next_span_;
    bool is_sampled_ = false;  // whatever becomes of the run
    bool has_ended_ = false;
    bool is_sent_ = false;     // of a run that has ended
    std::size_t lost_ = 0;
};

}  // namespace weft::observe_detail
