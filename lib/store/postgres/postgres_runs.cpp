#include "postgres_runs.hpp"

#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/queue_texts.hpp"
#include "store/role/announcements.hpp"
#include "write_refusal.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <chrono>

namespace weft::postgres_detail {

namespace {

/** A moment in microseconds, or null. */
void add_moment(sql_parameters& parameters, const std::optional<wall_time>& moment)
{
    if (moment)
        parameters.integer(std::chrono::floor<std::chrono::microseconds>(moment->time_since_epoch()).count());
    else
        parameters.null('i');
}

sql_request enqueue_request(const new_run& run)
{
    const auto add_key = [&](sql_parameters& parameters) {
        if (run.idempotency_key.empty())
            parameters.null('t');
        else
            parameters.text(run.idempotency_key);
    };
    sql_parameters made = naming(run.thread);
    made.id(run.id.value());
    add_key(made);
    sql_request request;
    request.step(sql::make_thread, std::move(made)).step(sql::lock_thread, naming(run.thread));
    if (run.busy == busy_policy::replace) {
        sql_parameters replaced = naming(run.thread);
        replaced.integer(static_cast<std::int64_t>(run_signal::cancel)).id(run.id.value());
        add_key(replaced);
        request.step(sql::signal, std::move(replaced));
    }
    sql_parameters parameters;
    parameters.integer(run.start_on).text(run.thread.tenant).text(run.thread.thread).id(run.id.value());
    add_key(parameters);
    parameters.text(run.graph)
        .bytes(run.input)
        .boolean(run.busy != busy_policy::reject)
        .integer(static_cast<std::int64_t>(run.attempts_max))
        .text(run.metadata)
        .text(run.webhook)
        .integer(run.priority);
    add_moment(parameters, run.not_before);
    parameters.text(run.revision).text(store_detail::text_of_keys(run.limit_keys));
    request.step(sql::enqueue, std::move(parameters)).writing().of(run.thread);
    return request;
}

sql_request claim_request(worker_id worker, std::size_t max, const store_detail::queue_turn& turn, std::int64_t floor)
{
    sql_parameters parameters;
    parameters.integer(worker)
        .integer(static_cast<std::int64_t>(std::min<std::size_t>(max, INT32_MAX)))
        .text(turn.tenant)
        .integer(turn.left)
        .integer(floor);
    sql_request request;
    request.step(sql::claim, std::move(parameters)).writing().by_itself().of_engine();
    return request;
}

constexpr int enqueue_attempts_max = 3;

}  // namespace

task<run_admission> postgres_runs::enqueue(new_run run)
{
    check_limits(run);
    BOOST_ASSERT_MSG(!run.id.is_nil(), "a run has an id");
    const store_detail::entry_note note{run};
    for (int attempt = 0; attempt < enqueue_attempts_max; ++attempt) {
        sql_request request = enqueue_request(run);
        if (run.start_on == 0 && !run.not_before)
            request.announcing({{store_notice::kind::run, core_.news().name_of(run.thread)},
                                run.id.value(),
                                run.busy != busy_policy::replace});
        sql_answer answer = co_await core_.run(std::move(request));
        // A run with this key was entered at the same moment: the next look finds it.
        if (answer.is_duplicate) continue;
        run_admission admission = read_admission(answer.results.back(), run);
        if (admission.what == run_admission::kind::duplicate) co_await reach_disk();
        if (run.busy == busy_policy::replace) watermark_.forget();
        store_detail::announce_entry(core_.news(), note, admission, answer.is_announced);
        co_return admission;
    }
    throw error{errc::store_unavailable, core_.settings().where.label(),
                "run " + run.id.text() + " or its key comes and goes: nothing was entered"};
}

/** The entry that is there already may be seen before it is on disk; its caller is answered later. */
task<void> postgres_runs::reach_disk()
{
    sql_request request;
    request.step(sql::reach_disk, sql_parameters{}).writing().of_engine();
    static_cast<void>(co_await core_.run(std::move(request)));
}

task<std::vector<run_claim>> postgres_runs::claim(worker_id worker, std::size_t max)
{
    const time_point began = real_clock().now();
    const std::optional<std::int64_t> mark = watermark_.mark(began);
    sql_request request = claim_request(worker, max, turn(), mark.value_or(INT64_MIN));
    const sql_answer answer = co_await core_.run(std::move(request));
    if (!mark) watermark_.looked(began, real_clock().now());
    const sql_result& rows = answer.results[0];
    // Columns of claims: the run's place, in whose order they come, whose turn it is now, and the newest checkpoint.
    constexpr int place = 8;
    constexpr int turn_tenant = 11;
    constexpr int turn_left = 12;
    constexpr int newest = 13;
    std::vector<run_claim> claims;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        claims.push_back(read_claim(rows, row));
        std::optional<checkpoint> head;
        if (!rows.is_null(row, newest)) head = read_checkpoint(rows, row, newest);
        core_.heads().note(claims.back().fence.thread, std::move(head));
    }
    if (rows.empty()) co_return claims;
    watermark_.advance(rows.integer(0, place));
    set_turn({std::string{rows.text(0, turn_tenant)}, static_cast<std::uint32_t>(rows.integer(0, turn_left))});
    co_return claims;
}

