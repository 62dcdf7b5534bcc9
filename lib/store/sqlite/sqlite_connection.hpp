#pragma once

#include "store/sqlite/sql/sql_text.hpp"

#include <weft/base/system/ids.hpp>
#include <weft/store/record/content_hash.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace weft::sqlite_detail {

/** What a connection is for. */
enum class connection_use { write, read };

/** A connection to a file, with the statements that it has prepared.
 *
 *  Every failing call throws the `weft::error` that its result code means, with the file as its place.
 *
 *  @par Thread safety   None: it belongs to one OS thread at a time.
 */
class connection {
public:
    connection(std::string file, connection_use use);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /** Runs a statement without parameters and without rows. */
    void run(sql_text statement);
    /** Runs several statements once, such as those of a migration. */
    void run_script(sql_text statements);
    /** `PRAGMA name = value`, which takes no parameters. */
    void set_pragma(sql_text name, std::int64_t value);
    [[nodiscard]] std::int64_t pragma(sql_text statement);

    /** A statement that is kept for the next time. */
    [[nodiscard]] sqlite3_stmt* prepared(sql_text statement);

    [[nodiscard]] bool is_in_transaction() const noexcept;
    /** Ends the transaction, if one is open, as if it had never been. */
    void roll_back() noexcept;
    /** A transaction begins that so many calls share, as far as is known. */
    void share_among(std::size_t calls) noexcept
    {
        calls_ = calls;
        next_blob_.reset();
    }
    [[nodiscard]] std::size_t calls_at_once() const noexcept { return calls_; }
    /** The number of the next blob behind all others, once a call of this transaction has looked for it. */
    [[nodiscard]] std::optional<std::int64_t>& next_blob() noexcept { return next_blob_; }

    /** How many rows the last statement wrote or deleted. */
    [[nodiscard]] std::int64_t changes() const noexcept;
    /** Whether a sync has failed: what the disk holds since then is unknown. */
    [[nodiscard]] bool has_lost_a_sync() const noexcept { return has_lost_a_sync_; }
    /** After a failed sync: leaves the log as it is, so that the next start can read it. */
    void keep_log_at_close() noexcept;

    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    [[nodiscard]] sqlite3* handle() const noexcept { return db_; }

    /** Remembers a failed sync. */
    void note(int extended) noexcept;
    [[noreturn]] void fail(int extended);
    void check(int extended)
    {
        if (extended != 0) fail(extended);
    }

private:
    void set_up(connection_use use);

    std::string file_;
    sqlite3* db_ = nullptr;
    std::unordered_map<const char*, sqlite3_stmt*> statements_;
    bool has_lost_a_sync_ = false;
    std::size_t calls_ = 1;
    std::optional<std::int64_t> next_blob_;
};

/** Bytes that are no text for people. */
struct raw {
    explicit raw(std::string_view bytes) noexcept : bytes{bytes} {}
    explicit raw(const unique_id& id) noexcept : bytes{reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}
    {
    }
    template <class Tag>
    explicit raw(const typed_id<Tag>& id) noexcept : raw{id.value()}
    {
    }
    explicit raw(const content_hash& hash) noexcept
        : bytes{reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()}
    {
    }
    std::string_view bytes;
};

/** One execution of a statement: parameters, then rows.
 *
 *  @par Lifetimes   Texts are not copied: what is bound outlives the query. At most one query of a statement at a time.
 */
class query {
public:
    template <class... Values>
    query(connection& db, sql_text statement, const Values&... values)
        : db_{db}, statement_{db.prepared(statement)}
    {
        (bind(values), ...);
    }
    ~query();
    query(const query&) = delete;
    query& operator=(const query&) = delete;

    /** Goes to the next row. @return False if there is none. */
    bool next();
    /** Runs a statement that gives no rows. @return How many rows it wrote or deleted. */
    std::int64_t run();

    [[nodiscard]] std::int64_t integer(int column) const noexcept;
    [[nodiscard]] bool is_null(int column) const noexcept;
    /** Text or bytes, valid until the next row. */
    [[nodiscard]] std::string_view view(int column) const noexcept;
    [[nodiscard]] std::string text(int column) const { return std::string{view(column)}; }
    template <class Enum>
    [[nodiscard]] Enum as(int column) const noexcept
    {
        return static_cast<Enum>(integer(column));
    }
    /** Sixteen bytes. @par Errors `store_corrupt` if there is another number of them. */
    [[nodiscard]] unique_id id(int column) const;
    [[nodiscard]] content_hash hash(int column) const;

private:
    void bind_integer(std::int64_t value);
    void bind_text(std::string_view value);
    void bind_raw(std::string_view value);
    void bind_null();

    template <class Value>
    void bind(const Value& value)
    {
        if constexpr (std::is_same_v<Value, raw>)
            bind_raw(value.bytes);
        else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>)
            bind_integer(static_cast<std::int64_t>(value));
        else
            bind_text(value);
    }
    template <class Value>
    void bind(const std::optional<Value>& value)
    {
        value ? bind(*value) : bind_null();
    }
    void copy_sixteen(int column, void* to) const;

    connection& db_;
    sqlite3_stmt* statement_;
    int bound_ = 0;
};

}  // namespace weft::sqlite_detail
