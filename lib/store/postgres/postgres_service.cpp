#include "postgres_service.hpp"

#include "row_readers.hpp"
#include "store/postgres/sql/event_parameters.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/queue_texts.hpp"
#include "store/role/announcements.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::postgres_detail {

namespace {

sql_request append_request(const write_fence& by, const std::vector<event_draft>& events,
                           const event_log_limits& limits)
{
    sql_parameters thread = naming(by.thread);
    sql_parameters appended = thread;
    appended.integer(by.epoch).id(by.run.value());
    add_events(appended, events);
    sql_request request;
    request.step(sql::lock_thread, std::move(thread))
        .step(sql::append_events, std::move(appended))
        .step(sql::prune_events, pruning_of(by.run, limits));
    request.writing().of(by.thread);
    return request;
}

// Arrays of parameters are texts: an empty one stands for none.
std::string microseconds_text(wall_time time)
{
    return std::to_string(std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count());
}

sql_request write_request(const std::vector<document_change>& changes)
{
    std::vector<std::string> kinds, tenants, ids, bodies, due, expected;
    for (const document_change& each : changes) {
        kinds.push_back(each.key.kind);
        tenants.push_back(each.key.tenant);
        ids.push_back(each.key.id);
        bodies.push_back(each.body.value_or(std::string{}));
        due.push_back(each.due ? microseconds_text(*each.due) : std::string{});
        expected.push_back(each.expected ? std::to_string(*each.expected) : std::string{});
    }
    sql_parameters keys;
    keys.texts(kinds).texts(tenants).texts(ids);
    sql_parameters written = keys;
    written.texts(bodies).texts(due).texts(expected);
    sql_request request;
    // What the second step reads has to be younger than the locks, so it is a statement of its own.
    request.step(sql::lock_documents, std::move(keys)).step(sql::write_documents, std::move(written));
    request.writing().by_itself();
    return request;
}

sql_parameters wanted_by(const document_query& query)
{
    sql_parameters wanted;
    wanted.text(query.kind);
    if (query.tenant)
        wanted.text(*query.tenant);
    else
        wanted.null('t');
    wanted.text(query.contains);
    return wanted;
}

const sql_statement& statement_of(list_order order) noexcept
{
    switch (order) {
    case list_order::newest_first: return sql::newest_documents;
    case list_order::oldest_first: return sql::oldest_documents;
    case list_order::last_changed_first: return sql::changed_documents;
    case list_order::by_name: break;
    }
    return sql::named_documents;
}

/** One row more than the page has, to know whether there is another page. */
sql_request search_request(const document_query& query)
{
    sql_parameters page = wanted_by(query);
    const bool is_first = query.after.empty();
    const list_cursor after = is_first ? list_cursor{} : list_cursor::parse(query.after);
    if (query.order == list_order::by_name && is_first)
        page.null('t').null('t');
    else if (query.order == list_order::by_name)
        page.text(after.tenant).text(after.name);
    else if (is_first)
        page.null('i');
    else
        page.integer(after.first);
    page.integer(bounded(std::min<std::size_t>(query.count_max, INT64_MAX - 1) + 1));
    sql_request request;
    request.step(statement_of(query.order), std::move(page));
    return request;
}

// The columns behind those of a document are its numbers, of its making and of its last change.
list_cursor cursor_at(const sql_result& rows, std::size_t row, list_order order)
{
    if (order == list_order::by_name) return {0, 0, std::string{rows.text(row, 1)}, std::string{rows.text(row, 2)}};
    return {rows.integer(row, order == list_order::last_changed_first ? 9 : 8), 0, {}, {}};
}

}  // namespace

task<event_append> postgres_service::append(write_fence by, std::vector<event_draft> events, event_log_limits limits)
{
    check_limits(events);
    const sql_answer answer = co_await core_.run(append_request(by, events, limits));
    event_append result;
    // No row: the fence did not hold, so nothing was numbered.
    result.state = answer.results[1].empty() ? write_state::fenced : write_state::ok;
    if (result.state == write_state::ok) result.last = static_cast<std::uint64_t>(answer.results[1].integer(0, 0));
    store_detail::announce_events(core_.news(), by.thread, result.state);
    co_return result;
}

task<event_page> postgres_service::read(run_id run, std::uint64_t after, std::size_t count_max)
{
    sql_parameters which;
    // A number that is greater than any id finds nothing, as it should.
    which.id(run.value()).integer(bounded(after)).integer(bounded(count_max));
    sql_request request;
    request.step(sql::read_events, std::move(which));
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return read_event_page(answer.results[0], after);
}

task<event_prune> postgres_service::prune(std::chrono::milliseconds over_for, std::size_t events_max)
{
    constexpr std::chrono::milliseconds longest = std::chrono::hours{24 * 365 * 100};  // what an interval has room for
    sql_parameters which;
    which.integer(std::min(over_for, longest).count()).integer(bounded(events_max));
    sql_request request;
    request.step(sql::prune_ended_events, std::move(which)).writing().by_itself().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& row = answer.results[0];
    event_prune done;
    done.runs = static_cast<std::size_t>(row.integer(0, 0));
    done.events = static_cast<std::uint64_t>(row.integer(0, 1));
    done.has_more = row.boolean(0, 2);
    co_return done;
}

task<bool> postgres_service::write(std::vector<document_change> changes)
{
    check_limits(changes);
    const sql_answer answer = co_await core_.run(write_request(changes));
    co_return answer.results[1].boolean(0, 0);
}

