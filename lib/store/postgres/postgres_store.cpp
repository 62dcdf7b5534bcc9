#include <weft/store/postgres_store.hpp>

#include "checked_settings.hpp"
#include "claim_watermark.hpp"
#include "postgres_checkpoints.hpp"
#include "postgres_items.hpp"
#include "postgres_runs.hpp"
#include "postgres_service.hpp"
#include "postgres_vectors.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/postgres/wire/pg_core.hpp"
#include "store/record/limit_checks.hpp"
#include "store/role/announcements.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace pg_sql = postgres_detail::sql;
using postgres_detail::naming;
using postgres_detail::sql_answer;
using postgres_detail::sql_parameters;
using postgres_detail::sql_request;
using postgres_detail::sql_result;

namespace {

/** Two counts: fences that held, rows that were written. */
write_state state_of(const sql_result& rows)
{
    if (rows.integer(0, 0) == 0) return write_state::fenced;
    return rows.integer(0, 1) == 0 ? write_state::duplicate : write_state::ok;
}

}  // namespace

postgres_store::postgres_store(std::unique_ptr<postgres_detail::pg_core> core)
    : postgres_worker_registry{std::move(core)},
      runs_{std::make_unique<postgres_detail::postgres_runs>(*core_, *watermark_)},
      checkpoints_{std::make_unique<postgres_detail::postgres_checkpoints>(*core_)},
      items_{std::make_unique<postgres_detail::postgres_items>(*core_)},
      vectors_{std::make_unique<postgres_detail::postgres_vectors>(*core_)},
      service_{std::make_unique<postgres_detail::postgres_service>(*core_)}
{
    use_log_of(*service_);
}

postgres_store::~postgres_store() = default;

task<std::unique_ptr<postgres_store>> postgres_store::open(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    std::unique_ptr<postgres_detail::pg_core> core = co_await postgres_detail::pg_core::open(std::move(settings));
    std::unique_ptr<postgres_store> opened{new postgres_store{std::move(core)}};
    co_return opened;
}

task<void> postgres_store::prepare(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    // That is what it is called for, whatever the options say.
    settings.may_migrate = true;
    settings.fills_at_once = true;
    const std::unique_ptr<postgres_detail::pg_core> core =
        co_await postgres_detail::pg_core::open(std::move(settings));
}

service_store& postgres_store::service() noexcept { return *service_; }

const hash_key& postgres_store::key() const noexcept { return core_->key(); }

// Runs, checkpoints and items are roles of their own, on the same connections.
task<run_admission> postgres_store::enqueue(new_run run)
{
    return runs_->enqueue(std::move(run));
}

task<std::vector<run_claim>> postgres_store::claim(worker_id worker, std::size_t max)
{
    return runs_->claim(worker, max);
}

task<std::optional<run_claim>> postgres_store::resume(worker_id worker, run_id run)
{
    return runs_->resume(worker, run);
}

task<write_state> postgres_store::finish(write_fence fence, run_outcome outcome)
{
    return runs_->finish(std::move(fence), std::move(outcome));
}

task<write_state> postgres_store::bind(write_fence fence, std::string revision)
{
    return runs_->bind(std::move(fence), std::move(revision));
}

task<bool> postgres_store::change_input(thread_key thread, run_id run, std::string input)
{
    return runs_->change_input(std::move(thread), run, std::move(input));
}

task<write_state> postgres_store::yield(write_fence fence)
{
    return runs_->yield(std::move(fence));
}

task<std::optional<run_id>> postgres_store::signal(thread_key thread, run_signal what)
{
    return runs_->signal(std::move(thread), what);
}

task<std::optional<run_record>> postgres_store::find_run(run_id run)
{
    return runs_->find_run(run);
}

task<std::optional<run_record>> postgres_store::active_run(thread_key thread)
{
    return runs_->active_run(std::move(thread));
}

task<commit_result> postgres_store::commit(write_fence fence, checkpoint_draft draft)
{
    return checkpoints_->commit(std::move(fence), std::move(draft));
}

task<std::optional<checkpoint>> postgres_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    return checkpoints_->load(std::move(thread), sequence);
}

