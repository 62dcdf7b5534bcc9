#pragma once

#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace weft {

/** A node of the kind `wait`: waits for a span, for a moment or for an event from outside; one of the three. */
struct wait_settings {
    std::optional<spec_duration> span = {};             ///< From where the node first began.
    std::optional<std::string> until = {};              ///< A template: `2026-12-24T18:00:00+01:00`.
    std::optional<std::string> event = {};              ///< Its name; see `is_event_name`.
    std::optional<spec_duration> timeout = {};          ///< Of an event; not given: none.
    std::optional<boost::json::value> otherwise = {};   ///< What comes instead then; not given: the node fails.
    std::string into = {};                              ///< The key that gets all that comes with the event.
};
BOOST_DESCRIBE_STRUCT(wait_settings, (), (span, until, event, timeout, otherwise, into))

/** The kind `wait` of graph files. The node is parked as if it asked a person: its timeout does not run, and other
 *  branches go on. A run that waits for a span, a moment or an event with a timeout does not pause for that
 *  (`question::keeps_run_awake`): a durable one stays with its process for a while, and then rests in the store until
 *  its moment; a restart loses no time. One that waits for an event without timeout pauses, and
 *  `durable_engine::deliver_event` makes it ready again. What comes with an event is written as
 *  `agent_detail::write_answer` says; what does not fit the keys is refused to who brings it.
 *
 *  @par Errors   In a run:
 *    - `errc::timeout`               the event did not come in time.
 *    - `errc::invalid_configuration` the text of `until` is no moment.
 *    - `errc::missing_state_value`   a key of `until` has no value. */
[[nodiscard]] node_kind wait_kind();

}  // namespace weft
