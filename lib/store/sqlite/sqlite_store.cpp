#include <weft/store/sqlite_store.hpp>

#include "sqlite_blob_walk.hpp"
#include "sqlite_checkpoints.hpp"
#include "sqlite_core.hpp"
#include "sqlite_housekeeping.hpp"
#include "sqlite_items.hpp"
#include "sqlite_vectors.hpp"
#include "sqlite_journal.hpp"
#include "sqlite_run_records.hpp"
#include "sqlite_runs.hpp"
#include "sqlite_service.hpp"
#include "store/record/event_pruning.hpp"
#include "store/record/limit_checks.hpp"
#include "store/role/announcements.hpp"

#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft {

namespace {

using sqlite_detail::connection;
using sqlite_detail::moment;

// About what the row of a call takes beside its texts.
constexpr std::size_t row_bytes = 256;

}  // namespace

// Each operation is a function of its room on a connection. Here it gets its parameters by value, since the coroutine
// that waits may be gone while an OS thread works, and limits are checked before anything is queued.
sqlite_store::sqlite_store(std::unique_ptr<sqlite_detail::core> core)
    : sqlite_worker_registry{std::move(core)},
      service_{std::make_unique<sqlite_detail::sqlite_service>(*core_, *news())},
      vectors_{std::make_unique<sqlite_detail::sqlite_vectors>(*core_)}
{
    use_log_of(*service_);
}

sqlite_store::~sqlite_store() = default;

task<std::unique_ptr<sqlite_store>> sqlite_store::open(sqlite_options options)
{
    auto core = std::make_unique<sqlite_detail::core>(std::move(options));
    // Not in a constructor: opening takes as long as a check of the whole file.
    co_await core->open();
    co_return std::unique_ptr<sqlite_store>{new sqlite_store{std::move(core)}};
}

sqlite_counts sqlite_store::counts() const noexcept { return core_->counts(); }

service_store& sqlite_store::service() noexcept { return *service_; }

const hash_key& sqlite_store::key() const noexcept { return core_->key(); }

task<run_admission> sqlite_store::enqueue(new_run run)
{
    check_limits(run);
    const std::size_t bytes = row_bytes + run.input.size();
    const store_detail::entry_note note{run};
    auto work = [run = std::move(run)](connection& db, const moment& at) {
        return sqlite_detail::enter_run(db, run, at);
    };
    run_admission admission = co_await core_->write(std::move(work), bytes);
    store_detail::announce_entry(*news(), note, admission);
    co_return admission;
}