store_detail::queue_turn postgres_runs::turn() const
{
    const std::lock_guard guard{lock_};
    return turn_;
}

void postgres_runs::set_turn(store_detail::queue_turn turn)
{
    const std::lock_guard guard{lock_};
    turn_ = std::move(turn);
}

task<std::optional<run_claim>> postgres_runs::resume(worker_id worker, run_id run)
{
    sql_parameters which;
    which.id(run.value());
    sql_parameters parameters;
    parameters.integer(worker).id(run.value());
    sql_request request;
    sql_parameters same = parameters;
    request.step(sql::lock_thread_of_run, std::move(which))
        .step(sql::ready_if_limited, std::move(same))
        .step(sql::resume, std::move(parameters))
        .writing()
        .of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<run_claim> taken;
    if (!answer.results[2].empty()) taken = read_claim(answer.results[2], 0);
    co_return taken;
}

task<write_state> postgres_runs::finish(write_fence fence, run_outcome outcome)
{
    check_limits(outcome);
    BOOST_ASSERT_MSG(outcome.phase == run_phase::waiting || is_over(outcome.phase), "a finished run waits or is over");
    sql_parameters parameters = naming(fence.thread);
    parameters.integer(fence.epoch)
        .integer(fence.head)
        .id(fence.run.value())
        .integer(static_cast<std::int64_t>(outcome.phase))
        .bytes(outcome.message)
        .text(outcome.asked_below);
    add_moment(parameters, outcome.wakes_at);
    parameters.integer(outcome.phase == run_phase::failed && outcome.may_retry ? 1 : 0);
    sql_request request;
    request.step(sql::lock_thread, naming(fence.thread)).step(sql::finish, std::move(parameters));
    request.writing().of(fence.thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    watermark_.forget();
    if (!answer.results[1].empty()) {
        store_detail::announce_release(core_.news(), fence.thread, write_state::ok);
        co_return write_state::ok;
    }
    const commit_result why = co_await explain_refusal(core_, std::move(fence));
    co_return why.state;
}

task<write_state> postgres_runs::bind(write_fence fence, std::string revision)
{
    check_name_limit(revision, "revision");
    sql_parameters parameters = naming(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(revision);
    sql_request request;
    request.step(sql::lock_thread, naming(fence.thread)).step(sql::bind_run, std::move(parameters));
    request.writing().of(fence.thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return answer.results[1].empty() ? write_state::fenced : write_state::ok;
}

task<bool> postgres_runs::change_input(thread_key thread, run_id run, std::string input)
{
    check_text_limit(input, "input");
    sql_parameters parameters = naming(thread);
    parameters.id(run.value()).bytes(input);
    sql_request request;
    request.step(sql::lock_thread, naming(thread)).step(sql::change_input, std::move(parameters));
    request.writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[1].empty();
}

task<write_state> postgres_runs::yield(write_fence fence)
{
    sql_parameters parameters = naming(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value());
    sql_request request;
    request.step(sql::lock_thread, naming(fence.thread)).step(sql::yield_run, std::move(parameters));
    request.writing().of(fence.thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    watermark_.forget();
    const write_state state = answer.results[1].empty() ? write_state::fenced : write_state::ok;
    store_detail::announce_release(core_.news(), fence.thread, state);
    co_return state;
}

task<std::optional<run_id>> postgres_runs::signal(thread_key thread, run_signal what)
{
    sql_parameters parameters = naming(thread);
    parameters.integer(static_cast<std::int64_t>(what)).null('u').null('t');
    sql_request request;
    request.step(sql::lock_thread, naming(thread)).step(sql::signal, std::move(parameters)).writing().of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    watermark_.forget();
    std::optional<run_id> active;
    if (!answer.results[1].empty()) active = run_id{answer.results[1].id(0, 0)};
    if (active) core_.news().announce(store_notice::kind::signal, thread);
    co_return active;
}

task<std::optional<run_record>> postgres_runs::find_run(run_id run)
{
    sql_parameters parameters;
    parameters.id(run.value());
    sql_request request;
    request.step(sql::find_run, std::move(parameters));
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<run_record> found;
    if (!answer.results[0].empty()) found = read_run(answer.results[0], 0);
    co_return found;
}

task<std::optional<run_record>> postgres_runs::active_run(thread_key thread)
{
    sql_request request;
    request.step(sql::active_run, naming(thread)).of(thread);
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<run_record> found;
    if (!answer.results[0].empty()) found = read_run(answer.results[0], 0);
    co_return found;
}

}  // namespace weft::postgres_detail
