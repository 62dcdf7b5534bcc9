#pragma once

#include <weft/tool/tool_set.hpp>

#include <cstddef>
#include <string>

namespace boost::asio {
class thread_pool;
}

namespace weft {

/** What the file tools may do. */
struct file_tools_options {
    bool allows_writing = false;
    std::size_t read_bytes_max = 256 * 1024;    ///< Given back at a time; longer files are read in pieces.
    std::size_t write_bytes_max = 1024 * 1024;  ///< Of a file that is written.
    std::size_t entries_max = 1'000;            ///< Of a directory that are listed.
    boost::asio::thread_pool* pool = nullptr;   ///< Where files are touched; null: on the loop. Outlives the calls.
};

/** Adds `read_file`, `list_files` and, if allowed, `write_file`, which see the files below `root` and nothing else.
 *
 *  Paths are relative, without `..`; they are walked step by step from the open root, and a symbolic link on the way,
 *  or at its end, is refused, wherever it leads to. Only regular files are opened. Writing replaces the whole file at
 *  once or not at all, and keeps its mode; directories on the way are made.
 *
 *  Hard links, and directories that are mounted below the root, are not told apart from what is there.
 *
 *  @par Errors   `errc::invalid_configuration` if the root is no directory. */
void add_file_tools(tool_set& tools, const std::string& root, file_tools_options options = {});

}  // namespace weft
