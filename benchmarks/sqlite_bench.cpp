#include "bench.hpp"

#ifdef WEFT_HAS_SQLITE

#include "cpu_clock.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/store/sqlite_store.hpp>

#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

constexpr int rounds = 7;
constexpr int threads = 256;
constexpr int commits_of_each = 40;
constexpr int commits = threads * commits_of_each;
constexpr int batch = 64;  // of the store, and by hand
constexpr std::size_t body_bytes = 1'024;
constexpr std::size_t blob_bytes = 4'096;

weft::unique_id id_of(std::uint64_t number)
{
    weft::unique_id id;
    for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    return id;
}

std::string name_of(int thread) { return "thread " + std::to_string(thread); }

/** A body or blob that no other one is equal to. */
std::string text_of(std::uint64_t number, std::size_t bytes)
{
    std::string text = std::to_string(number);
    text.resize(bytes, 'x');
    return text;
}

/** A file that is gone afterwards. */
class own_file {
public:
    own_file()
        : folder_{std::filesystem::temp_directory_path() / ("weft-bench-" + std::to_string(::getpid()))}
    {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    ~own_file() { std::filesystem::remove_all(folder_); }
    own_file(const own_file&) = delete;
    own_file& operator=(const own_file&) = delete;
    [[nodiscard]] std::string path() const { return (folder_ / "weft.db").string(); }

private:
    std::filesystem::path folder_;
};

using store_ptr = std::unique_ptr<weft::sqlite_store>;

weft::task<std::vector<weft::write_fence>> hold_all(weft::checkpoint_store& store)
{
    const weft::worker_id worker = co_await store.enter("benchmark", std::chrono::hours{24});
    std::vector<weft::write_fence> fences;
    for (int i = 0; i < threads; ++i) {
        weft::new_run run{weft::thread_key{name_of(i)}, weft::run_id{id_of(static_cast<std::uint64_t>(i) + 1)}};
        run.started_by(worker);
        const weft::run_admission admission = co_await store.enqueue(std::move(run));
        fences.push_back(admission.claim->fence);
    }
    co_return fences;
}

weft::task<void> commit_often(weft::checkpoint_store& store, weft::write_fence fence, int thread)
{
    for (int i = 0; i < commits_of_each; ++i) {
        const auto number = static_cast<std::uint64_t>(thread * commits_of_each + i + 1);
        weft::checkpoint_draft draft;
        draft.id = weft::checkpoint_id{id_of(number)};
        draft.body = text_of(number, body_bytes);
        weft::blob piece;
        piece.bytes = text_of(number, blob_bytes);
        piece.hash = weft::hash_of(piece.bytes, piece.links, store.key());
        draft.links.push_back(piece.hash);
        draft.blobs.push_back(std::move(piece));
        const weft::commit_result result = co_await store.commit(fence, std::move(draft));
        require(result.state == weft::write_state::ok, "a commit was refused");
        fence.head = result.head;
    }
}

weft::task<double> time_store(std::string path)
{
    const store_ptr store = co_await weft::sqlite_store::open(weft::sqlite_options{path});
    const std::vector<weft::write_fence> fences = co_await hold_all(*store);
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    const double before = wall_ms();
    for (int i = 0; i < threads; ++i)
        runs.spawn(commit_often(*store, fences[static_cast<std::size_t>(i)], i));
    co_await runs.join();
    co_return commits * 1'000.0 / (wall_ms() - before);
}

weft::task<weft::hash_key> make_tables(std::string path)
{
    const store_ptr store = co_await weft::sqlite_store::open(weft::sqlite_options{path});
    static_cast<void>(co_await hold_all(*store));
    co_return store->key();
}

/** The same rows in the same tables, 64 checkpoints in a transaction, by hand: one OS thread, prepared statements. */
class batch_writer {
public:
    batch_writer(const std::string& path, weft::hash_key key) : key_{key}
    {
        require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "the file does not open");
        run("PRAGMA synchronous = FULL; PRAGMA cache_size = -32768");
        move_head_ = prepare("UPDATE thread SET head = ?1 + 1, changed = ?2 "
                             "WHERE tenant = '' AND name = ?3 AND head = ?1 RETURNING no");
        add_checkpoint_ = prepare("INSERT INTO checkpoint (thread, sequence, id, parent, run, epoch, kind, step, node, "
                                  "graph, graph_hash, label, at, bytes, body, links) "
                                  "VALUES (?1, ?2 + 1, ?3, ?2, ?3, 1, 1, 0, '', '', '', '', 0, ?4, ?5, ?6)");
        add_blob_ = prepare("INSERT INTO blob (thread, hash, links, bytes) VALUES (?, ?, x'', ?) "
                            "ON CONFLICT DO NOTHING");
    }
    ~batch_writer()
    {
        for (sqlite3_stmt* statement : {move_head_, add_checkpoint_, add_blob_}) sqlite3_finalize(statement);
        sqlite3_close(db_);
    }
    batch_writer(const batch_writer&) = delete;
    batch_writer& operator=(const batch_writer&) = delete;

