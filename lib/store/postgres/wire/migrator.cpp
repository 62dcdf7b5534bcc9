#include "migrator.hpp"

#include "run_alone.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr int attempts_max = 60;
constexpr std::int64_t batch_rows = 2'000;
constexpr std::chrono::milliseconds lock_wait{250};
constexpr std::chrono::milliseconds look_period{200};
// An index over a billion rows takes that long, and so does another process that makes it.
constexpr std::chrono::hours time_max{24};

/** Another process that makes the same tables meanwhile waits here, and finds its work done. */
constexpr sql_statement lock_making{"lock_making", "t",
                                    "SELECT pg_advisory_xact_lock(hashtextextended('weft.schema.' || $1, 0))"};
// A process that waited in a statement would hold a snapshot, for which an index that is made concurrently waits.
constexpr sql_statement try_lock{"try_lock", "t",
                                 "SELECT pg_try_advisory_lock(hashtextextended('weft.schema.' || $1, 0))"};
constexpr sql_statement unlock{"unlock", "t",
                               "SELECT pg_advisory_unlock(hashtextextended('weft.schema.' || $1, 0))"};
constexpr sql_statement make_notes{
    "make_notes", "", "CREATE TABLE IF NOT EXISTS migration (version int4 PRIMARY KEY, done int4 NOT NULL)"};
constexpr sql_statement note_step{"note_step", "ii",
                                  "INSERT INTO migration (version, done) VALUES ($1, $2)"
                                  " ON CONFLICT (version) DO UPDATE SET done = EXCLUDED.done"};
constexpr sql_statement note_version{"note_version", "ii",
                                     "INSERT INTO schema_version (version, min_reader) VALUES ($1, $2)"};
constexpr sql_statement forget_steps{"forget_steps", "", "DELETE FROM migration"};
constexpr sql_statement drop_notes{"drop_notes", "", "DROP TABLE migration"};
constexpr sql_statement set_limits{
    "set_limits", "tt", "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false)"};
constexpr sql_statement find_index{
    "find_index", "t", "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"};

sql_parameters name_of(const pg_settings& settings)
{
    sql_parameters name;
    name.text(settings.schema);
    return name;
}

const schema_version& version_of(int number)
{
    const auto all = schema_versions();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const schema_version& each) { return each.number == number; });
    BOOST_ASSERT(found != all.end());
    return *found;
}

sql_parameters numbers_of(int first, int second)
{
    sql_parameters numbers;
    numbers.integer(first).integer(second);
    return numbers;
}

std::string name_of(const migration_step& step)
{
    return "version " + std::to_string(step.version) + ", statement " + std::to_string(step.number) +
           (step.table.empty() ? "" : " on table '" + step.table + "'");
}

bool is_in_the_way(const sql_failure& failure)
{
    return failure.kind == failure_kind::again || failure.sqlstate == "55P03";
}

}  // namespace

migrator::migrator(pg_connection& connection, const pg_settings& settings)
    : connection_{connection}, settings_{settings}
{
    backoff_.initial = std::chrono::milliseconds{50};
    backoff_.delay_max = std::chrono::seconds{1};
}

task<void> migrator::run()
{
    const found_schema found = co_await look_at_schema(connection_, settings_);
    if (!found.version) {
        co_await make_tables(found.has_schema);
        co_return;
    }
    const bool is_mine = co_await lock();
    if (is_mine) co_await change_tables();
}

task<void> migrator::run_all(std::vector<std::string> statements, std::string what)
{
    const bool is_mine = co_await lock();
    if (!is_mine) co_return;
    co_await limit_times(true);
    for (const std::string& text : statements) {
        const sql_statement statement{"migrate", "", text.c_str()};
        sql_request request;
        request.step(statement, sql_parameters{});
        std::string name = what;
        const std::vector<sql_result> done =
            co_await attempt(std::move(request), std::move(name), settings_.request_timeout * 2);
        static_cast<void>(done);
    }
    co_await unlock_all();
}

