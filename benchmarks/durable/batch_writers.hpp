#pragma once

#include "durable_load.hpp"
#include "harness/cpu_clock.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;
struct pg_conn;

namespace weft_bench {

using noted_commits = std::vector<noting_store::noted_commit>;

/** Writes checkpoints by hand into the tables of a SQLite store: the same rows in the same file, with prepared
 *  statements, so many checkpoints in a transaction, and nothing around it. */
class sqlite_batch_writer {
public:
    /** @param path   A file that a store has made and nobody has open. */
    explicit sqlite_batch_writer(const std::string& path);
    ~sqlite_batch_writer();
    sqlite_batch_writer(const sqlite_batch_writer&) = delete;
    sqlite_batch_writer& operator=(const sqlite_batch_writer&) = delete;

    void make_threads(const std::vector<std::string>& names);
    [[nodiscard]] commit_cost write(const noted_commits& commits, std::size_t batch);

private:
    void write_one(const noting_store::noted_commit& one);
    void run(const char* statements);
    [[nodiscard]] sqlite3_stmt* prepare(const char* text);

    sqlite3* db_ = nullptr;
    sqlite3_stmt* move_head_ = nullptr;
    sqlite3_stmt* add_checkpoint_ = nullptr;
    sqlite3_stmt* add_blob_ = nullptr;
};

/** The same in the tables of a PostgreSQL store, as somebody does it who knows libpq: one prepared statement for a
 *  checkpoint with its blobs and its fence, in pipeline mode, one synchronisation point for a batch. */
class postgres_batch_writer {
public:
    postgres_batch_writer(const std::string& connection, const std::string& schema);
    ~postgres_batch_writer();
    postgres_batch_writer(const postgres_batch_writer&) = delete;
    postgres_batch_writer& operator=(const postgres_batch_writer&) = delete;

    void make_threads(const std::vector<std::string>& names);
    [[nodiscard]] commit_cost write(const noted_commits& commits, std::size_t batch);

private:
    void prepare_for(std::size_t blobs);
    void send(const std::string& statement, const std::vector<std::string>& values, const std::vector<int>& formats);
    void send_one(const noting_store::noted_commit& one);
    void finish(std::size_t statements, bool gives_row);

    pg_conn* connection_ = nullptr;
    std::size_t prepared_ = 0;  // for so many blobs and fewer
};

}  // namespace weft_bench
