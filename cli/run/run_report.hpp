#pragma once

#include "terminal/console.hpp"

#include <weft/chat/usage.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/engine/scheduler/open_question.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

/** The thread that a run was kept in, and what is open there. */
struct saved_thread {
    std::string name = {};
    std::string store = {};                          ///< For people.
    std::int64_t head = 0;                           ///< Its newest checkpoint; 0: none.
    bool is_unfinished = false;                      ///< Whether a run from the newest one has something left to do.
    std::vector<weft::open_question> questions = {};
};

/** A run that has ended, as far as people and programs are told. */
struct ended_run {
    weft::run_result result;
    boost::json::object before = {};                 ///< The state that it began with.
    weft::usage spent = {};
    int signal = 0;                                  ///< That stopped it; 0 if none did.
    std::optional<saved_thread> saved = {};            ///< Nothing if it was not kept.
};

/** What the program ends with. A signal that came too late to stop the run does not count. */
[[nodiscard]] int exit_code_of(const ended_run& run, bool requires_goal);

/** The last line of a log, of the kind `result`. */
[[nodiscard]] boost::json::object result_json(const ended_run& run);

/** The result for people: status, path, the values that changed, goal, time. Long values are cut. */
[[nodiscard]] std::string result_text(const ended_run& run, const console::screen& screen);

/** What a person can do about a failure; empty if that is not known. */
[[nodiscard]] std::string remedy_for(weft::errc code);

}  // namespace weft_cli
