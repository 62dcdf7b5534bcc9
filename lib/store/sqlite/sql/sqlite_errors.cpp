#include "sqlite_errors.hpp"

#include <weft/base/error.hpp>

#include <sqlite3.h>

#include <cerrno>
#include <system_error>

namespace weft::sqlite_detail {

namespace {

// SQLite knows one way in which a disk is full; quotas and limits on the size of files come as other errors.
bool means_no_space(int system_error) noexcept
{
    return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

int last_error_of(sqlite3_file* file) noexcept
{
    int found = 0;
    if (file && file->pMethods) file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &found);
    return found;
}

/** Why the system refused. `sqlite3_system_errno` says nothing when a commit fails: its files know. */
int system_error_of(sqlite3* db, int extended) noexcept
{
    const int kind = extended & 0xff;
    if (!db || (kind != SQLITE_IOERR && kind != SQLITE_CANTOPEN)) return 0;
    if (const int found = sqlite3_system_errno(db)) return found;
    sqlite3_file* log = nullptr;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (const int found = last_error_of(log)) return found;
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return last_error_of(file);
}

const char* remedy_of(errc code) noexcept
{
    switch (code) {
    case errc::store_full: return "; make space, raise the quota, or prune and drop threads. Reading goes on";
    case errc::store_corrupt: return "; restore a copy, or save what is readable with the command .recover of sqlite3";
    case errc::store_outcome_unknown: return "; reload the head to see whether the write counts";
    case errc::store_unavailable: return "; nothing was written";
    default: return "";
    }
}

}  // namespace

bool is_failed_sync(int extended) noexcept
{
    return extended == SQLITE_IOERR_FSYNC || extended == SQLITE_IOERR_DIR_FSYNC;
}

errc meaning_of(int extended, int system_error) noexcept
{
    switch (extended & 0xff) {
    case SQLITE_FULL: return errc::store_full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return errc::store_corrupt;
    case SQLITE_IOERR:
        if (means_no_space(system_error)) return errc::store_full;
        return is_failed_sync(extended) ? errc::store_outcome_unknown : errc::store_unavailable;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN: return errc::store_unavailable;
    default: return errc::store_refused;
    }
}

void throw_sqlite_error(sqlite3* db, int extended, const std::string& file)
{
    const int system_error = system_error_of(db, extended);
    const errc code = meaning_of(extended, system_error);
    std::string text = db ? sqlite3_errmsg(db) : sqlite3_errstr(extended);
    text += " (SQLite code " + std::to_string(extended) + ")";
    if (system_error != 0) text += ": " + std::generic_category().message(system_error);
    throw error{code, file, text + remedy_of(code)};
}

}  // namespace weft::sqlite_detail
