#include "postgres_directories.hpp"

#include "postgres_matches.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/run_columns.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"
#include "store/role/announcements.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::postgres_detail {

namespace {

// The statements compute phases as numbers.
static_assert(static_cast<int>(thread_phase::busy) == 1 && static_cast<int>(thread_phase::waiting) == 2 &&
              static_cast<int>(thread_phase::failed) == 3);

// By both of its names a thread is one row, and its runs have an index.
bool is_of_one_thread(const run_query& query) noexcept { return query.tenant && query.thread; }

const sql_statement& run_list(const run_query& query) noexcept
{
    if (is_of_one_thread(query)) return query.is_newest_first ? sql::newest_runs_of_thread : sql::oldest_runs_of_thread;
    return query.is_newest_first ? sql::newest_runs : sql::oldest_runs;
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
        for (const std::string& name : {after.tenant, after.name}) {
            if (is_first) to.null('t');
            else to.text(name);
        }
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
    const std::optional<sql_result> matching = co_await find_matching_runs(core_, query);
    sql_answer answer;
    if (!matching) {
        sql_parameters wanted = wanted_runs(query);
        if (query.after.empty())
            wanted.null('i');
        else
            wanted.integer(list_cursor::parse(query.after).first);
        wanted.integer(rows_of_page(query.count_max));
        sql_request request;
        request.step(run_list(query), std::move(wanted));
        answer = co_await core_.run(std::move(request));
    }
    const sql_result& rows = matching ? *matching : answer.results[0];
    run_page page;
    const std::size_t count = rows_in(rows);
    for (std::size_t row = 0; row < std::min(count, query.count_max); ++row)
        page.runs.push_back(read_listed_run(rows, row));
    if (count > query.count_max && query.count_max > 0)
        page.next = list_cursor{rows.integer(query.count_max - 1, run_column_count + 1), 0, {}, {}}.text();
    co_return page;
}

task<std::size_t> postgres_directories::count(run_query query)
{
    check_limits(query);
    const std::optional<std::size_t> matching = co_await count_matching_runs(core_, query);
    if (matching) co_return *matching;
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

task<std::size_t> postgres_directories::forget_idle_limits()
{
    constexpr std::int64_t buckets_at_once = 500;  // claims wait meanwhile for those that they ask
    sql_parameters most;
    most.integer(buckets_at_once);
    sql_request request;
    request.step(sql::forget_idle_buckets, std::move(most)).writing().by_itself().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
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
    for (const std::optional<std::string>& text : {change.metadata, change.values}) {
        if (text) changed.text(*text);
        else changed.null('t');
    }
    sql_request request;
    request.step(sql::update_thread, std::move(changed)).writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[0].empty();
}

task<thread_page> postgres_directories::search(thread_query query)
{
    check_limits(query);
    const std::optional<sql_result> matching = co_await find_matching_threads(core_, query);
    sql_answer answer;
    if (!matching) {
        sql_parameters wanted = wanted_threads(query);
        add_place(wanted, query);
        wanted.integer(rows_of_page(query.count_max));
        sql_request request;
        request.step(thread_list(query.order), std::move(wanted));
        answer = co_await core_.run(std::move(request));
    }
    const sql_result& rows = matching ? *matching : answer.results[0];
    thread_page page;
    const std::size_t count = rows_in(rows);
    for (std::size_t row = 0; row < std::min(count, query.count_max); ++row)
        page.threads.push_back(read_listed_thread(rows, row));
    if (count > query.count_max && query.count_max > 0)
        page.next = place_at(rows, query.count_max - 1, query.order).text();
    co_return page;
}

task<std::size_t> postgres_directories::count(thread_query query)
{
    check_limits(query);
    const std::optional<std::size_t> matching = co_await count_matching_threads(core_, query);
    if (matching) co_return *matching;
    sql_request request;
    request.step(sql::count_threads, wanted_threads(query));
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

}  // namespace weft::postgres_detail
