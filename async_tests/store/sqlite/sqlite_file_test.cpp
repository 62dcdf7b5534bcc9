#include <boost/test/unit_test.hpp>

#include "store/sqlite/sql/sqlite_errors.hpp"
#include "store/sqlite/sql/sqlite_file.hpp"
#include "store/sqlite_fixture.hpp"
#include "store/sqlite_process.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/store/item_vectors.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace sqlite_file_cases {

using namespace sqlite_tests;
using weft::errc;

BOOST_AUTO_TEST_SUITE(sqlite_file_test)

/** Opens and closes it. @return What went wrong. */
std::optional<weft::error> error_at_opening(weft::sqlite_options options)
{
    try {
        static_cast<void>(weft::run_blocking(weft::sqlite_store::open(std::move(options))));
    } catch (const weft::error& e) {
        return e;
    }
    return std::nullopt;
}

bool is(const std::optional<weft::error>& found, errc code) { return found && found->code() == code; }

bool mentions(const std::optional<weft::error>& found, const std::string& text)
{
    return found && std::string{found->what()}.find(text) != std::string::npos;
}

task<void> write_one(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::write_fence fence = co_await hold(*store, "t");
    static_cast<void>(co_await commit(*store, fence, std::string(100'000, 'x')));
}

BOOST_AUTO_TEST_CASE(a_second_store_is_refused_and_told_who_has_the_file_and_what_to_use)
{
    const store_file file{"in-use"};
    const child_process holder{[&file](int ready) {
        const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
        tell(ready, 1);
        ::pause();
    }};
    BOOST_TEST(holder.hear() == 1);
    const auto refused = error_at_opening(file.options());
    BOOST_TEST(is(refused, errc::store_in_use));
    BOOST_TEST(mentions(refused, file.path()));
    BOOST_TEST(mentions(refused, "PostgreSQL"));
    BOOST_TEST(mentions(refused, "process " + std::to_string(holder.id())));
    holder.kill();
    BOOST_TEST(!error_at_opening(file.options()));
}

BOOST_AUTO_TEST_CASE(a_second_store_of_the_same_process_is_refused_also_by_another_path)
{
    const store_file file{"twice"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    BOOST_TEST(is(error_at_opening(file.options()), errc::store_in_use));
    const auto link = file.directory() / "link.db";
    std::filesystem::create_symlink(file.path(), link);
    BOOST_TEST(is(error_at_opening(weft::sqlite_options{link.string()}), errc::store_in_use));
}

task<void> look_while_it_is_written(const store_file& file)
{
    const store_ptr writing = co_await weft::sqlite_store::open(file.options());
    weft::write_fence fence = co_await hold(*writing, "t");
    fence.head = co_await commit(*writing, fence, "first");
    weft::sqlite_options looking = file.options();
    looking.access = weft::sqlite_access::read_only;
    const store_ptr reading = co_await weft::sqlite_store::open(looking);
    BOOST_TEST((reading->key() == writing->key()));
    static_cast<void>(co_await commit(*writing, fence, "second"));
    const auto newest = co_await reading->load(fence.thread, std::nullopt);
    BOOST_TEST((newest && newest->body == "second"));
    const auto refused = co_await error_of(reading->drop(fence.thread));
    BOOST_TEST(is(refused, errc::store_refused));
}

BOOST_AUTO_TEST_CASE(a_store_for_reading_looks_at_a_file_that_another_one_writes)
{
    const store_file file{"reading"};
    weft::run_blocking(look_while_it_is_written(file));
    weft::sqlite_options looking = file.options();
    looking.access = weft::sqlite_access::read_only;
    BOOST_TEST(!error_at_opening(looking));
}

BOOST_AUTO_TEST_CASE(files_are_for_this_user_only)
{
    const store_file file{"mode"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    for (const std::string& end : {std::string{}, std::string{"-wal"}, std::string{".lock"}}) {
        struct stat found = {};
        BOOST_TEST(::stat((file.path() + end).c_str(), &found) == 0);
        BOOST_TEST((found.st_mode & 0777) == 0600U);
    }
}

BOOST_AUTO_TEST_CASE(a_file_without_a_directory_and_options_without_a_file_are_refused)
{
    const store_file file{"nowhere"};
    BOOST_TEST(is(error_at_opening(weft::sqlite_options{file.path() + "/not/there.db"}), errc::store_unavailable));
    BOOST_TEST(is(error_at_opening(weft::sqlite_options{""}), errc::invalid_configuration));
    BOOST_TEST(is(error_at_opening(weft::sqlite_options{":memory:"}), errc::invalid_configuration));
    BOOST_TEST(is(error_at_opening(file.with(&weft::sqlite_options::readers, 0)), errc::invalid_configuration));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_only_be_read_is_refused_for_writing)
{
    const store_file file{"read-only"};
    weft::run_blocking(write_one(file));
    ::chmod(file.directory().c_str(), 0777);
    ::chmod((file.path() + ".lock").c_str(), 0666);
    ::chmod(file.path().c_str(), 0444);
    const child_process nobody{[&file](int out) {
        if (::getuid() == 0 && ::setuid(65'534) != 0) return;
        const auto found = error_at_opening(file.options());
        tell(out, found ? static_cast<int>(found->code()) : 0);
    }};
    BOOST_TEST(nobody.hear() == static_cast<int>(errc::store_refused));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_database_is_corrupt)
{
    const store_file file{"no-database"};
    std::ofstream{file.path()} << std::string(10'000, 'x');
    const auto found = error_at_opening(file.options());
    BOOST_TEST(is(found, errc::store_corrupt));
    BOOST_TEST(mentions(found, file.path()));
}

void overwrite_pages(const std::string& path, std::streamoff from)
{
    std::fstream bytes{path, std::ios::in | std::ios::out | std::ios::binary};
    bytes.seekp(from);
    bytes << std::string(static_cast<std::size_t>(std::filesystem::file_size(path)) - static_cast<std::size_t>(from),
                         '\x5a');
}

task<void> read_damaged(const store_file& file)
{
    const weft::thread_key thread{"t"};
    const store_ptr store = co_await weft::sqlite_store::open(
        file.with(&weft::sqlite_options::access, weft::sqlite_access::read_only));
    const auto found = co_await error_of(store->load(thread, std::nullopt));
    BOOST_TEST(is(found, errc::store_corrupt));
    BOOST_TEST(mentions(found, file.path()));
}

BOOST_AUTO_TEST_CASE(damage_is_found_by_a_check_of_the_whole_file_and_else_by_who_meets_it)
{
    const store_file file{"damage"};
    weft::run_blocking(write_one(file));
    BOOST_TEST(!error_at_opening(file.with(&weft::sqlite_options::check, weft::sqlite_check::whole)));
    {
        foreign_connection db{file.path()};
        db.run("PRAGMA journal_mode = DELETE");
    }
    // The end of the file is the body of the checkpoint; the schema, at its beginning, stays.
    overwrite_pages(file.path(), static_cast<std::streamoff>(std::filesystem::file_size(file.path())) - 80'000);
    const auto found = error_at_opening(file.with(&weft::sqlite_options::check, weft::sqlite_check::whole));
    BOOST_TEST(is(found, errc::store_corrupt));
    BOOST_TEST(mentions(found, file.path()));
    weft::run_blocking(read_damaged(file));
}

BOOST_AUTO_TEST_CASE(a_database_of_another_program_is_refused_and_not_changed)
{
    const store_file file{"foreign"};
    {
        foreign_connection db{file.path()};
        db.run("CREATE TABLE theirs (x)");
    }
    BOOST_TEST(is(error_at_opening(file.options()), errc::store_refused));
    foreign_connection db{file.path()};
    db.run("INSERT INTO theirs VALUES (1)");
    BOOST_TEST(!std::filesystem::exists(file.path() + "-wal"));
}

BOOST_AUTO_TEST_CASE(a_newer_schema_is_refused_unless_this_program_may_use_it)
{
    const store_file file{"newer"};
    BOOST_TEST(!error_at_opening(file.options()));
    {
        foreign_connection db{file.path()};
        db.run("INSERT INTO schema_version VALUES (99, 1, 0); PRAGMA user_version = 99;");
    }
    BOOST_TEST(!error_at_opening(file.options()));
    {
        foreign_connection db{file.path()};
        db.run("UPDATE schema_version SET min_reader = 98 WHERE version = 99");
    }
    const auto found = error_at_opening(file.options());
    BOOST_TEST(is(found, errc::store_refused));
    BOOST_TEST(mentions(found, "newer weft"));
    BOOST_TEST(mentions(found, "99"));
    BOOST_TEST(mentions(found, file.path()));
}

// What versions 9 and 10 added, so that a file is one of version 8.
constexpr const char* undo_version_9 =
    "DROP INDEX run_dead; ALTER TABLE checkpoint DROP COLUMN copy_of;"
    "DROP INDEX run_log_whole; ALTER TABLE run DROP COLUMN log_is_whole;"
    "DELETE FROM schema_version WHERE version > 8; PRAGMA user_version = 8;";

// What version 8 added, so that a file of version 8 is one of version 7.
constexpr const char* undo_version_8 =
    "DROP INDEX run_turn; DROP TABLE bucket; ALTER TABLE run DROP COLUMN revision;"
    "ALTER TABLE run DROP COLUMN limit_keys; ALTER TABLE run DROP COLUMN lost_attempts;"
    "ALTER TABLE run DROP COLUMN buckets; ALTER TABLE run DROP COLUMN place;"
    "ALTER TABLE worker DROP COLUMN graphs; ALTER TABLE worker DROP COLUMN since; ALTER TABLE worker DROP COLUMN seen;"
    "CREATE INDEX run_line ON run (priority DESC, no) WHERE phase = 1;"
    "DELETE FROM schema_version WHERE version > 7; PRAGMA user_version = 7;";

// What version 7 added, so that a file of version 7 is one of version 6.
constexpr const char* undo_version_7 =
    "DROP TRIGGER item_takes_its_vector; DROP TRIGGER value_takes_its_vector; DROP TABLE item_vector;"
    "DELETE FROM schema_version WHERE version > 6; PRAGMA user_version = 6;";

// What version 6 added, so that a file of version 6 is one of version 5.
constexpr const char* undo_version_6 =
    "DROP INDEX run_line; DROP INDEX run_later; ALTER TABLE run DROP COLUMN priority;"
    "ALTER TABLE run DROP COLUMN not_before; ALTER TABLE run DROP COLUMN later; ALTER TABLE run DROP COLUMN changed;"
    "CREATE INDEX run_ready ON run (no) WHERE phase = 1;"
    "DELETE FROM schema_version WHERE version > 5; PRAGMA user_version = 5;";

/** A run that a worker has, one behind it, and one of another thread that is ready. */
task<void> enter_three_runs(const store_file& file, weft::run_id behind, weft::run_id elsewhere)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    static_cast<void>(co_await hold(*store, "held"));
    weft::new_run queued{weft::thread_key{"held"}, behind};
    queued.on_busy(weft::busy_policy::queue);
    static_cast<void>(co_await store->enqueue(std::move(queued)));
    weft::new_run ready{weft::thread_key{"other"}, elsewhere};
    ready.with_input("what it is about");
    static_cast<void>(co_await store->enqueue(std::move(ready)));
}

task<void> take_three_runs(const store_file& file, weft::run_id behind, weft::run_id elsewhere)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::worker_id worker = co_await store->enter("w", std::chrono::hours{1});
    std::vector<weft::run_claim> claims = co_await store->claim(worker, 10);
    BOOST_REQUIRE(claims.size() == 2u);
    BOOST_TEST((claims[0].fence.thread == weft::thread_key{"held"}));
    BOOST_TEST((claims[1].fence.run == elsewhere));
    BOOST_TEST(claims[1].input == "what it is about");
    const auto record = co_await store->find_run(elsewhere);
    BOOST_TEST((record && record->priority == 0 && !record->not_before && record->changed >= record->created));
    static_cast<void>(co_await store->finish(claims[0].fence, weft::run_outcome{}));
    claims = co_await store->claim(worker, 10);
    BOOST_REQUIRE(claims.size() == 1u);
    BOOST_TEST((claims[0].fence.run == behind));
}

task<void> use_after_migration(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const auto newest = co_await store->load(weft::thread_key{"t"}, std::nullopt);
    BOOST_TEST((newest && newest->body.size() == 100'000U));
    const weft::item_key key{{"a"}, "b"};
    co_await store->put("tenant", key, 1, std::nullopt);
    const auto item = co_await store->get("tenant", key);
    BOOST_TEST(item.has_value());
    weft::vector_query query{.vector = {"m", {1, 2}}};
    co_await store->vectors()->put_with_vector("tenant", key, 1, query.vector, std::nullopt);
    const auto found = co_await store->vectors()->nearest("tenant", key.space, std::move(query));
    BOOST_TEST(found.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_older_schema_is_brought_up_to_date_and_keeps_what_is_there)
{
    const store_file file{"older"};
    weft::run_blocking(write_one(file));
    {
        foreign_connection db{file.path()};
        db.run(undo_version_9);
        db.run(undo_version_8);
        db.run(undo_version_7);
        db.run(undo_version_6);
        db.run("DROP TABLE item; DROP INDEX run_suspect; ALTER TABLE run DROP COLUMN suspected_at;"
               "DROP TRIGGER run_takes_its_events; DROP TABLE event_log; DROP TABLE run_event; DROP TABLE document;"
               "ALTER TABLE store DROP COLUMN last_change; ALTER TABLE run DROP COLUMN metadata;"
               "ALTER TABLE run DROP COLUMN webhook; ALTER TABLE thread DROP COLUMN created;"
               "ALTER TABLE thread DROP COLUMN metadata; ALTER TABLE thread DROP COLUMN state_values;"
               "DELETE FROM schema_version WHERE version > 1; PRAGMA user_version = 1;");
    }
    const auto reading = error_at_opening(file.with(&weft::sqlite_options::access, weft::sqlite_access::read_only));
    BOOST_TEST(is(reading, errc::store_refused));
    weft::run_blocking(use_after_migration(file));
}

BOOST_AUTO_TEST_CASE(runs_of_a_file_of_the_version_before_are_kept_and_taken_in_their_order)
{
    const store_file file{"before"};
    const weft::run_id behind{next_id()};
    const weft::run_id elsewhere{next_id()};
    weft::run_blocking(enter_three_runs(file, behind, elsewhere));
    {
        foreign_connection db{file.path()};
        db.run(undo_version_9);
        db.run(undo_version_8);
        db.run(undo_version_7);
        db.run(undo_version_6);
    }
    weft::run_blocking(take_three_runs(file, behind, elsewhere));
}

BOOST_AUTO_TEST_CASE(network_file_systems_are_known_by_their_numbers)
{
    using weft::sqlite_detail::network_file_system;
    BOOST_TEST((network_file_system(0x6969) == "NFS"));
    BOOST_TEST((network_file_system(0xff534d42) == "CIFS"));
    BOOST_TEST((network_file_system(0xffffffffff534d42) == "CIFS"));  // where the number is signed
    BOOST_TEST(!network_file_system(0xef53).has_value());             // ext4
    BOOST_TEST(!network_file_system(0x01021994).has_value());         // tmpfs
}

BOOST_AUTO_TEST_CASE(result_codes_of_sqlite_have_meanings)
{
    using weft::sqlite_detail::meaning_of;
    BOOST_TEST(meaning_of(SQLITE_FULL, 0) == errc::store_full);
    BOOST_TEST(meaning_of(SQLITE_IOERR_WRITE, ENOSPC) == errc::store_full);
    BOOST_TEST(meaning_of(SQLITE_IOERR_WRITE, EDQUOT) == errc::store_full);
    BOOST_TEST(meaning_of(SQLITE_IOERR_WRITE, EFBIG) == errc::store_full);
    BOOST_TEST(meaning_of(SQLITE_IOERR_WRITE, EIO) == errc::store_unavailable);
    BOOST_TEST(meaning_of(SQLITE_IOERR_FSYNC, EIO) == errc::store_outcome_unknown);
    BOOST_TEST(meaning_of(SQLITE_CORRUPT_INDEX, 0) == errc::store_corrupt);
    BOOST_TEST(meaning_of(SQLITE_NOTADB, 0) == errc::store_corrupt);
    BOOST_TEST(meaning_of(SQLITE_BUSY_SNAPSHOT, 0) == errc::store_unavailable);
    BOOST_TEST(meaning_of(SQLITE_CANTOPEN, ENOENT) == errc::store_unavailable);
    BOOST_TEST(meaning_of(SQLITE_READONLY, 0) == errc::store_refused);
    BOOST_TEST(meaning_of(SQLITE_CONSTRAINT_UNIQUE, 0) == errc::store_refused);
}

namespace {

/** Writes, takes a file away, and writes once more. @return What the second write came to. */
task<std::optional<weft::error>> error_after_losing(const store_file& file, std::string part, bool replaces)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    weft::write_fence fence = co_await hold(*store, "t");
    fence.head = co_await commit(*store, fence, "first");
    const std::string name = file.path() + part;
    std::filesystem::rename(name, name + ".away");
    if (replaces) std::filesystem::copy_file(name + ".away", name);
    std::optional<weft::error> found;
    try {
        static_cast<void>(co_await commit(*store, fence, "second"));
    } catch (const weft::error& e) {
        found = e;
    }
    co_return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(F5_a_file_that_was_deleted_or_replaced_while_it_is_open_takes_no_more_writes)
{
    for (const char* const part : {"", "-wal", ".lock"})
        for (const bool replaces : {false, true}) {
            const store_file file{"lost"};
            const auto refused = weft::run_blocking(error_after_losing(file, part, replaces));
            BOOST_TEST(is(refused, errc::store_unavailable), part);
            BOOST_TEST(mentions(refused, file.path() + part + "' was deleted"), part);
            BOOST_TEST(mentions(refused, "restore a copy"));
        }
}

namespace {

task<errc> error_of_active_run(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::thread_key thread{"t"};
    try {
        static_cast<void>(co_await store->active_run(thread));
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return errc::cancelled;
}

}  // namespace

BOOST_AUTO_TEST_CASE(F14_a_run_in_no_known_phase_is_a_damaged_store_and_not_waited_for)
{
    const store_file file{"phase"};
    weft::run_blocking(write_one(file));
    for (const char* const phase : {"-1", "8"}) {
        sqlite3* db = nullptr;
        BOOST_REQUIRE(sqlite3_open(file.path().c_str(), &db) == SQLITE_OK);
        const std::string damage = std::string{"UPDATE run SET phase = "} + phase;
        BOOST_TEST(sqlite3_exec(db, damage.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(db);
        BOOST_TEST(weft::run_blocking(error_of_active_run(file)) == errc::store_corrupt);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_file_cases