task<std::optional<std::pair<thread_key, std::int64_t>>> postgres_store::find(checkpoint_id id)
{
    return checkpoints_->find(id);
}

task<void> postgres_store::read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                      blob_receiver& into)
{
    return checkpoints_->read_ahead(std::move(thread), std::move(roots), likely, into);
}

task<std::vector<blob>> postgres_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    return checkpoints_->read_blobs(std::move(thread), std::move(hashes));
}

task<std::vector<checkpoint_info>> postgres_store::history(thread_key thread, history_page page)
{
    return checkpoints_->history(std::move(thread), page);
}

task<bool> postgres_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    return checkpoints_->fork(std::move(from), sequence, std::move(to), id);
}

task<bool> postgres_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    return checkpoints_->label(std::move(thread), sequence, std::move(name));
}

task<write_state> postgres_store::record(write_fence fence, effect_record effect)
{
    check_limits(effect);
    sql_parameters parameters = naming(fence.thread);
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
    request.step(pg_sql::effects, naming(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<effect_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_effect(answer.results[0], row));
    co_return found;
}

task<write_state> postgres_store::ask(write_fence fence, question_record question)
{
    check_limits(question);
    sql_parameters parameters = naming(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(question.address).bytes(question.question);
    sql_request request;
    request.step(pg_sql::ask, std::move(parameters)).writing().of(fence.thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return state_of(answer.results[0]);
}

task<answer_state> postgres_store::answer(thread_key thread, std::string address, std::string answer)
{
    check_text_limit(answer, "answer");
    sql_parameters parameters = naming(thread);
    parameters.text(address).bytes(answer);
    sql_parameters which = naming(thread);
    which.text(address);
    sql_parameters whose = which;
    sql_request request;
    // The lock keeps two last answers from each taking the other question for open.
    request.step(pg_sql::lock_thread, naming(thread))
        .step(pg_sql::answer, std::move(parameters))
        .step(pg_sql::find_question, std::move(which))
        .step(pg_sql::ready_if_answered, std::move(whose));
    request.writing().of(thread);
    const sql_answer done = co_await core_->run(std::move(request));
    if (!done.results[3].empty()) watermark_->forget();
    answer_state state = answer_state::accepted;
    if (done.results[1].empty())
        state = done.results[2].empty() ? answer_state::unknown : answer_state::already_answered;
    store_detail::announce_answer(core_->news(), thread, state);
    co_return state;
}

task<std::vector<question_record>> postgres_store::questions(thread_key thread)
{
    sql_request request;
    request.step(pg_sql::questions, naming(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<question_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_question(answer.results[0], row));
    co_return found;
}

task<prune_report> postgres_store::prune(thread_key thread, retention what)
{
    return checkpoints_->prune(std::move(thread), what);
}

task<bool> postgres_store::drop(thread_key thread)
{
    const bool was_there = co_await checkpoints_->drop(thread);
    if (was_there) core_->news().announce(store_notice::kind::run, thread);
    co_return was_there;
}

task<thread_usage> postgres_store::usage(thread_key thread)
{
    return checkpoints_->usage(std::move(thread));
}

task<std::vector<thread_summary>> postgres_store::threads(std::string tenant, std::string after, std::size_t max)
{
    return checkpoints_->threads(std::move(tenant), std::move(after), max);
}

task<void> postgres_store::put(std::string tenant, item_key key, boost::json::value value,
                               std::optional<std::chrono::milliseconds> lifetime)
{
    return items_->put(std::move(tenant), std::move(key), std::move(value), lifetime);
}

task<std::optional<stored_item>> postgres_store::get(std::string tenant, item_key key)
{
    return items_->get(std::move(tenant), std::move(key));
}

task<bool> postgres_store::erase(std::string tenant, item_key key)
{
    return items_->erase(std::move(tenant), std::move(key));
}

task<std::vector<stored_item>> postgres_store::list(std::string tenant, std::vector<std::string> space,
                                                    std::optional<item_key> after, std::size_t max)
{
    return items_->list(std::move(tenant), std::move(space), std::move(after), max);
}

task<std::size_t> postgres_store::sweep(std::size_t max) { return items_->sweep(max); }

item_vectors* postgres_store::vectors() noexcept { return vectors_.get(); }

}  // namespace weft