task<void> migrator::make_tables(bool has_schema)
{
    const std::string create = "CREATE SCHEMA IF NOT EXISTS " + settings_.quoted_schema();
    const sql_statement create_schema{"create_schema", "", create.c_str()};
    std::vector<sql_statement> parts;
    const std::vector<migration_step> steps = migration_steps(0, 0);
    parts.reserve(steps.size());  // the request refers to them
    sql_request request;
    request.step(lock_making, name_of(settings_));
    if (!has_schema) request.step(create_schema, sql_parameters{});
    for (const migration_step& step : steps) {
        parts.push_back({"migrate", "", step.text});
        request.step(parts.back(), sql_parameters{});
        const schema_version& version = version_of(step.version);
        if (static_cast<std::size_t>(step.number) == version.statements.size())
            request.step(note_version, numbers_of(version.number, version.min_reader));
    }
    const std::vector<sql_result> done =
        co_await run_alone(connection_, settings_, std::move(request), settings_.request_timeout * 2);
    static_cast<void>(done);
}

/** @return  False if another process has done it all meanwhile. */
task<bool> migrator::lock()
{
    serial_loop& loop = co_await this_task::loop();
    const time_point deadline = loop.now() + time_max;
    while (loop.now() < deadline) {
        sql_request request;
        request.step(try_lock, name_of(settings_));
        const std::vector<sql_result> rows =
            co_await run_alone(connection_, settings_, std::move(request), settings_.request_timeout * 2);
        if (rows[0].boolean(0, 0)) co_return true;
        co_await sleep_for(look_period);
        const found_schema found = co_await look_at_schema(connection_, settings_);
        if (found.version && *found.version >= schema_versions().back().number) co_return false;
    }
    throw error{errc::store_unavailable, settings_.where.label(),
                "another process has migrated schema '" + settings_.schema + "' for more than a day: look for it in"
                " pg_stat_activity, end it, and migrate again"};
}

task<void> migrator::change_tables()
{
    // Behind the lock, what was found before may be older than what is there.
    const found_schema found = co_await look_at_schema(connection_, settings_);
    const std::vector<migration_step> steps = migration_steps(*found.version, found.done);
    if (!steps.empty()) co_await carry_out_all(steps);
    co_await unlock_all();
}

task<void> migrator::carry_out_all(const std::vector<migration_step>& steps)
{
    co_await limit_times(true);
    sql_request begin;
    begin.step(make_notes, sql_parameters{});
    const std::vector<sql_result> begun = co_await attempt(std::move(begin), "its table 'migration'", time_max);
    for (const migration_step& step : steps) {
        migration_step wanted = step;
        co_await carry_out(std::move(wanted));
        const bool is_last = static_cast<std::size_t>(step.number) == version_of(step.version).statements.size();
        if (is_last) co_await end_version(step.version);
    }
    static_cast<void>(begun);
}

task<void> migrator::unlock_all()
{
    sql_request end;
    end.step(unlock, name_of(settings_));
    const std::vector<sql_result> ended =
        co_await run_alone(connection_, settings_, std::move(end), settings_.request_timeout * 2);
    static_cast<void>(ended);
}

task<void> migrator::carry_out(migration_step step)
{
    const std::string what = name_of(step);
    const sql_statement statement{"migrate", "", step.text};
    sql_parameters note = numbers_of(step.version, step.number);
    sql_request request;
    if (step.way == migration_way::at_once) request.step(statement, sql_parameters{});
    else if (step.way == migration_way::concurrently) co_await make_index(std::move(step));
    else co_await change_rows(std::move(step));
    request.step(note_step, std::move(note));
    const std::vector<sql_result> done =
        co_await attempt(std::move(request), what, settings_.request_timeout * 2);
    static_cast<void>(done);
}