    double time()
    {
        const double before = wall_ms();
        for (int i = 0; i < commits; ++i) {
            if (i % batch == 0) run("BEGIN IMMEDIATE");
            commit(i % threads, i / threads);
            if (i % batch == batch - 1) run("COMMIT");
        }
        return commits * 1'000.0 / (wall_ms() - before);
    }

private:
    void commit(int thread, int head)
    {
        const auto number = static_cast<std::uint64_t>(thread * commits_of_each + head + 1);
        const weft::unique_id id = id_of(number);
        const std::string body = text_of(number, body_bytes);
        const std::string bytes = text_of(number, blob_bytes);
        const weft::content_hash hash = weft::hash_of(bytes, std::vector<weft::content_hash>{}, key_);
        const std::string name = name_of(thread);

        sqlite3_bind_int(move_head_, 1, head);
        sqlite3_bind_int64(move_head_, 2, 0);
        sqlite3_bind_text(move_head_, 3, name.data(), static_cast<int>(name.size()), SQLITE_STATIC);
        require(sqlite3_step(move_head_) == SQLITE_ROW, "a head by hand did not move");
        const sqlite3_int64 no = sqlite3_column_int64(move_head_, 0);
        sqlite3_step(move_head_);
        sqlite3_reset(move_head_);

        sqlite3_bind_int64(add_checkpoint_, 1, no);
        sqlite3_bind_int(add_checkpoint_, 2, head);
        bind(add_checkpoint_, 3, id.bytes);
        sqlite3_bind_int64(add_checkpoint_, 4, body_bytes + blob_bytes);
        sqlite3_bind_blob(add_checkpoint_, 5, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
        bind(add_checkpoint_, 6, hash.bytes);
        step(add_checkpoint_);

        sqlite3_bind_int64(add_blob_, 1, no);
        bind(add_blob_, 2, hash.bytes);
        sqlite3_bind_blob(add_blob_, 3, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
        step(add_blob_);
    }

    static void bind(sqlite3_stmt* statement, int place, const std::array<std::uint8_t, 16>& bytes)
    {
        sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
    }
    void step(sqlite3_stmt* statement)
    {
        require(sqlite3_step(statement) == SQLITE_DONE, "a row by hand was refused");
        sqlite3_reset(statement);
    }
    void run(const char* statements)
    {
        require(sqlite3_exec(db_, statements, nullptr, nullptr, nullptr) == SQLITE_OK, "a statement by hand failed");
    }
    sqlite3_stmt* prepare(const char* text)
    {
        sqlite3_stmt* statement = nullptr;
        require(sqlite3_prepare_v2(db_, text, -1, &statement, nullptr) == SQLITE_OK, "a statement by hand is wrong");
        return statement;
    }

    weft::hash_key key_;
    sqlite3* db_ = nullptr;
    sqlite3_stmt* move_head_ = nullptr;
    sqlite3_stmt* add_checkpoint_ = nullptr;
    sqlite3_stmt* add_blob_ = nullptr;
};

double weft_commits()
{
    const own_file file;
    return weft::run_blocking(time_store(file.path()));
}

double commits_by_hand()
{
    const own_file file;
    const weft::hash_key key = weft::run_blocking(make_tables(file.path()));
    return batch_writer{file.path(), key}.time();
}

}  // namespace

benchmarks sqlite_benchmarks()
{
    return {{"sqlite_commits", "commits per s", "checkpoints of 1 KB with a blob of 4 KB, of 256 runs side by side",
             "ratio >= 0.8", [] { return take_turns(rounds, &weft_commits, &commits_by_hand); }}};
}

}  // namespace weft_bench

#else

weft_bench::benchmarks weft_bench::sqlite_benchmarks() { return {}; }

#endif
