#pragma once

#include "run_fields.hpp"
#include "serve/run/run_launcher.hpp"
#include "stream_frames.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** What a client asks for when it begins a run. */
struct run_body {
    run_body() {}

    /** What to do if the thread has a run that is under way. */
    enum class strategy : std::uint8_t { enqueue, reject, interrupt, rollback };

    std::string place = "body";                          ///< What of the request it was, for messages.
    run_id id = {};                                      ///< That a new run is to have; nil: any.
    std::string assistant = {};                          ///< An id of one, or the name of a graph.
    std::optional<boost::json::object> input = {};       ///< Nothing: the run goes on.
    std::optional<boost::json::value> resume = {};       ///< Answers to the questions of the thread.
    std::optional<boost::json::object> update = {};      ///< Values to be written first.
    boost::json::object metadata = {};
    stream_view view = {};
    strategy on_busy = strategy::enqueue;
    std::string webhook = {};
    std::optional<std::int64_t> checkpoint = {};         ///< Where in the history it begins; nothing: at the newest.
    std::optional<double> after_seconds = {};
    std::optional<std::uint32_t> steps_max = {};
    bool makes_thread = false;                           ///< If it is not there.
    bool stops_with_client = false;
    bool keeps_thread = false;                           ///< Of a run without a thread: it gets one that stays.
};

/** Reads what is said of any run. @par Errors  As `read_run_body`. */
[[nodiscard]] run_body read_any_run(const boost::json::object& from, stream_mode default_mode,
                                    const any_run_fields& fields);

/** Reads what begins a run: the body of `/runs…` and `/threads/{thread_id}/runs…`, or the parameters of a command.
 *  @param fields   Where it stands. Members that are not among them are passed over.
 *  @par Errors     `http_error` 422, which names the member. */
[[nodiscard]] run_body read_run_body(const boost::json::object& from, stream_mode default_mode,
                                     const run_fields& fields = run_fields_of_body());

}  // namespace weft::serve_detail
