#pragma once

#include "sqlite_connection.hpp"

#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft::sqlite_detail {

/** Where a thread stands, and the number that its rows have in other tables. */
struct thread_row {
    std::int64_t no = 0;
    std::int64_t head = 0;
    std::optional<std::int64_t> active;  ///< The number of its active run.
};

[[nodiscard]] std::optional<thread_row> find_thread(connection& db, const thread_key& key);

/** The number of a thread; 0, which is none's, if it is not there. */
[[nodiscard]] std::int64_t thread_number(connection& db, const thread_key& key);

/** A thread that is there afterwards. */
[[nodiscard]] thread_row make_thread(connection& db, const thread_key& key, std::int64_t changed);

/** @return  False if the thread is there already. */
[[nodiscard]] bool create_thread(connection& db, const thread_key& key, const std::string& metadata,
                                 std::int64_t changed);
[[nodiscard]] std::optional<stored_thread> read_thread(connection& db, const thread_key& key);
/** @return  False if the thread is not there. */
[[nodiscard]] bool update_thread(connection& db, const thread_key& key, const thread_change& change);
[[nodiscard]] thread_page search_threads(connection& db, const thread_query& wanted);
[[nodiscard]] std::size_t count_threads(connection& db, const thread_query& wanted);

/** What of a fence is compared. */
enum class compares { epoch, epoch_and_head };

/** Whether a write may take place, and the thread as it is; without one the write is fenced. */
struct fence_check {
    write_state state = write_state::fenced;
    thread_row thread;
};

[[nodiscard]] fence_check check_fence(connection& db, const write_fence& fence, compares what);

/** Notes that a thread has changed. */
void touch_thread(connection& db, std::int64_t thread, std::int64_t changed);

/** A number that no claim had as its epoch before, so that the fences of a thread that was dropped and made again are
 *  refused, too. */
[[nodiscard]] std::int64_t next_epoch(connection& db);

}  // namespace weft::sqlite_detail
