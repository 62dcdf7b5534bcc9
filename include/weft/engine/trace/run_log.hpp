#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How much of a log is read. */
struct run_log_limits {
    std::size_t line_bytes_max = 16u << 20;
    std::size_t events_max = 1'000'000;
};

/** The events of one run that were written down, as `run_event_json.hpp` describes it, with the texts they refer to.
 *
 *  The time of the events counts from `time_point{}`: `event.at - time_point{}` is how long the run had been going.
 *
 *  @par Thread safety   As a value. It moves, and the events stay valid then; it is not copied.
 */
class run_log {
public:
    run_log() = default;
    run_log(run_log&&) = default;
    run_log& operator=(run_log&&) = default;

    /** Adds an event of a run that is going on.
     *
     *  @param began   When the run began, on the clock of the event. */
    void add(const run_event& event, time_point began);
    void add(run_log_header header) { header_ = std::move(header); }

    /** Reads an event as `to_json` has written it. It is not added; what it refers to lives as long as this log.
     *  @par Errors   `errc::unexpected_json`: it is none. */
    [[nodiscard]] run_event read_event(const boost::json::object& line);

    /** Of the first line; nothing if the log has none. */
    [[nodiscard]] const std::optional<run_log_header>& header() const noexcept { return header_; }
    [[nodiscard]] const std::vector<run_event>& events() const noexcept { return events_; }
    /** Of the last line, with all its members; nothing if the log has none. */
    [[nodiscard]] const std::optional<boost::json::object>& result() const noexcept { return result_; }
    /** Lines of kinds that this version does not know. */
    [[nodiscard]] std::size_t skipped() const noexcept { return skipped_; }
    /** Whether the last line breaks off: the process ended while it wrote the log. That line is not there. */
    [[nodiscard]] bool breaks_off() const noexcept { return breaks_off_; }

private:
    friend run_log read_run_log(std::istream& from, const run_log_limits& limits);
    void add_line(const boost::json::object& line);
    [[nodiscard]] run_event event_in(run_event::kind what, const boost::json::object& line);
    [[nodiscard]] std::string_view keep(std::string_view name);

    std::optional<run_log_header> header_;
    std::vector<run_event> events_;
    std::optional<boost::json::object> result_;
    std::set<std::string, std::less<>> names_;  // which the events look at; its elements never move
    std::size_t skipped_ = 0;
    bool breaks_off_ = false;
};

/** Reads a log to its end. Empty lines are passed over.
 *
 *  @par Errors   Each names the line, from 1, in `where`:
 *    - `errc::invalid_json`      a line is not JSON; a last line that is only the beginning of one is no error.
 *    - `errc::unexpected_json`   a line is no object, has no `kind`, or a member has another type or is out of range;
 *                                a second run begins; the format is a newer one.
 *    - `errc::limit_reached`     a line is too long, or there are too many events. */
[[nodiscard]] run_log read_run_log(std::istream& from, const run_log_limits& limits = {});

}  // namespace weft
