#include "sqlite_schema.hpp"

#include "sqlite_time.hpp"

#include <weft/async/on_pool.hpp>
#include <weft/base/error.hpp>
#include <weft/store/sqlite/sqlite_migration.hpp>

#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace weft::sqlite_detail {

namespace {

// "weft" in ASCII, where SQLite keeps whose file it is.
constexpr std::int64_t weft_application = 0x77656674;

struct schema_step {
    sql_text script;
    std::int64_t min_reader;  // the oldest version whose programs can still read and write what this step makes
};

// A step is never changed once it was released: what it did wrong, a further one puts right.
constexpr schema_step schema_steps[] = {
    {R"(
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, min_reader INTEGER NOT NULL, applied INTEGER NOT NULL) STRICT;
CREATE TABLE store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    hash_key BLOB NOT NULL CHECK (length(hash_key) = 16),
    epoch INTEGER NOT NULL
) STRICT;
CREATE TABLE worker (no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, until INTEGER) STRICT;
CREATE TABLE thread (
    no INTEGER PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL,
    head INTEGER NOT NULL DEFAULT 0, active INTEGER, changed INTEGER NOT NULL,
    UNIQUE (tenant, name)
) STRICT;
CREATE TABLE run (
    no INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, thread INTEGER NOT NULL, tenant TEXT NOT NULL,
    phase INTEGER NOT NULL, signal INTEGER NOT NULL DEFAULT 0,
    attempt INTEGER NOT NULL DEFAULT 0, attempts_max INTEGER NOT NULL,
    worker INTEGER NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0,
    graph TEXT NOT NULL, message TEXT NOT NULL DEFAULT '', idempotency_key TEXT, input BLOB NOT NULL
) STRICT;
CREATE INDEX run_queued ON run (thread, no) WHERE phase = 0;
CREATE INDEX run_ready ON run (no) WHERE phase = 1;
CREATE INDEX run_held ON run (worker) WHERE phase = 2;
CREATE UNIQUE INDEX run_active ON run (thread) WHERE phase BETWEEN 1 AND 3;
CREATE INDEX run_of_thread ON run (thread);
CREATE UNIQUE INDEX run_once ON run (tenant, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE checkpoint (
    thread INTEGER NOT NULL, sequence INTEGER NOT NULL, id BLOB NOT NULL, parent INTEGER NOT NULL, run BLOB NOT NULL,
    epoch INTEGER NOT NULL, kind INTEGER NOT NULL, step INTEGER NOT NULL, node TEXT NOT NULL, graph TEXT NOT NULL,
    graph_hash TEXT NOT NULL, label TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
    is_forked INTEGER NOT NULL DEFAULT 0, body BLOB NOT NULL, links BLOB NOT NULL,
    PRIMARY KEY (thread, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX checkpoint_id ON checkpoint (id);
CREATE TABLE blob (
    no INTEGER PRIMARY KEY, thread INTEGER NOT NULL, hash BLOB NOT NULL, links BLOB NOT NULL, bytes BLOB NOT NULL,
    UNIQUE (thread, hash)
) STRICT;
CREATE TABLE effect (
    thread INTEGER NOT NULL, address TEXT NOT NULL, phase INTEGER NOT NULL, epoch INTEGER NOT NULL,
    key TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (thread, address)
) STRICT, WITHOUT ROWID;
CREATE TABLE question (
    thread INTEGER NOT NULL, address TEXT NOT NULL, no INTEGER NOT NULL, phase INTEGER NOT NULL,
    head INTEGER NOT NULL, asked INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0,
    question BLOB NOT NULL, answer BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (thread, address)
) STRICT, WITHOUT ROWID;
)",
     1},
    {R"(
CREATE TABLE item (
    tenant TEXT NOT NULL, space BLOB NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL,
    expires INTEGER, value TEXT NOT NULL,
    PRIMARY KEY (tenant, space, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_end ON item (expires) WHERE expires IS NOT NULL;
)",
     1},
    {R"(
ALTER TABLE run ADD COLUMN suspected_at INTEGER;
CREATE INDEX run_suspect ON run (attempt, no) WHERE phase = 1 AND suspected_at IS NOT NULL;
)",
     1},
    // A trigger removes the events of runs, so that programs that know nothing of them leave none behind.
    {R"(
CREATE TABLE event_log (
    run INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE run_event (
    no INTEGER PRIMARY KEY, run INTEGER NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (run, id)
) STRICT;
CREATE TRIGGER run_takes_its_events AFTER DELETE ON run BEGIN
    DELETE FROM run_event WHERE run = OLD.no;
    DELETE FROM event_log WHERE run = OLD.no;
END;
ALTER TABLE store ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0;
CREATE TABLE document (
    no INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, tenant TEXT NOT NULL, id TEXT NOT NULL,
    revision INTEGER NOT NULL, change_no INTEGER NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL,
    due INTEGER, body TEXT NOT NULL,
    UNIQUE (kind, tenant, id)
) STRICT;
CREATE INDEX document_kind ON document (kind);
CREATE INDEX document_change ON document (kind, change_no);
CREATE INDEX document_due ON document (kind, due) WHERE due IS NOT NULL;
)",
     1},
    {R"(
ALTER TABLE run ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN webhook TEXT NOT NULL DEFAULT '';
ALTER TABLE thread ADD COLUMN created INTEGER NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE thread ADD COLUMN state_values TEXT NOT NULL DEFAULT '{}';
UPDATE thread SET created = changed;
)",
     1},
    // `later` is the moment that the active run of a thread waits for, in phase 0, which programs that know nothing of
    // it do not claim.
    {R"(
ALTER TABLE run ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN not_before INTEGER;
ALTER TABLE run ADD COLUMN later INTEGER;
ALTER TABLE run ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
UPDATE run SET changed = max(created, ended);
DROP INDEX run_ready;
CREATE INDEX run_line ON run (priority DESC, no) WHERE phase = 1;
CREATE INDEX run_later ON run (later) WHERE later IS NOT NULL;
)",
     1},
    // Triggers remove the vectors of items that are gone or have another value, also for programs without them.
    {R"(
CREATE TABLE item_vector (
    tenant TEXT NOT NULL, space BLOB NOT NULL, name TEXT NOT NULL, model TEXT NOT NULL, expires INTEGER,
    vector BLOB NOT NULL,
    PRIMARY KEY (tenant, space, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_takes_its_vector AFTER DELETE ON item BEGIN
    DELETE FROM item_vector WHERE tenant = OLD.tenant AND space = OLD.space AND name = OLD.name;
END;
CREATE TRIGGER value_takes_its_vector AFTER UPDATE OF value ON item BEGIN
    DELETE FROM item_vector WHERE tenant = OLD.tenant AND space = OLD.space AND name = OLD.name;
END;
)",
     1},
    // `place` is the moment of a run's admission, less the head start of its priority, in microseconds.
    {R"(
ALTER TABLE run ADD COLUMN revision TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN limit_keys TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN lost_attempts BLOB NOT NULL DEFAULT x'';
ALTER TABLE run ADD COLUMN buckets TEXT NOT NULL DEFAULT '[]';
ALTER TABLE run ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
UPDATE run SET place = created / 1000 - priority * 60000000;
DROP INDEX run_line;
CREATE INDEX run_turn ON run (tenant, graph, revision, place, no) WHERE phase = 1;
ALTER TABLE worker ADD COLUMN graphs TEXT NOT NULL DEFAULT '[]';
ALTER TABLE worker ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
CREATE TABLE bucket (
    name TEXT PRIMARY KEY, active INTEGER NOT NULL DEFAULT 0, next_even INTEGER NOT NULL DEFAULT 0, opens INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX bucket_opens ON bucket (opens) WHERE opens IS NOT NULL;
)",
     1},
    // `log_is_whole` until the events of a run that is over are pruned: the index finds those that are not.
    {R"(
ALTER TABLE run ADD COLUMN log_is_whole INTEGER NOT NULL DEFAULT 1;
CREATE INDEX run_log_whole ON run (ended) WHERE log_is_whole = 1 AND phase BETWEEN 4 AND 6;
)",
     1},
    {R"(
ALTER TABLE checkpoint ADD COLUMN copy_of BLOB NOT NULL DEFAULT x'00000000000000000000000000000000';
CREATE INDEX run_dead ON run (graph) WHERE phase = 7;
)",
     1},
};

