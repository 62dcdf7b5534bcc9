#pragma once

#include "change_source.hpp"

#include <weft/async/task.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

/** Whether a file of this name is a graph file, by its ending. */
[[nodiscard]] bool has_graph_ending(const std::filesystem::path& file);

/** How graph files stand: which there are, and what tells that one was written anew. */
class graph_files_state {
public:
    /** Of files, and of all graph files in folders; what is not there, or cannot be looked at, is left out. */
    [[nodiscard]] static graph_files_state of(const std::vector<std::string>& words);

    friend bool operator==(const graph_files_state&, const graph_files_state&) = default;

private:
    struct file_stamp {
        std::uint64_t inode = 0;  // an editor that saves by a rename makes a new one
        std::uint64_t size = 0;
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        friend bool operator==(const file_stamp&, const file_stamp&) = default;
    };
    std::map<std::string, file_stamp> files_;
};

/** Waits until graph files have changed and nothing more happens to them: editors write a file in several steps.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Outlives its tasks. */
class graph_file_watch {
public:
    /** @param words    Files and folders, as on the command line.
     *  @param known    How they stood when they were read. */
    graph_file_watch(std::vector<std::string> words, std::unique_ptr<change_source> source, graph_files_state known)
        : words_{std::move(words)}, source_{std::move(source)}, known_{std::move(known)}
    {
    }

    /** Waits until the files are others than at the last call, and have been quiet for 200 ms.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] weft::task<void> wait();

private:
    std::vector<std::string> words_;
    std::unique_ptr<change_source> source_;
    graph_files_state known_;
};

/** A watch of the files and folders on the command line: by inotify, or by polling where that is missing. */
[[nodiscard]] graph_file_watch watch_graph_files(boost::asio::io_context& context, std::vector<std::string> words,
                                                 graph_files_state known);

}  // namespace weft_cli
