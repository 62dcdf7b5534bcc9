#pragma once

#include "graph_file_watch.hpp"
#include "graph_process.hpp"
#include "served_files.hpp"
#include "store/store_place.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/store/item_store.hpp>

#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

/** Loads graph files again while a process has their graphs. Files are read on an OS thread of its own, since their
 *  tools may have to be started. A file with mistakes stays as it was before; the terminal lists them.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Outlives its tasks. */
class graph_reloader {
public:
    /** @param words   Files and folders, as on the command line. @param now  What was read of them. */
    graph_reloader(std::vector<std::string> words, run_args args, served_files now)
        : words_{std::move(words)}, args_{std::move(args)}, now_{std::move(now)}
    {
    }

    [[nodiscard]] const served_files& files() const noexcept { return now_; }

    /** Opens the memory of the files. @param items  Of the store that keeps threads. */
    [[nodiscard]] weft::task<void> open(std::shared_ptr<weft::item_store> items, store_place place);
    /** The host has ended. */
    void close();

    /** Loads all files again, and prints what became of them, errors included.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] weft::task<void> reload(graph_host& host);
    /** Does so each time that files have changed, until it is stopped. */
    [[nodiscard]] weft::task<void> follow(graph_host& host, graph_file_watch watch);

private:
    [[nodiscard]] weft::task<served_files> load();
    [[nodiscard]] weft::task<void> open_memory(served_files of);
    [[nodiscard]] weft::task<void> exchange(graph_host& host);
    void tell(const std::string& line) const;
    void tell_changes(const served_files& next) const;

    std::vector<std::string> words_;
    run_args args_;
    served_files now_;
    std::shared_ptr<weft::item_store> items_;
    store_place place_;
    std::vector<std::weak_ptr<run_surroundings>> opened_;
    weft::slot_limiter one_at_a_time_{1};
    boost::asio::thread_pool pool_{1};
};

}  // namespace weft_cli