void insert_store(connection& db)
{
    const hash_key made = new_hash_key();
    const raw bytes{std::string_view{reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size()}};
    query{db, "INSERT INTO store (one, hash_key, epoch) VALUES (1, ?, 0)", bytes}.run();
}

void apply_step(connection& db, std::int64_t version, clock::system_time_point now)
{
    const schema_step& step = schema_steps[version - 1];
    db.run("BEGIN IMMEDIATE");
    try {
        db.run_script(step.script);
        if (version == 1) {
            insert_store(db);
            db.set_pragma("application_id", weft_application);
        }
        query{db, "INSERT INTO schema_version (version, min_reader, applied) VALUES (?, ?, ?)", version,
              step.min_reader, stored(now)}.run();
        db.set_pragma("user_version", version);
        db.run("COMMIT");
    } catch (...) {
        db.roll_back();
        throw;
    }
}

std::int64_t min_reader_of(connection& db)
{
    query asked{db, "SELECT max(min_reader) FROM schema_version"};
    return asked.next() ? asked.integer(0) : 0;
}

/** A line that is indented goes on with its statement. */
void add_statements(migration_plan& plan, int version, std::string_view script)
{
    planned_statement next;
    while (!script.empty()) {
        const std::size_t length = std::min(script.find('\n'), script.size() - 1) + 1;
        const std::string_view line = script.substr(0, length);
        script.remove_prefix(length);
        if (line == "\n") continue;
        next.text += line;
        if (line.front() == ' ' || !line.ends_with(";\n")) continue;
        next.text.resize(next.text.size() - 2);
        next.version = version;
        plan.statements.push_back(std::exchange(next, {}));
    }
}

}  // namespace

