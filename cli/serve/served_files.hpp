#pragma once

#include "run/run_setup.hpp"

#include <weft/serve/server_options.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

/** A graph file that is served, and what its nodes use. */
struct served_file {
    std::filesystem::path path;
    std::string text;
    std::shared_ptr<run_surroundings> around;  ///< Lives as long as the graph and its runs.
    weft::served_graph graph;
    std::vector<weft::served_entry> entries;
};

/** All graph files that are served. */
struct served_files {
    std::vector<std::shared_ptr<const served_file>> files = {};
    bool has_mistakes = false;  ///< They were told. Files with mistakes are as they were before, or left out.

    [[nodiscard]] std::vector<weft::served_graph> graphs() const;
    [[nodiscard]] std::vector<weft::served_entry> entries() const;
    /** The file of a path; null if there is none. */
    [[nodiscard]] std::shared_ptr<const served_file> find(const std::filesystem::path& path) const;
};

/** The graph files that words of the command line name: files, and all files `.json`, `.yaml` and `.yml` in folders.
 *  @par Errors   `usage_error`: a word names neither, or a folder has none. */
[[nodiscard]] std::vector<std::filesystem::path> graph_files_in(const std::vector<std::string>& words);

/** Reads them for runs, and tells the mistakes of all of them.
 *  @param args     Of each run: tools, prices, memory; `file` is set here.
 *  @param before   What was read before: what has not changed of it is used again.
 *  @par Errors     Without files from before `usage_error`, and those of `surroundings_of`: with them, these are
 *                  mistakes of their file. */
[[nodiscard]] served_files load_served_files(const std::vector<std::filesystem::path>& files, const run_args& args,
                                             const served_files& before = served_files{});

}  // namespace weft_cli
