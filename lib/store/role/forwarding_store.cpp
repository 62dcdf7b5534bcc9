#include <weft/store/role/forwarding_store.hpp>

namespace weft {

// Tasks are handed on as they are, without a coroutine of their own.
task<worker_id> forwarding_store::enter(worker_entry entry)
{
    return inner_.enter(std::move(entry));
}

task<heartbeat_report> forwarding_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    return inner_.heartbeat(worker, lifetime);
}

task<bool> forwarding_store::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    return inner_.change_graphs(worker, std::move(graphs));
}

task<void> forwarding_store::leave(worker_id worker)
{
    return inner_.leave(worker);
}

task<std::size_t> forwarding_store::reap(std::size_t runs_max)
{
    return inner_.reap(runs_max);
}

task<run_admission> forwarding_store::enqueue(new_run run)
{
    return inner_.enqueue(std::move(run));
}

task<std::vector<run_claim>> forwarding_store::claim(worker_id worker, std::size_t max)
{
    return inner_.claim(worker, max);
}

task<std::optional<run_claim>> forwarding_store::resume(worker_id worker, run_id run)
{
    return inner_.resume(worker, run);
}

task<write_state> forwarding_store::finish(write_fence fence, run_outcome outcome)
{
    return inner_.finish(std::move(fence), std::move(outcome));
}

task<write_state> forwarding_store::bind(write_fence fence, std::string revision)
{
    return inner_.bind(std::move(fence), std::move(revision));
}

task<bool> forwarding_store::change_input(thread_key thread, run_id run, std::string input)
{
    return inner_.change_input(std::move(thread), run, std::move(input));
}

task<write_state> forwarding_store::yield(write_fence fence)
{
    return inner_.yield(std::move(fence));
}

task<std::optional<run_id>> forwarding_store::signal(thread_key thread, run_signal what)
{
    return inner_.signal(std::move(thread), what);
}

task<std::optional<run_record>> forwarding_store::find_run(run_id run)
{
    return inner_.find_run(run);
}

task<std::optional<run_record>> forwarding_store::active_run(thread_key thread)
{
    return inner_.active_run(std::move(thread));
}

task<commit_result> forwarding_store::commit(write_fence fence, checkpoint_draft draft)
{
    return inner_.commit(std::move(fence), std::move(draft));
}

task<std::optional<checkpoint>> forwarding_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    return inner_.load(std::move(thread), sequence);
}

task<std::optional<std::pair<thread_key, std::int64_t>>> forwarding_store::find(checkpoint_id id)
{
    return inner_.find(id);
}

task<std::vector<blob>> forwarding_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    return inner_.read_blobs(std::move(thread), std::move(hashes));
}

task<std::vector<checkpoint_info>> forwarding_store::history(thread_key thread, history_page page)
{
    return inner_.history(std::move(thread), page);
}

task<bool> forwarding_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    return inner_.fork(std::move(from), sequence, std::move(to), id);
}

task<bool> forwarding_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    return inner_.label(std::move(thread), sequence, std::move(name));
}

task<write_state> forwarding_store::record(write_fence fence, effect_record effect)
{
    return inner_.record(std::move(fence), std::move(effect));
}

task<std::vector<effect_record>> forwarding_store::effects(thread_key thread)
{
    return inner_.effects(std::move(thread));
}

task<write_state> forwarding_store::ask(write_fence fence, question_record question)
{
    return inner_.ask(std::move(fence), std::move(question));
}

task<answer_state> forwarding_store::answer(thread_key thread, std::string address, std::string answer)
{
    return inner_.answer(std::move(thread), std::move(address), std::move(answer));
}

task<std::vector<question_record>> forwarding_store::questions(thread_key thread)
{
    return inner_.questions(std::move(thread));
}

task<prune_report> forwarding_store::prune(thread_key thread, retention what)
{
    return inner_.prune(std::move(thread), what);
}

task<bool> forwarding_store::drop(thread_key thread)
{
    return inner_.drop(std::move(thread));
}

task<thread_usage> forwarding_store::usage(thread_key thread)
{
    return inner_.usage(std::move(thread));
}

task<std::vector<thread_summary>> forwarding_store::threads(std::string tenant, std::string after, std::size_t max)
{
    return inner_.threads(std::move(tenant), std::move(after), max);
}

}  // namespace weft
