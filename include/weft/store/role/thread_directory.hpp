#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace weft {

/** Makes, describes and lists threads.
 *
 *  A thread also comes into being with its first run. Metadata and values go with the thread (`drop`).
 *
 *  @par Errors          As `run_directory`; `errc::limit_reached` for metadata or values that are too long
 *                       (`document_limits`).
 *  @par Cancellation    As `checkpoint_store`.
 *  @par Thread safety   From any OS thread that has a loop.
 */
class thread_directory {
public:
    virtual ~thread_directory() = default;

    /** Makes a thread without history. @return False if it is there already; then nothing is changed. */
    [[nodiscard]] virtual task<bool> create(thread_key thread, std::string metadata) = 0;
    /** Makes `to` a copy of `from`: metadata, values, and its newest checkpoint, if there is one, as `fork` copies it.
     *  Runs, questions and older checkpoints stay behind.
     *  @param to   Of the same tenant. It may be there already, without history; then it is overwritten.
     *  @param id   Of the copy's checkpoint.
     *  @return False, and nothing is changed, if `from` is not there, `to` has a history, or `id` is in use.
     *  @par Errors  `errc::store_refused` if the tenants differ. */
    [[nodiscard]] virtual task<bool> copy(thread_key from, thread_key to, checkpoint_id id) = 0;
    /** A thread; nothing if it is not there. */
    [[nodiscard]] virtual task<std::optional<stored_thread>> find(thread_key thread) = 0;
    /** Changes what is noted about a thread. @return False if it is not there. */
    [[nodiscard]] virtual task<bool> update(thread_key thread, thread_change change) = 0;
    /** Threads, page by page. */
    [[nodiscard]] virtual task<thread_page> search(thread_query query) = 0;
    /** How many threads a query finds on all its pages. */
    [[nodiscard]] virtual task<std::size_t> count(thread_query query) = 0;
};

}  // namespace weft
