#pragma once

#include "terminal/console.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft_cli {

/** Whether a thread can go on with the newer graph. */
struct thread_verdict {
    std::string thread;
    std::string status;                 ///< How it stands: `waiting: asks 2 questions`.
    std::vector<std::string> reasons;   ///< Why it cannot; empty: it can.
};

/** What becomes of a change of a graph. */
struct compat_report {
    std::vector<weft::graph_change> changes = {};
    std::string store = {};                    ///< The store that was looked at, for people; empty: none was.
    std::vector<thread_verdict> threads = {};  ///< Those that stand in the older graph.
    std::size_t already_new = 0;               ///< Threads that stand in the newer graph.
    std::size_t elsewhere = 0;                 ///< Those of the same name that stand in neither.

    [[nodiscard]] std::size_t refused_count() const;
    /** @return   What the program ends with. */
    [[nodiscard]] int exit_code() const;
};

[[nodiscard]] std::string compat_text(const compat_report& report, const console::screen& screen);

/** For programs: `{"changes": [{"kind", "name", "text"}], "store", "threads": [{"thread", "status", "can_go_on",
 *  "reasons"}], "already_new", "elsewhere"}`; what concerns threads is left out if no store was looked at. */
[[nodiscard]] boost::json::object to_json(const compat_report& report);

}  // namespace weft_cli
