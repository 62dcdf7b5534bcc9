#pragma once

#include "saved_run.hpp"
#include "run/run_setup.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace weft_cli {

/** The graph that a thread stands in. */
struct thread_graph {
    std::string name = {};
    boost::json::object shape = {};  ///< As `graph_shape`; empty if the thread has no checkpoint yet.
};

/** Looks it up. Nothing for a thread that the store does not have yet, or a file that is not there.
 *  @par Errors   Those of opening a store to look at it. */
[[nodiscard]] std::optional<thread_graph> graph_of_thread(const store_place& place, const weft::thread_key& thread);

/** The file of a thread's graph: the one that is named, else that of the graph's name in the current folder. Empty for
 *  a thread that there is not.
 *  @par Errors   `usage_error`: there is no such file. As `graph_of_thread`. */
[[nodiscard]] std::string graph_file_of(const std::string& named, const store_place& place,
                                        const weft::thread_key& thread);

/** What of an order follows from the arguments and the graph.
 *  @par Errors   `usage_error`. */
[[nodiscard]] saved_run_order make_order(const run_args& args, const run_surroundings& around,
                                        const weft::loaded_graph& loaded, saved_run_order order);

/** Keeps a run, shows it meanwhile and tells what became of it, and what to do next.
 *  @return   What the program ends with. */
[[nodiscard]] int run_and_keep(const run_args& args, const run_surroundings& around, const saved_run_order& order);

/** Tells on standard error why a run failed and what can be done. */
void tell_failure(const std::string& command, const ended_run& run, bool requires_goal);

}  // namespace weft_cli
