#pragma once

#include <weft/engine/run_request.hpp>
#include <weft/observe/event_publisher.hpp>

#include <functional>
#include <memory>
#include <string>

namespace weft {

/** What published events of a run say beside what happened. */
struct publication {
    std::string run = {};     ///< An id of the run, instead of the one it has; see `id_generator`.
    std::string thread = {};
    std::string graph = {};
    /** Which events are published; by default all. */
    std::function<bool(const run_event&)> takes = {};
};

/** A `run_request::on_event` that publishes the events of one run, each as a JSON object on one line: `run`, the
 *  members of `publication` that are not empty, `id`, and those of `run_event_json.hpp`. `run` and `id` name an event
 *  for good: ids grow over the resumes of a run. A sink that says no disturbs no run.
 *
 *  @par Example   docs/TOOL_AGENTS.md */
[[nodiscard]] run_request::event_function publish_to(std::shared_ptr<event_sink> sink, publication about = {});

}  // namespace weft
