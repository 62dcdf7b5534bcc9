#include "postgres_checkpoints.hpp"

#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/role/announcements.hpp"
#include "write_refusal.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace weft::postgres_detail {

namespace {

// As many as the stores in memory and in a file remember, which count whenever a run ends.
constexpr std::int64_t ended_runs_kept = 1'000;

using hash_set = std::unordered_set<content_hash>;

// To walk along the index of a thread costs a fifth of so many searches in it, and one way to the server: what the
// blobs lead to comes along.
constexpr std::size_t many_blobs = 128;
constexpr std::size_t rows_for_each = 8;
constexpr std::size_t walked_rows_max = 4'096;

// Of what is read ahead: results of some 64 KB are memory that is used again for the next one, and a statement more
// takes the server as long as a dozen rows.
constexpr std::size_t rows_of_range = 64;
constexpr std::size_t ranges_max = 32;
constexpr std::size_t ahead_for_each = 4;
constexpr std::size_t ahead_rows_max = 8'192;

void take_rows(const sql_result& rows, hash_set& wanted, std::vector<blob>& into)
{
    into.reserve(into.size() + rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::string_view name = rows.text(row, 0);
        content_hash hash;
        if (name.size() != hash.bytes.size()) continue;
        std::copy(name.begin(), name.end(), hash.bytes.begin());
        wanted.erase(hash);
        into.push_back(blob{hash, std::string{rows.text(row, 1)}, rows.hashes(row, 2)});
    }
}

error missing_blob(const thread_key& thread, const content_hash& hash)
{
    return error{errc::store_corrupt, "thread '" + thread.thread + "'", "its blob " + hash.text() + " is missing"};
}

}  // namespace

task<commit_result> postgres_checkpoints::commit(write_fence fence, checkpoint_draft draft)
{
    check_limits(draft);
    BOOST_ASSERT_MSG(!draft.id.is_nil(), "a checkpoint has an id");
    const bool has_events = !draft.events.empty();
    sql_request request;
    request.committing({fence, std::move(draft)});
    const sql_answer answer = co_await core_.run(std::move(request));
    commit_result result;
    // The unique index of ids refused it: it was written before, perhaps by an attempt whose answer was lost.
    if (answer.is_duplicate) {
        result.state = write_state::duplicate;
        result.head = fence.head;
        co_return result;
    }
    if (!answer.head) {
        result = co_await explain_refusal(core_, std::move(fence));
        co_return result;
    }
    result.head = *answer.head;
    if (has_events) store_detail::announce_events(core_.news(), fence.thread, result.state);
    co_return result;
}

task<std::optional<checkpoint>> postgres_checkpoints::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    std::optional<checkpoint> found;
    // To the statement a number below zero is the newest.
    if (sequence && *sequence < 0) co_return found;
    const task_context& context = co_await this_task::context();
    // What came with a claim is for who performs the run, and not for requests of tenants.
    if (sequence && !context.tenant) found = core_.heads().take(thread, *sequence);
    if (found) co_return found;
    sql_parameters parameters = naming(thread);
    parameters.integer(sequence.value_or(-1));
    sql_request request;
    request.step(sql::load, std::move(parameters)).of(thread).anywhere();
    const sql_answer answer = co_await core_.run(std::move(request));
    if (!answer.results[0].empty()) found = read_checkpoint(answer.results[0], 0);
    co_return found;
}

task<std::optional<std::pair<thread_key, std::int64_t>>> postgres_checkpoints::find(checkpoint_id id)
{
    sql_parameters parameters;
    parameters.id(id.value());
    sql_request request;
    request.step(sql::find_checkpoint, std::move(parameters));
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::optional<std::pair<thread_key, std::int64_t>> found;
    if (!rows.empty())
        found.emplace(thread_key{std::string{rows.text(0, 1)}, std::string{rows.text(0, 0)}}, rows.integer(0, 2));
    co_return found;
}

task<std::vector<blob>> postgres_checkpoints::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    std::vector<blob> found;
    hash_set wanted{hashes.begin(), hashes.end()};
    if (wanted.size() >= many_blobs) {
        sql_parameters parameters = naming(thread);
        parameters.integer(static_cast<std::int64_t>(std::min(wanted.size() * rows_for_each, walked_rows_max)));
        sql_request request;
        request.step(sql::walk_blobs, std::move(parameters)).of(thread);
        const sql_answer answer = co_await core_.run(std::move(request));
        take_rows(answer.results[0], wanted, found);
    }
    if (!wanted.empty()) {
        std::vector<std::string> keys;
        for (const content_hash& hash : wanted) keys.emplace_back(bytes_of_hash(hash));
        sql_parameters parameters = naming(thread);
        parameters.byte_strings(keys);
        sql_request request;
        request.step(sql::read_blobs, std::move(parameters)).of(thread);
        const sql_answer answer = co_await core_.run(std::move(request));
        take_rows(answer.results[0], wanted, found);
    }
    // What is left was not found.
    if (!wanted.empty()) throw missing_blob(thread, *wanted.begin());
    co_return found;
}

/** Along the index of the thread, in ranges of the hash, which go out together: each comes with as many rows as
 *  another, since hashes are as good as random, and is looked at while the next is read. */
