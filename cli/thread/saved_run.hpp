#pragma once

#include "run/run_report.hpp"
#include "store/question_text.hpp"
#include "store/run_memory.hpp"
#include "store/store_place.hpp"
#include "terminal/terminal_person.hpp"

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

/** A run that is to be kept. */
struct saved_run_order {
    enum class way : std::uint8_t {
        begin_or_go_on,  ///< `weft run`
        go_on,           ///< `weft resume`: something must be left to do.
        replay,          ///< `weft resume --from`: again from a checkpoint, in a new thread.
    };

    way how = way::begin_or_go_on;
    std::string command = "run";                         ///< For messages.
    store_place place = {};
    weft::thread_key thread = {};
    std::shared_ptr<const weft::durable_graphs> graphs = {};
    std::string graph = {};                              ///< Its name among them.
    weft::run_options options = {};
    boost::json::object inputs = {};
    boost::json::object first = {};                      ///< The state of a thread that begins.
    weft::busy_policy busy = weft::busy_policy::reject;
    std::string idempotency_key = {};
    bool begins_anew = false;                            ///< Though the last run of the thread could go on.
    weft::durable_options keeping = {};
    said_answers said = {};                              ///< By node, instead of being asked.
    std::vector<std::string> answers = {};               ///< To questions that are open now; see `answers_to`.
    /** Which of these may also be for a node that asks only later: by node. */
    said_answers answers_by_node = {};
    std::optional<weft::thread_key> source = {};         ///< Of a replay.
    std::int64_t from = 0;
    std::shared_ptr<run_memory> memory = {};             ///< Opened with the store; may be null.
    std::shared_ptr<terminal_person> person = {};        ///< Who is asked where there is a terminal.
    bool is_quiet = false;
};

/** What is known of a thread before and after a run in it. */
struct saved_run_report {
    boost::json::object before = {};
    saved_thread saved = {};
};

/** Runs it: takes over what a killed program left, answers questions that were answered beforehand, asks others at the
 *  terminal, and goes on, until the run is over or waits for an answer from elsewhere.
 *
 *  @param report        Outlives the task, as the order does.
 *  @par Errors          `usage_error`: there is nothing to go on with, an answer does not fit. Those of `open_store`
 *                       and `durable_engine::run`.
 *  @par Cancellation    Cancels the run, and keeps what was done. At a question: the run stays paused. */
[[nodiscard]] weft::task<weft::run_result> keep_run(const saved_run_order& order, saved_run_report& report,
                                                    weft::run_request::event_function watcher);

}  // namespace weft_cli