task<std::optional<stored_document>> postgres_service::read(document_key key)
{
    sql_parameters which;
    which.text(key.kind).text(key.tenant).text(key.id);
    sql_request request;
    request.step(sql::read_document, std::move(which));
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<stored_document> found;
    if (!answer.results[0].empty()) found = read_document_row(answer.results[0], 0);
    co_return found;
}

task<document_page> postgres_service::search(document_query query)
{
    check_limits(query);
    const sql_answer answer = co_await core_.run(search_request(query));
    const sql_result& rows = answer.results[0];
    document_page page;
    for (std::size_t row = 0; row < std::min(rows.size(), query.count_max); ++row)
        page.documents.push_back(read_document_row(rows, row));
    if (rows.size() > query.count_max && query.count_max > 0)
        page.next = cursor_at(rows, query.count_max - 1, query.order).text();
    co_return page;
}

task<std::size_t> postgres_service::count(document_query query)
{
    check_limits(query);
    sql_request request;
    request.step(sql::count_documents, wanted_by(query));
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

task<std::vector<stored_document>> postgres_service::take_due(std::string kind, std::chrono::milliseconds lease,
                                                              std::size_t count_max)
{
    sql_parameters which;
    which.text(kind).integer(lease.count()).integer(bounded(count_max));
    sql_request request;
    request.step(sql::take_due_documents, std::move(which)).writing().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    std::vector<stored_document> taken;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        taken.push_back(read_document_row(answer.results[0], row));
    co_return taken;
}

task<std::size_t> postgres_service::erase_due(std::string kind, std::size_t count_max)
{
    sql_parameters which;
    which.text(kind).integer(bounded(count_max));
    sql_request request;
    request.step(sql::erase_due_documents, std::move(which)).writing().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

task<std::vector<queue_depth>> postgres_service::depths(std::size_t count_max)
{
    sql_parameters parameters;
    parameters.integer(bounded(count_max)).integer(bounded(queue_counted_max));
    sql_request request;
    request.step(sql::queue_depths, std::move(parameters)).of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::vector<queue_depth> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        queue_depth depth;
        depth.tenant = rows.text(row, 0);
        depth.graph = rows.text(row, 1);
        depth.revision = rows.text(row, 2);
        depth.phase = static_cast<run_phase>(rows.integer(row, 3));
        depth.count = static_cast<std::size_t>(rows.integer(row, 4));
        depth.oldest = rows.moment(row, 5);
        found.push_back(std::move(depth));
    }
    co_return found;
}

task<std::vector<dead_runs>> postgres_service::dead(std::size_t count_max)
{
    sql_parameters parameters;
    parameters.integer(bounded(count_max)).integer(bounded(queue_counted_max));
    sql_request request;
    request.step(sql::dead_by_graph, std::move(parameters)).of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::vector<dead_runs> graphs;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        dead_runs dead;
        dead.graph = rows.text(row, 0);
        dead.count = static_cast<std::size_t>(rows.integer(row, 1));
        graphs.push_back(std::move(dead));
    }
    co_return graphs;
}

task<std::vector<unclaimable_runs>> postgres_service::unclaimable(std::size_t count_max)
{
    sql_parameters parameters;
    parameters.integer(bounded(count_max)).integer(bounded(queue_counted_max));
    sql_request request;
    request.step(sql::unclaimable_runs, std::move(parameters)).of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::vector<unclaimable_runs> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        unclaimable_runs kind;
        kind.graph = rows.text(row, 0);
        kind.revision = rows.text(row, 1);
        kind.count = static_cast<std::size_t>(rows.integer(row, 2));
        kind.oldest = rows.moment(row, 3);
        found.push_back(std::move(kind));
    }
    co_return found;
}

task<std::vector<listed_worker>> postgres_service::workers(std::size_t count_max)
{
    sql_parameters parameters;
    parameters.integer(bounded(count_max));
    sql_request request;
    request.step(sql::list_workers, std::move(parameters)).of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::vector<listed_worker> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        listed_worker worker;
        worker.id = rows.integer(row, 0);
        worker.name = rows.text(row, 1);
        worker.since = rows.moment(row, 2);
        worker.seen = rows.moment(row, 3);
        worker.is_alive = rows.boolean(row, 4);
        worker.runs = static_cast<std::size_t>(rows.integer(row, 5));
        worker.graphs = store_detail::abilities_in(rows.text(row, 6));
        found.push_back(std::move(worker));
    }
    co_return found;
}

task<rate_standing> postgres_service::claim(rate_claim what)
{
    check_name_limit(what.rate, "rate");
    check_name_limit(what.holder, "holder");
    sql_parameters parameters;
    parameters.text(what.rate)
        .text(what.holder)
        .integer(what.cost.calls.count())
        .integer(what.cost.tokens.count())
        .integer(what.back.calls.count())
        .integer(what.back.tokens.count())
        .integer(what.pause.count())
        .integer(std::chrono::microseconds{holder_seen_for}.count());
    sql_request request;
    // Its row is locked until it is written: no other request waits with it.
    request.step(sql::claim_rate, std::move(parameters)).writing().by_itself().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    rate_standing standing;
    standing.full_in.calls = std::chrono::microseconds{rows.integer(0, 0)};
    standing.full_in.tokens = std::chrono::microseconds{rows.integer(0, 1)};
    standing.paused = std::chrono::microseconds{rows.integer(0, 2)};
    standing.holders = static_cast<std::uint32_t>(rows.integer(0, 3));
    co_return standing;
}

}  // namespace weft::postgres_detail