task<void> postgres_checkpoints::read_ahead(thread_key thread, std::vector<content_hash>, std::size_t likely,
                                            blob_receiver& into)
{
    const std::size_t ranges = std::clamp<std::size_t>(likely / rows_of_range, 1, ranges_max);
    const std::size_t rows = std::min(likely * ahead_for_each, ahead_rows_max) / ranges;
    sql_request request;
    for (std::size_t range = 0; range < ranges; ++range) {
        const std::string begin(1, static_cast<char>(range * 256 / ranges));
        // Longer than any hash, so that the last one is below it too.
        const std::string end = range + 1 < ranges ? std::string(1, static_cast<char>((range + 1) * 256 / ranges))
                                                 : std::string(sizeof(content_hash) + 1, '\xff');
        sql_parameters parameters = naming(thread);
        parameters.bytes(begin).bytes(end).integer(static_cast<std::int64_t>(rows));
        request.step(sql::walk_range, std::move(parameters));
    }
    request.of(thread).anywhere().giving(make_counted<row_packs>());
    co_await core_.run_giving(std::move(request), into);
}

task<std::vector<checkpoint_info>> postgres_checkpoints::history(thread_key thread, history_page page)
{
    constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
    sql_parameters parameters = naming(thread);
    parameters.integer(page.before.value_or(endless))
        .integer(page.kind ? static_cast<std::int64_t>(*page.kind) : -1)
        .integer(static_cast<std::int64_t>(page.count_max));
    sql_request request;
    request.step(sql::history, std::move(parameters)).of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    std::vector<checkpoint_info> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(read_info(answer.results[0], row));
    co_return found;
}

task<bool> postgres_checkpoints::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    check_limits(to);
    if (from.tenant != to.tenant)
        throw error{errc::store_refused, "thread '" + from.thread + "'", "threads fork within their tenant"};
    sql_parameters parameters = naming(from);
    parameters.integer(sequence).text(to.thread).id(id.value());
    sql_parameters same = parameters;
    sql_parameters both = naming(from);
    both.text(to.thread);
    sql_request request;
    // Both threads are locked, which needs the new one to be there: so it is made first.
    request.step(sql::make_fork, std::move(same))
        .step(sql::lock_threads, std::move(both))
        .step(sql::fork, std::move(parameters));
    request.writing().of(from).by_itself();
    const sql_answer answer = co_await core_.run(std::move(request));
    if (answer.is_duplicate) co_return false;
    const sql_result& rows = answer.results[2];
    if (!rows.is_null(0, 1)) throw missing_blob(from, rows.hashes(0, 1).at(0));
    co_return rows.integer(0, 0) > 0;
}

task<bool> postgres_checkpoints::label(thread_key thread, std::int64_t sequence, std::string name)
{
    core_.heads().note(thread, std::nullopt);
    check_name_limit(name, "label");
    sql_parameters parameters = naming(thread);
    parameters.integer(sequence).text(name);
    sql_request request;
    request.step(sql::lock_thread, naming(thread)).step(sql::label, std::move(parameters)).writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[1].empty();
}

task<prune_report> postgres_checkpoints::prune(thread_key thread, retention what)
{
    constexpr std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
    sql_parameters kept = naming(thread);
    kept.integer(static_cast<std::int64_t>(what.keep_last))
        .integer(what.older_than ? nanoseconds_of(*what.older_than) : earliest);
    sql_parameters runs = naming(thread);
    runs.integer(ended_runs_kept);
    sql_request request;
    request.step(sql::lock_thread, naming(thread))
        .step(sql::prune_checkpoints, std::move(kept))
        .step(sql::prune_blobs, naming(thread))
        .step(sql::prune_runs, std::move(runs));
    request.writing().of(thread).by_itself();
    const sql_answer answer = co_await core_.run(std::move(request));
    prune_report report;
    report.checkpoints = static_cast<std::uint64_t>(answer.results[1].integer(0, 0));
    report.blobs = static_cast<std::uint64_t>(answer.results[2].integer(0, 0));
    report.bytes = static_cast<std::uint64_t>(answer.results[1].integer(0, 1) + answer.results[2].integer(0, 1));
    co_return report;
}

task<bool> postgres_checkpoints::drop(thread_key thread)
{
    core_.heads().note(thread, std::nullopt);
    sql_request request;
    request.step(sql::lock_thread, naming(thread)).step(sql::drop_thread, naming(thread));
    request.writing().of(thread).by_itself();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[1].empty();
}

task<thread_usage> postgres_checkpoints::usage(thread_key thread)
{
    sql_request request;
    request.step(sql::usage, naming(thread)).of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    thread_usage usage;
    if (rows.empty()) co_return usage;
    usage.checkpoints = static_cast<std::uint64_t>(rows.integer(0, 0));
    usage.blobs = static_cast<std::uint64_t>(rows.integer(0, 1));
    usage.bytes = static_cast<std::uint64_t>(rows.integer(0, 2));
    co_return usage;
}

task<std::vector<thread_summary>> postgres_checkpoints::threads(std::string tenant, std::string after, std::size_t max)
{
    sql_parameters parameters;
    parameters.text(tenant).text(after).integer(static_cast<std::int64_t>(max));
    sql_request request;
    request.step(sql::threads, std::move(parameters));
    const sql_answer answer = co_await core_.run(std::move(request));
    const sql_result& rows = answer.results[0];
    std::vector<thread_summary> found(rows.size());
    for (std::size_t row = 0; row < found.size(); ++row) {
        found[row].thread = thread_key{std::string{rows.text(row, 0)}, tenant};
        found[row].head = rows.integer(row, 1);
        if (!rows.is_null(row, 2)) found[row].active = run_id{rows.id(row, 2)};
        found[row].changed = rows.moment(row, 3);
    }
    co_return found;
}

}  // namespace weft::postgres_detail
