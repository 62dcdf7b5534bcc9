#include "sqlite_connection.hpp"

#include "store/sqlite/sql/sqlite_errors.hpp"
#include "store/sqlite/sql/sqlite_functions.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>
#include <sqlite3.h>

#include <cstring>
#include <utility>

namespace weft::sqlite_detail {

namespace {

// How long a lock of another program, such as the shell of SQLite, is waited for.
constexpr int busy_ms_max = 5'000;

int flags_of(connection_use use) noexcept
{
    const int access = use == connection_use::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    return access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
}

}  // namespace

connection::connection(std::string file, connection_use use) : file_{std::move(file)}
{
    const int code = sqlite3_open_v2(file_.c_str(), &db_, flags_of(use), nullptr);
    try {
        check(code);
        set_up(use);
    } catch (...) {
        for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
        sqlite3_close_v2(db_);
        throw;
    }
}

connection::~connection()
{
    for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close_v2(db_);
}

void connection::set_up(connection_use use)
{
    check(sqlite3_busy_timeout(db_, busy_ms_max));
    check(add_functions(db_));
    sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    run_script("PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;");
    // Copying the log is the writer's business, after its answers: two connections at it can corrupt a file in
    // versions before 3.51.3.
    if (use == connection_use::read) run_script("PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0;");
    if (use == connection_use::write && sqlite3_db_readonly(db_, "main") == 1)
        throw error{errc::store_refused, file_, "the file may only be read: give this process the right to write it"};
}

void connection::note(int extended) noexcept
{
    if (is_failed_sync(extended)) has_lost_a_sync_ = true;
}

void connection::fail(int extended)
{
    note(extended);
    throw_sqlite_error(db_, extended, file_);
}

sqlite3_stmt* connection::prepared(sql_text statement)
{
    sqlite3_stmt*& kept = statements_[statement.c_str()];
    if (!kept) check(sqlite3_prepare_v3(db_, statement.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &kept, nullptr));
    BOOST_ASSERT_MSG(!sqlite3_stmt_busy(kept), "a statement is used by one query at a time");
    return kept;
}

void connection::run(sql_text statement) { query{*this, statement}.run(); }

void connection::run_script(sql_text statements)
{
    check(sqlite3_exec(db_, statements.c_str(), nullptr, nullptr, nullptr));
}

void connection::set_pragma(sql_text name, std::int64_t value)
{
    const std::string statement = std::string{"PRAGMA "} + name.c_str() + " = " + std::to_string(value);
    check(sqlite3_exec(db_, statement.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t connection::pragma(sql_text statement)
{
    query asked{*this, statement};
    return asked.next() ? asked.integer(0) : 0;
}

bool connection::is_in_transaction() const noexcept { return sqlite3_get_autocommit(db_) == 0; }

void connection::roll_back() noexcept
{
    if (is_in_transaction()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

std::int64_t connection::changes() const noexcept { return sqlite3_changes64(db_); }

void connection::keep_log_at_close() noexcept { sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

query::~query()
{
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

bool query::next()
{
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) db_.fail(code);
    return false;
}

std::int64_t query::run()
{
    while (next()) {
    }
    return db_.changes();
}

void query::bind_integer(std::int64_t value) { db_.check(sqlite3_bind_int64(statement_, ++bound_, value)); }

void query::bind_text(std::string_view value)
{
    // A null pointer would bind NULL.
    const char* start = value.data() ? value.data() : "";
    db_.check(sqlite3_bind_text64(statement_, ++bound_, start, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void query::bind_raw(std::string_view value)
{
    const char* start = value.data() ? value.data() : "";
    db_.check(sqlite3_bind_blob64(statement_, ++bound_, start, value.size(), SQLITE_STATIC));
}

void query::bind_null() { db_.check(sqlite3_bind_null(statement_, ++bound_)); }

std::int64_t query::integer(int column) const noexcept { return sqlite3_column_int64(statement_, column); }

bool query::is_null(int column) const noexcept { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::string_view query::view(int column) const noexcept
{
    const auto* start = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return start ? std::string_view{start, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))}
                 : std::string_view{};
}

void query::copy_sixteen(int column, void* to) const
{
    const std::string_view bytes = view(column);
    if (bytes.size() != 16)
        throw error{errc::store_corrupt, db_.file(),
                    "an id or hash has " + std::to_string(bytes.size()) + " bytes instead of 16"};
    std::memcpy(to, bytes.data(), bytes.size());
}

unique_id query::id(int column) const
{
    unique_id found;
    copy_sixteen(column, found.bytes.data());
    return found;
}

content_hash query::hash(int column) const
{
    content_hash found;
    copy_sixteen(column, found.bytes.data());
    return found;
}

}  // namespace weft::sqlite_detail
