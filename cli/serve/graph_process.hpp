#pragma once

#include "graph_file_watch.hpp"
#include "run/run_setup.hpp"
#include "served_files.hpp"
#include "store/store_place.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/serve/waiting_threads.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

/** What a process does with its graphs.
 *
 *  @par Thread safety   None: it belongs to its loop. */
class graph_host {
public:
    virtual ~graph_host() = default;

    /** Until a drain is done. */
    [[nodiscard]] virtual weft::task<void> run() = 0;
    virtual void drain() = 0;
    /** As `weft::server::replace_graphs`. */
    [[nodiscard]] virtual weft::task<std::vector<weft::waiting_threads>> replace_graphs(
        std::vector<weft::served_graph> graphs, std::vector<weft::served_entry> entries) = 0;
    /** The process got SIGHUP: loads what is not a graph file again, and tells what became of it. */
    virtual void reload() {}
};

/** A program that has graphs of files for as long as it lives: `weft serve`, `weft worker`. */
struct graph_process {
    /** Makes the host, once the store is open, and tells that it begins. */
    using host_function = std::function<std::unique_ptr<graph_host>(
        weft::serial_loop& loop, const weft::server_stores& stores, const served_files& files)>;

    std::string command;             ///< For what it tells.
    std::vector<std::string> graphs;  ///< Files and folders, as on the command line.
    run_args args;
    store_place place;
    bool keeps_graphs = false;  ///< Files that change meanwhile are not followed,
    bool keeps_at_hangup = false;  ///< and not at SIGHUP either.
    std::string goodbye;        ///< Told at the first signal.
    host_function make_host;
};

/** Loads the files, opens the store, and lives until SIGINT or SIGTERM and the end of the drain. A second signal ends
 *  it at once. Files are loaded again at SIGHUP, and when they change; the service manager hears how it stands.
 *  @return      What the program ends with.
 *  @par Errors  `usage_error`; those of the store and of the host. */
[[nodiscard]] int run_graph_process(graph_process what);

}  // namespace weft_cli
