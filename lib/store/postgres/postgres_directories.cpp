#include "postgres_directories.hpp"

#include "row_readers.hpp"
#include "store/postgres/sql/run_columns.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"
#include "store/role/announcements.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::postgres_detail {

namespace {

// The statements compute phases as numbers.
static_assert(static_cast<int>(thread_phase::busy) == 1 && static_cast<int>(thread_phase::waiting) == 2 &&
              static_cast<int>(thread_phase::failed) == 3);

/** One row more than the page has, to know whether there is another page. */
std::int64_t rows_of_page(std::size_t count_max) noexcept
{
    return static_cast<std::int64_t>(std::min<std::size_t>(count_max, INT64_MAX - 1) + 1);
}

void add_text(sql_parameters& to, const std::optional<std::string>& text)
{
    if (text)
        to.text(*text);
    else
        to.null('t');
}

void add_microseconds(sql_parameters& to, std::optional<wall_time> time)
{
    if (time)
        to.integer(std::chrono::floor<std::chrono::microseconds>(time->time_since_epoch()).count());
    else
        to.null('i');
}

sql_parameters wanted_runs(const run_query& query)
{
    sql_parameters wanted;
    add_text(wanted, query.tenant);
    add_text(wanted, query.thread);
    add_text(wanted, query.graph);
    wanted.integer(bits_of(query.phases)).text(query.contains);
    add_microseconds(wanted, query.created_from);
    add_microseconds(wanted, query.created_before);
    add_microseconds(wanted, query.changed_from);
    add_microseconds(wanted, query.changed_before);
    return wanted;
}

// By both of its names a thread is one row, and its runs have an index.
bool is_of_one_thread(const run_query& query) noexcept { return query.tenant && query.thread; }

const sql_statement& run_list(const run_query& query) noexcept
{
    if (is_of_one_thread(query)) return query.is_newest_first ? sql::newest_runs_of_thread : sql::oldest_runs_of_thread;
    return query.is_newest_first ? sql::newest_runs : sql::oldest_runs;
}

sql_parameters wanted_threads(const thread_query& query)
{
    sql_parameters wanted;
    add_text(wanted, query.tenant);
    wanted.integer(bits_of(query.phases)).text(query.metadata_contains).text(query.values_contain);
    add_microseconds(wanted, query.changed_from);
    add_microseconds(wanted, query.changed_before);
    return wanted;
}

const sql_statement& thread_list(list_order order) noexcept
{
    switch (order) {
    case list_order::newest_first: return sql::newest_threads;
    case list_order::oldest_first: return sql::oldest_threads;
    case list_order::last_changed_first: return sql::changed_threads;
    case list_order::by_name: break;
    }
    return sql::named_threads;
}

/** The thread behind which a page begins, as the statement of its order takes it; nulls for the first page. */
void add_place(sql_parameters& to, const thread_query& query)
{
    const bool is_first = query.after.empty();
    const list_cursor after = is_first ? list_cursor{} : list_cursor::parse(query.after);
    if (query.order == list_order::by_name) {
        add_text(to, is_first ? std::nullopt : std::optional{after.tenant});
        add_text(to, is_first ? std::nullopt : std::optional{after.name});
        return;
    }
    const auto add_number = [&](std::int64_t number) {
        if (is_first)
            to.null('i');
        else
            to.integer(number);
    };
    add_number(after.first);
    if (query.order == list_order::last_changed_first) add_number(after.second);
}

// The columns that the list is sorted by.
list_cursor place_at(const sql_result& rows, std::size_t row, list_order order)
{
    if (order == list_order::by_name) return {0, 0, std::string{rows.text(row, 1)}, std::string{rows.text(row, 2)}};
    if (order == list_order::last_changed_first) return {rows.integer(row, 10), rows.integer(row, 0), {}, {}};
    return {rows.integer(row, 0), 0, {}, {}};
}

}  // namespace

task<run_page> postgres_directories::search(run_query query)
{
    check_limits(query);
    sql_parameters wanted = wanted_runs(query);
    if (query.after.empty())
        wanted.null('i');
    else
        wanted.integer(list_cursor::parse(query.after).first);
    wanted.integer(rows_of_page(query.count_max));
    sql_request request;
    request.step(run_list(query), std::move(wanted));
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    run_page page;
    for (std::size_t row = 0; row < std::min(rows.size(), query.count_max); ++row)
        page.runs.push_back(read_listed_run(rows, row));
    if (rows.size() > query.count_max && query.count_max > 0)
        page.next = list_cursor{rows.integer(query.count_max - 1, run_column_count + 1), 0, {}, {}}.text();
    co_return page;
}

