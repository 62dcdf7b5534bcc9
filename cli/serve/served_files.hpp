#pragma once

#include "run/run_setup.hpp"

#include <weft/serve/server_options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace weft_cli {

/** Graph files that are served, and what their nodes use. */
struct served_files {
    std::vector<weft::served_graph> graphs = {};
    std::vector<weft::served_entry> entries = {};
    std::vector<run_surroundings> around = {};  ///< Of each file; they outlive the runs.
};

/** The graph files that words of the command line name: files, and all files `.json`, `.yaml` and `.yml` in folders.
 *  @par Errors   `usage_error`: a word names neither, or a folder has none. */
[[nodiscard]] std::vector<std::filesystem::path> graph_files_in(const std::vector<std::string>& words);

/** Reads them for runs; nothing after mistakes, which were told, of all files.
 *  @param args   Of each run: tools, prices, memory; `file` is set here.
 *  @par Errors   `usage_error`; those of `surroundings_of`. */
[[nodiscard]] std::optional<served_files> load_served_files(const std::vector<std::filesystem::path>& files,
                                                            const run_args& args);

}  // namespace weft_cli
