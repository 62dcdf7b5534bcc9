#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/engine/trace/run_log.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace weft {

/** An event of a run for the event log of a store: an object as `run_event_json.hpp` describes it, with two members
 *  more where the event has values.
 *
 *  - `written`: what was written, in its order, as `[name, value]`, or `[name, value, true]` for a value that replaced
 *    what was there.
 *  - `values`: the whole state; only where it does not follow from what was written, at the start of a run and at a
 *    join. So a long conversation is written once, and not with each of its messages.
 *
 *  Keys that are transient, or that JSON cannot say, are left out. */
[[nodiscard]] std::string stored_run_event(const run_event& event);

/** Reads the events of one run back, oldest first, with the values that nodes had written.
 *
 *      stored_event_reader reader{graph};
 *      for (const stored_event& each : page.events) push(reader.read(each.data));
 *
 *  Values come from those of the events before, by the reducers of the graph: a reader that begins in the middle knows
 *  them from the next start, or join, on.
 *
 *  @par Errors          From `read` `errc::invalid_json` and `errc::unexpected_json`: it is no event.
 *  @par Thread safety   None.
 *  @par Lifetimes       Events refer to texts of the reader, which outlives them. */
class stored_event_reader {
public:
    explicit stored_event_reader(graph of) : graph_{std::move(of)} {}

    [[nodiscard]] run_event read(std::string_view stored);

private:
    // A run within a node begins anew with each visit and attempt.
    using address = std::tuple<std::string, std::string, std::string>;

    void read_written(run_event& event, const boost::json::object& line);
    [[nodiscard]] const graph* graph_at(std::string_view address) const;

    graph graph_;
    run_log texts_;
    std::map<address, state> states_;
};

}  // namespace weft