std::int64_t schema_version() noexcept { return static_cast<std::int64_t>(std::size(schema_steps)); }

std::int64_t check_schema(connection& db)
{
    const std::int64_t application = db.pragma("PRAGMA application_id");
    const std::int64_t found = db.pragma("PRAGMA user_version");
    if (application != weft_application) {
        const bool is_empty = application == 0 && found == 0 && db.pragma("SELECT count(*) FROM sqlite_schema") == 0;
        if (is_empty) return 0;
        throw error{errc::store_refused, db.file(), "the file is a database of another program: choose another name"};
    }
    if (found <= schema_version()) return found;
    const std::int64_t wanted = min_reader_of(db);
    if (wanted <= schema_version()) return found;
    throw error{errc::store_refused, db.file(),
                "a newer weft wrote the file: its schema " + std::to_string(found) + " needs a program that knows " +
                    std::to_string(wanted) + ", and this one knows " + std::to_string(schema_version()) +
                    ". Use that weft, or a copy from before"};
}

migration_plan plan_of(connection& db)
{
    const std::int64_t application = db.pragma("PRAGMA application_id");
    migration_plan plan;
    plan.known = static_cast<int>(schema_version());
    const std::int64_t found = application == weft_application ? db.pragma("PRAGMA user_version") : check_schema(db);
    if (found > 0) {
        plan.found = static_cast<int>(found);
        plan.min_reader = static_cast<int>(min_reader_of(db));
    }
    for (std::int64_t version = found + 1; version <= schema_version(); ++version)
        add_statements(plan, static_cast<int>(version), schema_steps[version - 1].script.c_str());
    return plan;
}

void migrate(connection& db, clock::system_time_point now)
{
    for (std::int64_t version = check_schema(db) + 1; version <= schema_version(); ++version)
        apply_step(db, version, now);
}

void check_pages(connection& db)
{
    query asked{db, "PRAGMA quick_check(1)"};
    const std::string found = asked.next() ? asked.text(0) : std::string{"no answer"};
    if (found != "ok")
        throw error{errc::store_corrupt, db.file(),
                    found + "; restore a copy, or save what is readable with the command .recover of sqlite3"};
}

hash_key read_hash_key(connection& db)
{
    query asked{db, "SELECT hash_key FROM store"};
    if (!asked.next()) throw error{errc::store_corrupt, db.file(), "its table 'store' is empty"};
    hash_key found;
    found.bytes = asked.hash(0).bytes;
    return found;
}

}  // namespace weft::sqlite_detail

namespace weft {

task<migration_plan> plan_migration(sqlite_options options)
{
    boost::asio::thread_pool pool{1};
    const auto look = [file = std::move(options.file)] {
        sqlite_detail::connection db{file, sqlite_detail::connection_use::read};
        return sqlite_detail::plan_of(db);
    };
    co_return co_await on_pool(pool, look);
}

}  // namespace weft
