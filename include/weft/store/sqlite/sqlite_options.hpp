#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace weft {

/** What a commit to a SQLite file survives. A crash of the process it survives in any case. */
enum class sqlite_sync : std::uint8_t {
    full,    ///< Also a crash of the machine and the loss of power.
    normal,  ///< These may take back the last commits, though never a part of one. Faster on slow disks.
};

/** What a store may do with its file. */
enum class sqlite_access : std::uint8_t {
    read_write,  ///< Everything; one store at a time, on the whole machine.
    read_only,   ///< Look at it, also while another process writes. Every write is refused.
};

/** How a file is looked at when it is opened. */
enum class sqlite_check : std::uint8_t {
    header,  ///< That it is a database of weft.
    whole,   ///< Every page, which takes about a second per gigabyte.
};

/** Where a SQLite store keeps its data, and how.
 *
 *      sqlite_options options{"runs.db"};
 *      options.sync = sqlite_sync::normal;
 */
struct sqlite_options {
    /** @param file  Its path; made if it is not there, for this user only. Beside it come `<file>-wal`,
     *               `<file>-shm` and `<file>.lock`. */
    explicit sqlite_options(std::string file) : file{std::move(file)} {}

    std::string file;
    sqlite_sync sync = sqlite_sync::full;
    sqlite_access access = sqlite_access::read_write;
    sqlite_check check = sqlite_check::header;
    /** How large the file may become, without its log; 0: as the disk allows. Rounded down to pages. What is there
     *  already may be larger. Pruning and dropping go on when it is used up, which they may not on a full disk. */
    std::uint64_t quota_bytes = 0;
    std::size_t readers = 2;  ///< OS threads with a connection for reading; at least one.
    std::chrono::milliseconds answer_max = std::chrono::seconds{30};  ///< The longest that a call waits.
    std::size_t waiting_max = 100'000;  ///< Calls that wait at a time, for writing and for reading; more are refused.
    bool allows_network_files = false;  ///< Locks of network file systems fail in ways that destroy databases.
};

}  // namespace weft
