#include "postgres_matches.hpp"

#include "store/postgres/sql/run_columns.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"

#include <weft/base/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace weft::postgres_detail {

namespace {

// The statements have orders as numbers.
static_assert(static_cast<int>(list_order::newest_first) == 0 && static_cast<int>(list_order::oldest_first) == 1 &&
              static_cast<int>(list_order::last_changed_first) == 2 && static_cast<int>(list_order::by_name) == 3);

constexpr int thread_column_count = 11;

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

/** Objects without members contain nothing to look for. The filter was checked before. */
bool is_filter(const std::string& text) { return !parse_json(text).get_object().empty(); }

void add_page_of_threads(sql_parameters& to, const thread_query& query)
{
    const bool is_first = query.after.empty();
    const list_cursor after = is_first ? list_cursor{} : list_cursor::parse(query.after);
    to.integer(static_cast<std::int64_t>(query.order)).integer(after.first).integer(after.second);
    to.text(after.tenant).text(after.name).boolean(is_first);
    to.integer(rows_of_page(query.count_max)).integer(matches_max);
}

sql_request indexed_request(const sql_statement& statement, sql_parameters parameters)
{
    sql_request request;
    request.step(sql::allow_bitmaps, sql_parameters{}).step(statement, std::move(parameters)).by_itself();
    return request;
}

/** @param count_column  How many match. */
task<std::optional<sql_result>> find_matching(pg_core& core, sql_request request, int count_column)
{
    sql_answer answer = co_await core.run(std::move(request));
    std::optional<sql_result> found;
    if (answer.results[1].integer(0, count_column) <= matches_max) found.emplace(std::move(answer.results[1]));
    co_return found;
}

task<std::optional<std::size_t>> count_matching(pg_core& core, sql_request request)
{
    const sql_answer answer = co_await core.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[1].integer(0, 0));
}

task<std::optional<std::size_t>> no_count() { co_return std::nullopt; }

task<std::optional<sql_result>> no_rows() { co_return std::nullopt; }

}  // namespace

std::int64_t rows_of_page(std::size_t count_max) noexcept
{
    return static_cast<std::int64_t>(std::min<std::size_t>(count_max, INT64_MAX - 1) + 1);
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

sql_parameters wanted_threads(const thread_query& query)
{
    sql_parameters wanted;
    add_text(wanted, query.tenant);
    wanted.integer(bits_of(query.phases)).text(query.metadata_contains).text(query.values_contain);
    add_microseconds(wanted, query.changed_from);
    add_microseconds(wanted, query.changed_before);
    return wanted;
}

task<std::optional<sql_result>> find_matching_threads(pg_core& core, thread_query query)
{
    const bool is_by_metadata = is_filter(query.metadata_contains);
    if (!is_by_metadata && !is_filter(query.values_contain)) return no_rows();
    sql_parameters wanted = wanted_threads(query);
    add_page_of_threads(wanted, query);
    sql_request request =
        indexed_request(is_by_metadata ? sql::threads_by_metadata : sql::threads_by_values, std::move(wanted));
    return find_matching(core, std::move(request), thread_column_count);
}

task<std::optional<std::size_t>> count_matching_threads(pg_core& core, thread_query query)
{
    const bool is_by_metadata = is_filter(query.metadata_contains);
    if (!is_by_metadata && !is_filter(query.values_contain)) return no_count();
    const sql_statement& statement =
        is_by_metadata ? sql::count_threads_by_metadata : sql::count_threads_by_values;
    return count_matching(core, indexed_request(statement, wanted_threads(query)));
}

// The runs of one thread are few, and have an index of their own.
task<std::optional<sql_result>> find_matching_runs(pg_core& core, run_query query)
{
    if ((query.tenant && query.thread) || !is_filter(query.contains)) return no_rows();
    sql_parameters wanted = wanted_runs(query);
    wanted.boolean(query.is_newest_first);
    if (query.after.empty())
        wanted.null('i');
    else
        wanted.integer(list_cursor::parse(query.after).first);
    wanted.integer(rows_of_page(query.count_max)).integer(matches_max);
    return find_matching(core, indexed_request(sql::runs_by_metadata, std::move(wanted)), run_column_count + 2);
}

task<std::optional<std::size_t>> count_matching_runs(pg_core& core, run_query query)
{
    if ((query.tenant && query.thread) || !is_filter(query.contains)) return no_count();
    return count_matching(core, indexed_request(sql::count_runs_by_metadata, wanted_runs(query)));
}

}  // namespace weft::postgres_detail