/** One that another attempt has left unfinished goes first: nothing uses it, and every write pays for it. */
task<void> migrator::make_index(migration_step step)
{
    std::string make{step.text};
    const std::string_view word = "INDEX ";
    make.insert(make.find(word) + word.size(), "CONCURRENTLY ");
    const std::string drop = "DROP INDEX CONCURRENTLY " + step.index;
    const sql_statement make_it{"make_index", "", make.c_str()};
    const sql_statement drop_it{"drop_index", "", drop.c_str()};
    co_await limit_times(false);
    for (int attempts = 1;; ++attempts) {
        sql_parameters name;
        name.text(step.index);
        sql_request look;
        look.step(find_index, std::move(name));
        const std::vector<sql_result> rows =
            co_await run_alone(connection_, settings_, std::move(look), settings_.request_timeout * 2);
        if (!rows[0].empty() && rows[0].boolean(0, 0)) break;
        sql_request change;
        change.step(rows[0].empty() ? make_it : drop_it, sql_parameters{});
        serial_loop& loop = co_await this_task::loop();
        const batch_end end = co_await connection_.run_once(change, loop.now() + time_max);
        const bool may_try_again = is_in_the_way(end.failure) && attempts < attempts_max;
        if (end.what != batch_end::kind::completed && !may_try_again)
            throw error{end.failure.code, settings_.where.label(), name_of(step) + ": " + end.failure.detail};
    }
    co_await limit_times(true);
}

task<void> migrator::change_rows(migration_step step)
{
    const std::string last_text = "SELECT coalesce(min(no), 1) - 1, coalesce(max(no), 0) FROM " + step.table;
    const std::string batch_text = std::string{step.text} + " WHERE no > $1 AND no <= $2";
    const sql_statement find_last{"find_last", "", last_text.c_str()};
    const sql_statement change_batch{"change_batch", "ii", batch_text.c_str()};
    sql_request ask;
    ask.step(find_last, sql_parameters{});
    const std::vector<sql_result> rows = co_await attempt(std::move(ask), name_of(step), time_max);
    const std::int64_t last = rows[0].integer(0, 1);
    for (std::int64_t at = rows[0].integer(0, 0); at < last; at += batch_rows) {
        sql_parameters bounds;
        bounds.integer(at).integer(at + batch_rows);
        sql_request batch;
        batch.step(change_batch, std::move(bounds));
        const std::vector<sql_result> done =
            co_await attempt(std::move(batch), name_of(step), settings_.request_timeout * 2);
        static_cast<void>(done);
    }
}

task<void> migrator::end_version(int number)
{
    const bool is_newest = number == schema_versions().back().number;
    sql_request request;
    request.step(note_version, numbers_of(number, version_of(number).min_reader))
        .step(is_newest ? drop_notes : forget_steps, sql_parameters{});
    const std::vector<sql_result> done = co_await attempt(
        std::move(request), "the end of version " + std::to_string(number), settings_.request_timeout * 2);
    static_cast<void>(done);
}

/** Again and again while others are in the way, which go first. */
task<std::vector<sql_result>> migrator::attempt(sql_request request, std::string what, std::chrono::milliseconds limit)
{
    serial_loop& loop = co_await this_task::loop();
    for (int attempts = 1;; ++attempts) {
        batch_end end = co_await connection_.run_once(request, loop.now() + limit);
        if (end.what == batch_end::kind::completed) co_return std::move(end.results[0]);
        if (!is_in_the_way(end.failure))
            throw error{end.failure.code, settings_.where.label(), what + ": " + end.failure.detail};
        if (attempts >= attempts_max)
            throw error{errc::store_unavailable, settings_.where.label(),
                        what + ": its lock did not come in " + std::to_string(attempts_max) +
                            " attempts; look for transactions that stay open (pg_stat_activity), end them, and"
                            " migrate again: what is done stays done"};
        co_await sleep_for(backoff_.delay_before(attempts + 1, loop.random().uniform()));
    }
}

/** An index that is made concurrently waits for old transactions, and nothing waits for it. */
task<void> migrator::limit_times(bool is_limited)
{
    sql_parameters limits;
    limits.text(is_limited ? std::to_string(settings_.request_timeout.count()) : "0")
        .text(is_limited ? std::to_string(lock_wait.count()) : "0");
    sql_request request;
    request.step(set_limits, std::move(limits));
    const std::vector<sql_result> done =
        co_await run_alone(connection_, settings_, std::move(request), settings_.request_timeout * 2);
    static_cast<void>(done);
}

}  // namespace weft::postgres_detail