task<std::vector<run_claim>> sqlite_store::claim(worker_id worker, std::size_t max)
{
    auto work = [worker, max, turn = &core_->turn()](connection& db, const moment& at) {
        return sqlite_detail::claim_runs(db, *turn, worker, max, at);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<std::optional<run_claim>> sqlite_store::resume(worker_id worker, run_id run)
{
    auto work = [worker, run](connection& db, const moment& at) {
        return sqlite_detail::resume_run(db, worker, run, at);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<write_state> sqlite_store::finish(write_fence fence, run_outcome outcome)
{
    check_limits(outcome);
    thread_key thread = fence.thread;
    auto work = [fence = std::move(fence), outcome = std::move(outcome)](connection& db, const moment& at) {
        return sqlite_detail::finish_run(db, fence, outcome, at);
    };
    const write_state state = co_await core_->write(std::move(work), row_bytes);
    store_detail::announce_release(*news(), thread, state);
    co_return state;
}

task<write_state> sqlite_store::bind(write_fence fence, std::string revision)
{
    check_name_limit(revision, "revision");
    auto work = [fence = std::move(fence), revision = std::move(revision)](connection& db, const moment&) {
        return sqlite_detail::bind_run(db, fence, revision);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<bool> sqlite_store::change_input(thread_key thread, run_id run, std::string input)
{
    check_text_limit(input, "input");
    const std::size_t bytes = row_bytes + input.size();
    auto work = [thread = std::move(thread), run, input = std::move(input)](connection& db, const moment&) {
        return sqlite_detail::change_input_of_run(db, thread, run, input);
    };
    co_return co_await core_->write(std::move(work), bytes);
}

task<write_state> sqlite_store::yield(write_fence fence)
{
    thread_key thread = fence.thread;
    auto work = [fence = std::move(fence)](connection& db, const moment& at) {
        return sqlite_detail::yield_run(db, fence, at);
    };
    const write_state state = co_await core_->write(std::move(work), row_bytes);
    store_detail::announce_release(*news(), thread, state);
    co_return state;
}

task<std::optional<run_id>> sqlite_store::signal(thread_key thread, run_signal what)
{
    auto work = [thread, what](connection& db, const moment& at) {
        return sqlite_detail::signal_run(db, thread, what, at);
    };
    const std::optional<run_id> run = co_await core_->write(std::move(work), row_bytes);
    if (run) news()->announce(store_notice::kind::signal, thread);
    co_return run;
}

task<std::optional<run_record>> sqlite_store::find_run(run_id run)
{
    auto work = [run](connection& db, const moment&) { return sqlite_detail::read_run(db, run); };
    co_return co_await core_->read(std::move(work));
}

task<std::optional<run_record>> sqlite_store::active_run(thread_key thread)
{
    auto work = [thread = std::move(thread)](connection& db, const moment&) {
        return sqlite_detail::read_active_run(db, thread);
    };
    co_return co_await core_->read(std::move(work));
}

task<commit_result> sqlite_store::commit(write_fence fence, checkpoint_draft draft)
{
    check_limits(draft);
    const std::size_t bytes = row_bytes + bytes_of(draft) + size_of(draft.events);
    const bool has_events = !draft.events.empty();
    const thread_key thread = fence.thread;
    auto work = [fence = std::move(fence), draft = std::move(draft)](connection& db, const moment& at) {
        return sqlite_detail::commit_checkpoint(db, fence, draft, at);
    };
    const commit_result done = co_await core_->write(std::move(work), bytes);
    if (has_events) store_detail::announce_events(*news(), thread, done.state);
    co_return done;
}

task<std::optional<checkpoint>> sqlite_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    auto work = [thread = std::move(thread), sequence](connection& db, const moment&) {
        return sqlite_detail::read_checkpoint(db, thread, sequence);
    };
    co_return co_await core_->read(std::move(work));
}

task<std::optional<std::pair<thread_key, std::int64_t>>> sqlite_store::find(checkpoint_id id)
{
    auto work = [id](connection& db, const moment&) { return sqlite_detail::find_checkpoint(db, id); };
    co_return co_await core_->read(std::move(work));
}

task<void> sqlite_store::read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                    blob_receiver& into)
{
    auto work = [thread = std::move(thread), roots = std::move(roots), likely](connection& db, const auto& give) {
        sqlite_detail::read_ahead(db, thread, {roots, likely}, give);
    };
    return core_->read_packs(std::move(work), into);
}

task<std::vector<blob>> sqlite_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    auto work = [thread = std::move(thread), hashes = std::move(hashes)](connection& db, const moment&) {
        return sqlite_detail::read_blobs(db, thread, hashes);
    };
    co_return co_await core_->read(std::move(work));
}

task<std::vector<checkpoint_info>> sqlite_store::history(thread_key thread, history_page page)
{
    auto work = [thread = std::move(thread), page](connection& db, const moment&) {
        return sqlite_detail::read_history(db, thread, page);
    };
    co_return co_await core_->read(std::move(work));
}

task<bool> sqlite_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    check_limits(to);
    sqlite_detail::fork_target target{std::move(from), sequence, std::move(to), id};
    auto work = [target = std::move(target)](connection& db, const moment& at) {
        return sqlite_detail::fork_thread(db, target, at);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<bool> sqlite_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    check_name_limit(name, "label");
    auto work = [thread = std::move(thread), sequence, name = std::move(name)](connection& db, const moment&) {
        return sqlite_detail::label_checkpoint(db, thread, sequence, name);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<write_state> sqlite_store::record(write_fence fence, effect_record effect)
{
    check_limits(effect);
    const std::size_t bytes = row_bytes + effect.body.size();
    auto work = [fence = std::move(fence), effect = std::move(effect)](connection& db, const moment& at) {
        return sqlite_detail::record_effect(db, fence, effect, at);
    };
    co_return co_await core_->write(std::move(work), bytes);
}

task<std::vector<effect_record>> sqlite_store::effects(thread_key thread)
{
    auto work = [thread = std::move(thread)](connection& db, const moment&) {
        return sqlite_detail::read_effects(db, thread);
    };
    co_return co_await core_->read(std::move(work));
}

task<write_state> sqlite_store::ask(write_fence fence, question_record question)
{
    check_limits(question);
    const std::size_t bytes = row_bytes + question.question.size();
    auto work = [fence = std::move(fence), question = std::move(question)](connection& db, const moment& at) {
        return sqlite_detail::ask_question(db, fence, question, at);
    };
    co_return co_await core_->write(std::move(work), bytes);
}

task<answer_state> sqlite_store::answer(thread_key thread, std::string address, std::string answer)
{
    check_text_limit(answer, "answer");
    const std::size_t bytes = row_bytes + answer.size();
    question_record answered{std::move(address), std::string{}};
    answered.answer = std::move(answer);
    auto work = [thread, answered = std::move(answered)](connection& db, const moment& at) {
        return sqlite_detail::answer_question(db, thread, answered, at);
    };
    const answer_state state = co_await core_->write(std::move(work), bytes);
    store_detail::announce_answer(*news(), thread, state);
    co_return state;
}

task<std::vector<question_record>> sqlite_store::questions(thread_key thread)
{
    auto work = [thread = std::move(thread)](connection& db, const moment&) {
        return sqlite_detail::read_questions(db, thread);
    };
    co_return co_await core_->read(std::move(work));
}

task<prune_report> sqlite_store::prune(thread_key thread, retention what)
{
    auto work = [thread = std::move(thread), what](connection& db, const moment&) {
        return sqlite_detail::prune_thread(db, thread, what);
    };
    co_return co_await core_->write(std::move(work), row_bytes);
}

task<bool> sqlite_store::drop(thread_key thread)
{
    auto work = [thread](connection& db, const moment&) { return sqlite_detail::drop_thread(db, thread); };
    const bool was_there = co_await core_->write(std::move(work), row_bytes);
    if (was_there) news()->announce(store_notice::kind::run, thread);
    co_return was_there;
}

task<thread_usage> sqlite_store::usage(thread_key thread)
{
    auto work = [thread = std::move(thread)](connection& db, const moment&) {
        return sqlite_detail::read_usage(db, thread);
    };
    co_return co_await core_->read(std::move(work));
}

task<std::vector<thread_summary>> sqlite_store::threads(std::string tenant, std::string after, std::size_t max)
{
    auto work = [tenant = std::move(tenant), after = std::move(after), max](connection& db, const moment&) {
        return sqlite_detail::read_threads(db, tenant, after, max);
    };
    co_return co_await core_->read(std::move(work));
}

task<void> sqlite_store::put(std::string tenant, item_key key, boost::json::value value,
                             std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    sqlite_detail::item_draft item{std::move(tenant), std::move(key), to_json_text(value), lifetime};
    check_text_limit(item.value, "item");
    const std::size_t bytes = item.value.size();
    auto work = [item = std::move(item)](connection& db, const moment& at) { sqlite_detail::write_item(db, item, at); };
    co_await core_->write(std::move(work), bytes);
}

task<std::optional<stored_item>> sqlite_store::get(std::string tenant, item_key key)
{
    auto work = [tenant = std::move(tenant), key = std::move(key)](connection& db, const moment& at) {
        return sqlite_detail::read_item(db, tenant, key, at);
    };
    co_return co_await core_->read(std::move(work));
}

task<bool> sqlite_store::erase(std::string tenant, item_key key)
{
    auto work = [tenant = std::move(tenant), key = std::move(key)](connection& db, const moment& at) {
        return sqlite_detail::delete_item(db, tenant, key, at);
    };
    co_return co_await core_->write(std::move(work), 0);
}

task<std::vector<stored_item>> sqlite_store::list(std::string tenant, std::vector<std::string> space,
                                                  std::optional<item_key> after, std::size_t max)
{
    check_limits(space);
    sqlite_detail::item_range range{std::move(tenant), std::move(space), std::move(after), max};
    auto work = [range = std::move(range)](connection& db, const moment& at) {
        return sqlite_detail::list_items(db, range, at);
    };
    co_return co_await core_->read(std::move(work));
}

task<std::size_t> sqlite_store::sweep(std::size_t max)
{
    auto work = [max](connection& db, const moment& at) {
        return sqlite_detail::sweep_items(db, max, at);
    };
    co_return co_await core_->write(std::move(work), 0);
}

item_vectors* sqlite_store::vectors() noexcept { return vectors_.get(); }

}  // namespace weft
