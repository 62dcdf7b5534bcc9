#include <weft/store/memory_store.hpp>

#include "memory_service.hpp"
#include "store/role/announcements.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/store/record/store_model.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

/** Are copied before the loop has its turn. */
constexpr std::ptrdiff_t copied_at_once = 256;

// Both clocks at one moment: that of the loop, which does not jump, for lifetimes; the other one for people.
store_moment store_moment_of(const serial_loop& loop) { return {loop.now(), loop.clock().system_now()}; }

/** @param model   It and its lock outlive the task. */
store_news::due_task next_due_of(std::mutex& lock, const store_model& model)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const std::lock_guard guard{lock};
    co_return model.next_due(at);
}

}  // namespace

memory_store::memory_store() : memory_store{new_hash_key()} {}

memory_store::memory_store(hash_key key) : memory_store{key, store_model_options{}} {}

memory_store::memory_store(hash_key key, store_model_options options) : memory_store{store_model{key, options}} {}

memory_store::memory_store(store_model from)
    : announcing_store{from.key(), {.next_due = [this] { return next_due_of(mutex_, *model_); }}},
      model_{std::make_unique<store_model>(std::move(from))},
      service_{std::make_unique<memory_service>(mutex_, *model_, *news())}
{
    use_log_of(*service_);
}

memory_store::~memory_store() = default;

const hash_key& memory_store::key() const noexcept { return model_->key(); }

service_store& memory_store::service() noexcept { return *service_; }

// A copy, because what the lock protects must not be seen without it.
store_model memory_store::snapshot() const
{
    const std::lock_guard lock{mutex_};
    return *model_;
}

task<worker_id> memory_store::enter(worker_entry entry)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.enter(std::move(entry), at); });
}

task<heartbeat_report> memory_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.heartbeat(worker, lifetime, at); });
}

task<bool> memory_store::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    const bool is_known = locked([&](store_model& model) { return model.change_graphs(worker, std::move(graphs)); });
    co_return is_known;
}

task<void> memory_store::leave(worker_id worker)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    locked([&](store_model& model) { model.leave(worker, at); });
    store_detail::announce_changes(*news(), true);
}

task<std::size_t> memory_store::reap(std::size_t runs_max)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const std::size_t count = locked([&](store_model& model) { return model.reap(runs_max, at); });
    store_detail::announce_changes(*news(), count > 0);
    co_return count;
}

task<run_admission> memory_store::enqueue(new_run run)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const store_detail::entry_note note{run};
    run_admission admission = locked([&](store_model& model) { return model.enqueue(std::move(run), at); });
    store_detail::announce_entry(*news(), note, admission);
    co_return admission;
}

task<std::vector<run_claim>> memory_store::claim(worker_id worker, std::size_t max)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.claim(worker, max, at); });
}

task<std::optional<run_claim>> memory_store::resume(worker_id worker, run_id run)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.resume(worker, run, at); });
}

task<write_state> memory_store::finish(write_fence fence, run_outcome outcome)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const write_state state =
        locked([&](store_model& model) { return model.finish(fence, std::move(outcome), at); });
    store_detail::announce_release(*news(), fence.thread, state);
    co_return state;
}

task<write_state> memory_store::bind(write_fence fence, std::string revision)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.bind(fence, std::move(revision), at); });
}

task<bool> memory_store::change_input(thread_key thread, run_id run, std::string input)
{
    co_return locked([&](store_model& model) { return model.change_input(thread, run, std::move(input)); });
}

task<write_state> memory_store::yield(write_fence fence)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const write_state state = locked([&](store_model& model) { return model.yield(fence, at); });
    store_detail::announce_release(*news(), fence.thread, state);
    co_return state;
}

task<std::optional<run_id>> memory_store::signal(thread_key thread, run_signal what)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const std::optional<run_id> run =
        locked([&](store_model& model) { return model.signal(thread, what, at); });
    if (run) news()->announce(store_notice::kind::signal, thread);
    co_return run;
}

task<std::optional<run_record>> memory_store::find_run(run_id run)
{
    co_return locked([&](store_model& model) { return model.find_run(run); });
}

task<std::optional<run_record>> memory_store::active_run(thread_key thread)
{
    co_return locked([&](store_model& model) { return model.active_run(thread); });
}

task<commit_result> memory_store::commit(write_fence fence, checkpoint_draft draft)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const bool has_events = !draft.events.empty();
    const commit_result done =
        locked([&](store_model& model) { return model.commit(fence, std::move(draft), at); });
    if (has_events) store_detail::announce_events(*news(), fence.thread, done.state);
    co_return done;
}

task<std::optional<checkpoint>> memory_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    co_return locked([&](store_model& model) { return model.load(thread, sequence); });
}

task<std::optional<std::pair<thread_key, std::int64_t>>> memory_store::find(checkpoint_id id)
{
    co_return locked([&](store_model& model) { return model.find(id); });
}

task<std::vector<blob>> memory_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    // A hash that is asked for twice is given once, in whichever piece.
    std::unordered_set<content_hash> asked;
    if (std::ssize(hashes) > copied_at_once)
        std::erase_if(hashes, [&asked](const content_hash& each) { return !asked.insert(each).second; });
    std::vector<blob> all;
    for (auto first = hashes.begin(); first != hashes.end();) {
        if (!all.empty()) co_await yield_now();
        const auto last = first + std::min(copied_at_once, hashes.end() - first);
        std::vector<blob> some =
            locked([&](store_model& model) { return model.read_blobs(thread, {first, last}); });
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
        first = last;
    }
    co_return all;
}

task<std::vector<checkpoint_info>> memory_store::history(thread_key thread, history_page page)
{
    co_return locked([&](store_model& model) { return model.history(thread, page); });
}

task<bool> memory_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.fork(from, sequence, to, id, at); });
}

task<bool> memory_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    co_return locked([&](store_model& model) { return model.label(thread, sequence, std::move(name)); });
}

task<write_state> memory_store::record(write_fence fence, effect_record effect)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.record(fence, std::move(effect), at); });
}

task<std::vector<effect_record>> memory_store::effects(thread_key thread)
{
    co_return locked([&](store_model& model) { return model.effects(thread); });
}

task<write_state> memory_store::ask(write_fence fence, question_record question)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    co_return locked([&](store_model& model) { return model.ask(fence, std::move(question), at); });
}

task<answer_state> memory_store::answer(thread_key thread, std::string address, std::string answer)
{
    const store_moment at = store_moment_of(co_await this_task::loop());
    const answer_state state =
        locked([&](store_model& model) { return model.answer(thread, address, std::move(answer), at); });
    store_detail::announce_answer(*news(), thread, state);
    co_return state;
}

task<std::vector<question_record>> memory_store::questions(thread_key thread)
{
    co_return locked([&](store_model& model) { return model.questions(thread); });
}

task<prune_report> memory_store::prune(thread_key thread, retention what)
{
    co_return locked([&](store_model& model) { return model.prune(thread, what); });
}

task<bool> memory_store::drop(thread_key thread)
{
    const bool was_there = locked([&](store_model& model) { return model.drop(thread); });
    if (was_there) news()->announce(store_notice::kind::run, thread);
    co_return was_there;
}

task<thread_usage> memory_store::usage(thread_key thread)
{
    co_return locked([&](store_model& model) { return model.usage(thread); });
}

task<std::vector<thread_summary>> memory_store::threads(std::string tenant, std::string after, std::size_t max)
{
    co_return locked([&](store_model& model) { return model.threads(tenant, after, max); });
}

}  // namespace weft
