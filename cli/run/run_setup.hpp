#pragma once

#include "graph/graph_file.hpp"
#include "run_registry.hpp"
#include "store/store_place.hpp"

#include <weft/engine/run_options.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/model/decorator/rate_limiter.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

/** Options that say how long runs that are over stay; empty: for ever. */
struct retention_args {
    std::string keep_runs = {};
    std::string keep_events = {};
};

/** What the command line says of a run, whether it begins or goes on. */
struct run_args {
    std::string file = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> stubs = {};
    std::vector<std::string> answers = {};
    std::vector<std::string> allowed = {};
    std::string mcp_tokens = {};
    std::string log = {};
    std::string timeout = {};
    std::string prices = {};
    std::string memory = {};
    std::string otlp = {};
    std::string run_log = {};  ///< Of a process that has graph files.
    bool records_requests = false;  ///< Of such a process.
    std::optional<std::uint32_t> steps_max = {};
    bool is_json = false;
    bool is_quiet = false;
    bool requires_goal = false;

    // Of runs that are kept.
    store_args store = {};
    std::string thread = {};
    std::string durability = "every_step";
    std::string migration = {};
    std::size_t keep_last = 20;
    retention_args retention = {};  ///< Of a process that has graph files.

    weft::model_rate_limits model_limits = {};  ///< Of a process that has graph files.

    std::string command = "serve";  // of a process that has graph files, for what it tells
    std::shared_ptr<weft::live_surroundings> live = {};  // of a server
    std::optional<weft::rate_limiter> limiter = {};      // by the limits; nothing: there are none
};

/** Gives a command what nodes of a graph may use, and what stands for those of a program. `args` outlives it. */
void add_node_options(CLI::App& command, run_args& args);
/** Gives a command what all that run a graph take, but for file, thread and answers. `args` outlives it. */
void add_run_options(CLI::App& command, run_args& args);
/** The same for runs that are kept. */
void add_keeping_options(CLI::App& command, run_args& args);

/** Who answers in a run, as the arguments and the environment say. Starts the MCP servers of the file that are allowed,
 *  and blocks until they are there.
 *  @param file   The graph file of the arguments.
 *  @param said   What a person says, by node.
 *  @par Errors   `usage_error`; those of `model_of` and of `mcp_servers`. */
[[nodiscard]] run_surroundings surroundings_of(const run_args& args, const file_text& file,
                                               std::map<std::string, std::string> said);

/** The file as a graph that runs. Nothing after mistakes, which were told.
 *  @param questions_are_kept   Whether nodes that ask a person ask by questions of the run.
 *  @par Errors   `usage_error`: functions are missing. */
[[nodiscard]] std::optional<weft::loaded_graph> load_for_run(std::string_view command, const run_args& args,
                                                             file_text file, const run_surroundings& around,
                                                             bool questions_are_kept);

/** @par Errors   `usage_error`. */
[[nodiscard]] weft::run_options options_of(const run_args& args, const weft::graph_spec& spec,
                                           const run_surroundings& around);

/** What is said by --answer, by node. @par Errors  `usage_error`. */
[[nodiscard]] std::map<std::string, std::string> said_by_node(const std::vector<std::string>& args);

/** An answer to a question that no node asks is a slip. @par Errors  `usage_error`. */
void check_answers(const std::map<std::string, std::string>& said, const weft::loaded_graph& loaded);

/** Of what is said by --answer that which names a node of the graph. */
[[nodiscard]] std::map<std::string, std::string> said_to_nodes(const std::vector<std::string>& args,
                                                               const weft::loaded_graph& loaded);

/** The state that a run begins with. @par Errors  `usage_error`. */
[[nodiscard]] boost::json::object first_state(const weft::graph& graph, const boost::json::object& inputs);

}  // namespace weft_cli
