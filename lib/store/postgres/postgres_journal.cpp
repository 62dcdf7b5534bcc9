#include <weft/store/postgres_store.hpp>

#include "claim_watermark.hpp"
#include "pg_core.hpp"
#include "row_readers.hpp"
#include "sql_statements.hpp"
#include "store/record/limit_checks.hpp"

namespace weft {

namespace pg_sql = postgres_detail::sql;
using postgres_detail::sql_answer;
using postgres_detail::sql_parameters;
using postgres_detail::sql_request;
using postgres_detail::sql_result;

namespace {

sql_parameters journal_of(const thread_key& thread)
{
    sql_parameters parameters;
    parameters.text(thread.tenant).text(thread.thread);
    return parameters;
}

/** Two counts: fences that held, rows that were written. */
write_state state_of(const sql_result& rows)
{
    if (rows.integer(0, 0) == 0) return write_state::fenced;
    return rows.integer(0, 1) == 0 ? write_state::duplicate : write_state::ok;
}

}  // namespace

task<write_state> postgres_store::record(write_fence fence, effect_record effect)
{
    check_limits(effect);
    sql_parameters parameters = journal_of(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(effect.address);
    parameters.integer(static_cast<std::int64_t>(effect.phase)).text(effect.key).bytes(effect.body);
    sql_request request;
    request.step(pg_sql::record_effect, std::move(parameters)).writing().of(fence.thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return state_of(answer.results[0]);
}

task<std::vector<effect_record>> postgres_store::effects(thread_key thread)
{
    sql_request request;
    request.step(pg_sql::effects, journal_of(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<effect_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_effect(answer.results[0], row));
    co_return found;
}

task<write_state> postgres_store::ask(write_fence fence, question_record question)
{
    check_limits(question);
    sql_parameters parameters = journal_of(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(question.address).bytes(question.question);
    sql_request request;
    request.step(pg_sql::ask, std::move(parameters)).writing().of(fence.thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return state_of(answer.results[0]);
}

task<answer_state> postgres_store::answer(thread_key thread, std::string address, std::string answer)
{
    check_text_limit(answer, "answer");
    sql_parameters parameters = journal_of(thread);
    parameters.text(address).bytes(answer);
    sql_parameters which = journal_of(thread);
    which.text(address);
    sql_parameters whose = which;
    sql_request request;
    // The lock keeps two last answers from each taking the other question for open.
    request.step(pg_sql::lock_thread, journal_of(thread))
        .step(pg_sql::answer, std::move(parameters))
        .step(pg_sql::find_question, std::move(which))
        .step(pg_sql::ready_if_answered, std::move(whose));
    request.writing().of(thread);
    const sql_answer done = co_await core_->run(std::move(request));
    if (!done.results[3].empty()) watermark_->forget();
    if (!done.results[1].empty()) co_return answer_state::accepted;
    co_return done.results[2].empty() ? answer_state::unknown : answer_state::already_answered;
}

task<std::vector<question_record>> postgres_store::questions(thread_key thread)
{
    sql_request request;
    request.step(pg_sql::questions, journal_of(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<question_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_question(answer.results[0], row));
    co_return found;
}

}  // namespace weft
