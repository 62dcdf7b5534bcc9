#pragma once

#include <weft/engine/run_event.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// A run as lines of JSON, in UTF-8: first a header, then the events in their order, then a result if the writer of the
// log knows one. Each line is an object whose `kind` says what it is:
//
//     {"kind":"run","format":1,"graph":"support","at":"2026-03-01T12:00:00Z"}
//     {"sequence":1,"kind":"run_started","ms":0.0}
//     {"sequence":2,"kind":"node_started","ms":0.041,"node":"plan","branch":0,"visit":1,"attempt":1}
//     {"sequence":9,"kind":"run_finished","ms":812.5,"text":"finished"}
//     {"kind":"result","status":"finished", …}
//
// An event has the members of `run_event`; those that have their defaults are left out. `ms` is the time since the run
// began, to the microsecond. `id` stands only where it is not the sequence, `address_attempts` only where an attempt
// was not the first, and the run's own id only in the header. Readers pass over members and kinds that they do not
// know, so both may be added without another `format`.

inline constexpr std::uint32_t run_log_format = 1;

/** What the first line of a log says. */
struct run_log_header {
    std::uint32_t format = run_log_format;
    std::string graph = {};  ///< Its name.
    std::string at = {};     ///< When the run began, in UTC as ISO 8601 writes it; may be empty.
    std::string run = {};    ///< The id of the run; may be empty.
};

/** The first line of a log, as an object. */
[[nodiscard]] boost::json::object to_json(const run_log_header& header);

/** An event as an object.
 *
 *  @param began   When the run began, on the clock of the event; what was before it counts as then. */
[[nodiscard]] boost::json::object to_json(const run_event& event, time_point began);

/** What `run_event::address_attempts` is where each attempt was the first: as many parts as there are visits. */
[[nodiscard]] std::string first_attempts(std::string_view address_visits);

/** The kind of that name; nothing if there is none. */
[[nodiscard]] std::optional<run_event::kind> event_kind_of(std::string_view name) noexcept;

/** A moment as ISO 8601 writes it, in UTC and to the second: `2026-03-01T12:00:00Z`. */
[[nodiscard]] std::string to_utc_text(clock::system_time_point moment);

}  // namespace weft
