#ifdef WEFT_HAS_SQLITE

#include "batch_writers.hpp"
#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <sqlite3.h>

#include <array>
#include <string_view>

namespace weft_bench {

namespace {

std::string_view bytes_view(const std::array<std::uint8_t, 16>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string joined_views(const std::vector<weft::content_hash>& hashes)
{
    std::string all;
    for (const weft::content_hash& each : hashes) all += bytes_view(each.bytes);
    return all;
}

void bind_bytes(sqlite3_stmt* statement, int place, std::string_view bytes)
{
    sqlite3_bind_blob(statement, place, bytes.data() ? bytes.data() : "", static_cast<int>(bytes.size()),
                      SQLITE_STATIC);
}

void bind_text(sqlite3_stmt* statement, int place, std::string_view text)
{
    sqlite3_bind_text(statement, place, text.data() ? text.data() : "", static_cast<int>(text.size()), SQLITE_STATIC);
}

void step_sqlite(sqlite3_stmt* statement)
{
    require(sqlite3_step(statement) == SQLITE_DONE, "a row by hand was refused");
    sqlite3_reset(statement);
}

std::size_t sqlite_bytes_of(const weft::checkpoint_draft& draft)
{
    std::size_t sum = draft.body.size();
    for (const weft::blob& each : draft.blobs) sum += each.bytes.size();
    return sum;
}

}  // namespace

sqlite_batch_writer::sqlite_batch_writer(const std::string& path)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    require(sqlite3_open_v2(path.c_str(), &db_, flags, nullptr) == SQLITE_OK, "the file does not open");
    run("PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY");
    move_head_ = prepare("UPDATE thread SET head = head + 1, changed = ?1 WHERE tenant = '' AND name = ?2 "
                         "RETURNING no, head");
    add_checkpoint_ = prepare("INSERT INTO checkpoint (thread, sequence, id, parent, run, epoch, kind, step, node, "
                              "graph, graph_hash, label, at, bytes, body, links) "
                              "VALUES (?1, ?2, ?3, ?2 - 1, ?3, 1, ?4, ?5, ?6, ?7, ?8, '', 0, ?9, ?10, ?11)");
    add_blob_ = prepare("INSERT INTO blob (thread, hash, links, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
}

sqlite_batch_writer::~sqlite_batch_writer()
{
    for (sqlite3_stmt* statement : {move_head_, add_checkpoint_, add_blob_}) sqlite3_finalize(statement);
    sqlite3_close(db_);
}

void sqlite_batch_writer::make_threads(const std::vector<std::string>& names)
{
    sqlite3_stmt* add = prepare("INSERT INTO thread (tenant, name, changed) VALUES ('', ?, 0)");
    run("BEGIN IMMEDIATE");
    for (const std::string& name : names) {
        bind_text(add, 1, name);
        step_sqlite(add);
    }
    run("COMMIT");
    sqlite3_finalize(add);
}

commit_cost sqlite_batch_writer::write(const noted_commits& commits, std::size_t batch)
{
    const commit_clock clock;
    for (std::size_t i = 0; i < commits.size(); ++i) {
        if (i % batch == 0) run("BEGIN IMMEDIATE");
        write_one(commits[i]);
        if (i % batch == batch - 1 || i + 1 == commits.size()) run("COMMIT");
    }
    return clock.cost_of(commits.size());
}

void sqlite_batch_writer::write_one(const noting_store::noted_commit& one)
{
    const weft::checkpoint_draft& draft = one.draft;
    sqlite3_bind_int64(move_head_, 1, 0);
    bind_text(move_head_, 2, one.thread.thread);
    require(sqlite3_step(move_head_) == SQLITE_ROW, "a head by hand did not move");
    const sqlite3_int64 no = sqlite3_column_int64(move_head_, 0);
    const sqlite3_int64 head = sqlite3_column_int64(move_head_, 1);
    sqlite3_step(move_head_);
    sqlite3_reset(move_head_);

    const std::string links = joined_views(draft.links);
    sqlite3_bind_int64(add_checkpoint_, 1, no);
    sqlite3_bind_int64(add_checkpoint_, 2, head);
    bind_bytes(add_checkpoint_, 3, bytes_view(draft.id.value().bytes));
    sqlite3_bind_int(add_checkpoint_, 4, static_cast<int>(draft.kind));
    sqlite3_bind_int64(add_checkpoint_, 5, static_cast<sqlite3_int64>(draft.step));
    bind_text(add_checkpoint_, 6, draft.node);
    bind_text(add_checkpoint_, 7, draft.graph);
    bind_text(add_checkpoint_, 8, draft.graph_hash);
    sqlite3_bind_int64(add_checkpoint_, 9, static_cast<sqlite3_int64>(sqlite_bytes_of(draft)));
    bind_bytes(add_checkpoint_, 10, draft.body);
    bind_bytes(add_checkpoint_, 11, links);
    step_sqlite(add_checkpoint_);

    for (const weft::blob& each : draft.blobs) {
        const std::string links_of_blob = joined_views(each.links);
        sqlite3_bind_int64(add_blob_, 1, no);
        bind_bytes(add_blob_, 2, bytes_view(each.hash.bytes));
        bind_bytes(add_blob_, 3, links_of_blob);
        bind_bytes(add_blob_, 4, each.bytes);
        step_sqlite(add_blob_);
    }
}

void sqlite_batch_writer::run(const char* statements)
{
    require(sqlite3_exec(db_, statements, nullptr, nullptr, nullptr) == SQLITE_OK, "a statement by hand failed");
}

sqlite3_stmt* sqlite_batch_writer::prepare(const char* text)
{
    sqlite3_stmt* statement = nullptr;
    require(sqlite3_prepare_v2(db_, text, -1, &statement, nullptr) == SQLITE_OK, "a statement by hand is wrong");
    return statement;
}

}  // namespace weft_bench

#endif
