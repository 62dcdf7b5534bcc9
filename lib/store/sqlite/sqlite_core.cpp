#include "sqlite_core.hpp"

#include "sqlite_schema.hpp"
#include "sqlite_workers.hpp"

#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>

#include <sqlite3.h>

#include <algorithm>

namespace weft::sqlite_detail {

namespace {

// What one transaction takes: more would make those wait who came first.
constexpr batch_limits write_batch{64, std::size_t{1} << 20};
constexpr std::chrono::milliseconds gather_max{2};
// Who gathers is woken when this part of the calls that are missing has come: the writer works on them while the others
// come, and is not woken for each.
constexpr std::size_t parts_gathered = 4;

// The log is copied into the file when it has this many pages (4 MB), and readers are waited for at 64 MB.
constexpr int log_pages_usual = 1'000;
constexpr int log_pages_max = 16'000;

sqlite_options checked(sqlite_options options)
{
    if (options.readers == 0 || options.waiting_max == 0 || options.answer_max.count() <= 0)
        throw error{errc::invalid_configuration, "sqlite_options",
                    "readers, waiting_max and answer_max have to be at least 1"};
    options.file = canonical_name(options.file);
    return options;
}

int note_log_pages(void* pages, sqlite3*, const char*, int count)
{
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
}

void use_log(connection& db, const sqlite_options& options)
{
    query mode{db, "PRAGMA journal_mode = WAL"};
    if (!mode.next() || mode.view(0) != "wal")
        throw error{errc::store_refused, options.file,
                    "SQLite cannot keep a write-ahead log here: put the file on a local disk"};
}

void set_quota(connection& db, const sqlite_options& options)
{
    if (options.quota_bytes == 0) return;
    const auto page = static_cast<std::uint64_t>(db.pragma("PRAGMA page_size"));
    const std::uint64_t pages = std::clamp<std::uint64_t>(options.quota_bytes / page, 1, 4'294'967'294);
    db.set_pragma("max_page_count", static_cast<std::int64_t>(pages));
}

}  // namespace

/** How the opening went; shared by the coroutine that waits for it and the OS thread that does it. */
struct core::opening : ref_counted<opening> {
    explicit opening(clock::system_time_point now) : now{now} {}
    clock::system_time_point now;
    std::exception_ptr error;
    intrusive_ptr<remote_signal> done = make_counted<remote_signal>();
};

core::core(sqlite_options options)
    : options_{checked(std::move(options))},
      write_rules_{options_.answer_max, errc::store_outcome_unknown, options_.file},
      read_rules_{options_.answer_max, errc::store_unavailable, options_.file}, writes_{options_.waiting_max},
      reads_{options_.waiting_max}, gathering_{write_batch.calls, gather_max}
{
}

core::~core()
{
    reads_.close();
    writes_.close();
    if (writer_thread_.joinable()) writer_thread_.join();
    for (std::thread& reader : readers_) reader.join();
    writer_.reset();  // the last connection copies the log into the file
}

task<void> core::open()
{
    moment_of_call now;
    const moment made = co_await now;
    const intrusive_ptr<opening> how = make_counted<opening>(made.today);
    serial_loop& loop = co_await this_task::loop();
    const outside_work work{loop};
    writer_thread_ = std::thread{[this, how] { serve_writes(how); }};
    co_await how->done->wait();
    if (how->error) std::rethrow_exception(how->error);
    for (std::size_t i = 0; i < options_.readers; ++i) readers_.emplace_back([this] { serve_reads(); });
}

void core::open_for_writing(clock::system_time_point now)
{
    if (!options_.allows_network_files) refuse_network_file(options_.file);
    lock_.emplace(options_.file);
    make_private_file(options_.file);
    connection& db = writer_.emplace(options_.file, connection_use::write);
    check_schema(db);
    use_log(db, options_);
    db.run_script("PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864;");
    if (options_.sync == sqlite_sync::normal) db.run_script("PRAGMA synchronous = NORMAL;");
    set_quota(db, options_);
    sqlite3_wal_hook(db.handle(), &note_log_pages, &log_pages_);
    if (options_.check == sqlite_check::whole) check_pages(db);
    migrate(db, now);
    db.run("BEGIN IMMEDIATE");
    give_up_all_workers(db, now);
    db.run("COMMIT");
    key_ = read_hash_key(db);
    for (const char* const part : {"", "-wal", ".lock"}) files_.emplace_back(options_.file + part);
}

void core::open_file(clock::system_time_point now)
{
    if (options_.access == sqlite_access::read_write) return open_for_writing(now);
    connection db{options_.file, connection_use::read};
    if (check_schema(db) < schema_version())
        throw error{errc::store_refused, options_.file,
                    "its schema is older than this weft: open it once for writing, which brings it up to date"};
    if (options_.check == sqlite_check::whole) check_pages(db);
    key_ = read_hash_key(db);
}

void core::serve_writes(const intrusive_ptr<opening>& how)
{
    try {
        open_file(how->now);
    } catch (...) {
        how->error = std::current_exception();
        writer_.reset();
        lock_.reset();
    }
    const bool writes = !how->error && options_.access == sqlite_access::read_write;
    how->done->notify();
    if (!writes) return;
    call_batch batch;
    while (gather_some(0), writes_.take(batch, write_batch), !batch.empty()) {
        gathered_ = {};
        const time_point begin = real_clock().now();
        write_together(batch, growth::open);
        gathering_.ended(batch.size(), writes_.waiting(), begin + gathered_, real_clock().now());
        answer_all(batch);
        copy_log();
    }
    if (writer_->has_lost_a_sync()) writer_->keep_log_at_close();
}

/** All of a batch in one transaction, except those that fail.
 *  @param batch   Grows by what has come while the transaction was open, if it may. */
void core::write_together(call_batch& batch, growth how)
{
    call_batch left = batch;
    bool is_done = false;
    while (!is_done && !left.empty()) {
        try {
            refuse_after_lost_sync();
            refuse_lost_files();
            writer_->run("BEGIN IMMEDIATE");
        } catch (...) {
            return fail_all(left);
        }
        try {
            is_done = write_once(left, how == growth::open ? &batch : nullptr);
        } catch (...) {
            // The commit failed, and nothing tells who is to blame.
            writer_->roll_back();
            if (left.size() == 1 || writer_->has_lost_a_sync()) return fail_all(left);
            return write_alone(left);
        }
    }
}

/** One try in the transaction that has begun.
 *  @param grown   Gets the calls that come while it is open; null if it takes no others.
 *  @return        False if a call failed, which has left the batch. */
bool core::write_once(call_batch& left, call_batch* grown)
{
    writer_->share_among(grown ? std::max(left.size(), gathering_.wanted()) : left.size());
    for (std::size_t i = 0; i < left.size() || (grown && take_more(left, *grown)); ++i) {
        try {
            left[i]->run(*writer_);
        } catch (...) {
            // SQLite may have rolled back everything by itself, as it does when the disk is full. So the others start
            // anew instead of going on behind a savepoint.
            left[i]->fail(std::current_exception());
            writer_->roll_back();
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
            return false;
        }
    }
    writer_->run("COMMIT");
    transactions_.fetch_add(1, std::memory_order_relaxed);
    written_.fetch_add(left.size(), std::memory_order_relaxed);
    return true;
}

/** Waits for a part of the calls that are likely to come beside those that there are, as long as these are held up for
 *  them. */
void core::gather_some(std::size_t calls)
{
    if (calls >= gathering_.wanted()) return;
    const std::size_t missing = gathering_.wanted() - calls;
    const time_point begin = real_clock().now();
    if (begin >= gathering_.until()) return;
    writes_.gather((missing + parts_gathered - 1) / parts_gathered, gathering_.until() - begin);
    gathered_ += real_clock().now() - begin;
}

/** Adds calls to the transaction that is open, up to as many as there were callers before. What has come by now is
 *  taken also when nothing is waited for any more. @return  False if none has come. */
bool core::take_more(call_batch& left, call_batch& grown)
{
    const std::size_t before = left.size();
    if (before >= gathering_.wanted()) return false;
    gather_some(before);
    writes_.take_more(left, {gathering_.wanted(), write_batch.bytes});
    grown.insert(grown.end(), left.begin() + static_cast<std::ptrdiff_t>(before), left.end());
    return left.size() > before;
}

void core::write_alone(call_batch& batch)
{
    for (const intrusive_ptr<call>& one : batch) {
        call_batch alone{one};
        write_together(alone, growth::closed);
    }
}

void core::answer_all(call_batch& batch) noexcept
{
    for (const intrusive_ptr<call>& one : batch) one->answer();
    batch.clear();
}

void core::fail_all(call_batch& batch) noexcept
{
    for (const intrusive_ptr<call>& one : batch) one->fail(std::current_exception());
}

void core::refuse_after_lost_sync()
{
    if (writer_->has_lost_a_sync())
        throw error{errc::store_unavailable, options_.file,
                    "the disk failed to keep what was written before, so nothing more is written: check the disk, then "
                    "start the process anew"};
}

/** What is written to a file without a name is gone with this process; and beside a lock without a name another store
 *  opens the same file. */
void core::refuse_lost_files()
{
    for (const named_file& each : files_)
        if (!each.is_there())
            throw error{errc::store_unavailable, options_.file,
                        "'" + each.name() + "' was deleted, moved or replaced while it was open, so nothing more is "
                        "written: put it back or restore a copy, then start the process anew"};
}

void core::copy_log() noexcept
{
    if (log_pages_ < log_pages_usual || writer_->has_lost_a_sync()) return;
    const int mode = log_pages_ < log_pages_max ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART;
    const int code = sqlite3_wal_checkpoint_v2(writer_->handle(), "main", mode, nullptr, nullptr);
    log_pages_ = 0;
    if (code == SQLITE_OK) log_resets_.fetch_add(1, std::memory_order_relaxed);
    // What fails here is tried again with the next commit; nothing is lost, since the log stays. After a failed sync it
    // must not be: a second one may succeed without having written what the first one lost.
    writer_->note(code);
}

void core::serve_reads()
{
    std::optional<connection> db;
    call_batch batch;
    while (reads_.take(batch, batch_limits{}), !batch.empty()) {
        call& one = *batch.front();
        try {
            if (!db) db.emplace(options_.file, connection_use::read);
            db->run("BEGIN");
            one.run(*db);
            db->run("COMMIT");
        } catch (...) {
            one.fail(std::current_exception());
            if (db) db->roll_back();
        }
        answer_all(batch);
    }
}

void core::refuse_if_reading_only() const
{
    if (options_.access == sqlite_access::read_only)
        throw error{errc::store_refused, options_.file, "the store was opened for reading only"};
}

sqlite_counts core::counts() const noexcept
{
    sqlite_counts found;
    found.writes = written_.load(std::memory_order_relaxed);
    found.transactions = transactions_.load(std::memory_order_relaxed);
    found.log_resets = log_resets_.load(std::memory_order_relaxed);
    return found;
}

}  // namespace weft::sqlite_detail