task<std::size_t> postgres_directories::count(run_query query)
{
    check_limits(query);
    sql_request request;
    request.step(is_of_one_thread(query) ? sql::count_runs_of_thread : sql::count_runs, wanted_runs(query));
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

task<bool> postgres_directories::cancel_queued(run_id run)
{
    sql_parameters named;
    named.id(run.value());
    sql_parameters cancelled = named;
    sql_request request;
    // The lock comes first: the thread may be about to begin the run.
    request.step(sql::lock_thread_of_run, std::move(named)).step(sql::cancel_queued, std::move(cancelled)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    const bool is_cancelled = !answer.results[1].empty();
    store_detail::announce_changes(core_.news(), is_cancelled);
    co_return is_cancelled;
}

task<bool> postgres_directories::remove(run_id run)
{
    sql_parameters named;
    named.id(run.value());
    sql_request request;
    request.step(sql::remove_run, std::move(named)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[0].empty();
}

task<bool> postgres_directories::create(thread_key thread, std::string metadata)
{
    check_limits(thread);
    static_cast<void>(checked_object(metadata, document_limits::body_bytes_max, "metadata"));
    sql_parameters made = naming(thread);
    made.text(metadata);
    sql_request request;
    request.step(sql::create_thread, std::move(made)).writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[0].empty();
}

task<bool> postgres_directories::copy(thread_key from, thread_key to, checkpoint_id id)
{
    check_limits(to);
    if (from.tenant != to.tenant)
        throw error{errc::store_refused, "thread '" + from.thread + "'", "threads are copied within their tenant"};
    sql_parameters both = naming(from);
    both.text(to.thread);
    sql_parameters made = both;
    made.id(id.value());
    sql_parameters described = made;
    sql_parameters forked = naming(from);
    forked.integer(-1).text(to.thread).id(id.value());
    sql_request request;
    request.step(sql::make_copy, std::move(made))
        .step(sql::lock_threads, std::move(both))
        .step(sql::copy_thread, std::move(described))
        .step(sql::fork, std::move(forked));
    request.writing().of(from).by_itself();
    const sql_answer answer = co_await core_.run(std::move(request));
    if (answer.is_duplicate) co_return false;
    const sql_result& copied = answer.results[3];
    if (!copied.is_null(0, 1))
        throw error{errc::store_corrupt, "thread '" + from.thread + "'",
                    "its blob " + copied.hashes(0, 1).at(0).text() + " is missing"};
    co_return !answer.results[2].empty();
}

task<std::optional<stored_thread>> postgres_directories::find(thread_key thread)
{
    sql_request request;
    request.step(sql::find_stored_thread, naming(thread)).of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<stored_thread> found;
    if (!answer.results[0].empty()) found = read_listed_thread(answer.results[0], 0);
    co_return found;
}

task<bool> postgres_directories::update(thread_key thread, thread_change change)
{
    check_limits(change);
    sql_parameters changed = naming(thread);
    add_text(changed, change.metadata);
    add_text(changed, change.values);
    sql_request request;
    request.step(sql::update_thread, std::move(changed)).writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[0].empty();
}

task<thread_page> postgres_directories::search(thread_query query)
{
    check_limits(query);
    sql_parameters wanted = wanted_threads(query);
    add_place(wanted, query);
    wanted.integer(rows_of_page(query.count_max));
    sql_request request;
    request.step(thread_list(query.order), std::move(wanted));
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    thread_page page;
    for (std::size_t row = 0; row < std::min(rows.size(), query.count_max); ++row)
        page.threads.push_back(read_listed_thread(rows, row));
    if (rows.size() > query.count_max && query.count_max > 0)
        page.next = place_at(rows, query.count_max - 1, query.order).text();
    co_return page;
}

task<std::size_t> postgres_directories::count(thread_query query)
{
    check_limits(query);
    sql_request request;
    request.step(sql::count_threads, wanted_threads(query));
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

}  // namespace weft::postgres_detail
