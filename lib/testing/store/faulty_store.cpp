#include <weft/testing/faulty_store.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <type_traits>
#include <utility>

namespace weft::testing {

namespace {

/** Does it for its effect alone: its result or failure is dropped. */
template <class T>
task<void> done_unheard(task<T> work)
{
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const error&) {
    }
}

task<void> done_unheard(task<void> work)
{
    try {
        co_await std::move(work);
    } catch (const error&) {
    }
}

}  // namespace

// What was still on its way when the store crashed is lost, and was never acknowledged.
void faulty_store::restart() noexcept
{
    plan_.restart();
    late_.clear();
}

// A write whose connection broke may still be done by the server, long after its writer has given up.
task<void> faulty_store::deliver_late_writes()
{
    std::vector<task<void>> due;
    for (std::size_t i = late_.size(); i-- > 0;) {
        if (!plan_.is_due()) continue;
        due.push_back(std::move(late_[i]));
        late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (task<void>& each : due) co_await std::move(each);
}

template <class Make>
auto faulty_store::through(store_access what, Make make) -> decltype(make())
{
    const fault_plan::decision decided = plan_.decide(what);
    if (!late_.empty()) co_await deliver_late_writes();
    if (decided.before.count() > 0) co_await sleep_for(decided.before);
    plan_.refuse_before(decided);
    if (decided.what == fault_plan::fault::late) {
        late_.push_back(done_unheard(make()));
        plan_.refuse_late(decided);
    }
    using value = typename decltype(make())::value_type;
    if constexpr (std::is_void_v<value>) {
        co_await make();
        if (decided.what == fault_plan::fault::twice) late_.push_back(done_unheard(make()));
        if (decided.after.count() > 0) co_await sleep_for(decided.after);
        plan_.refuse_after(what, decided);
    } else {
        value result = co_await make();
        if (decided.what == fault_plan::fault::twice) late_.push_back(done_unheard(make()));
        if (decided.after.count() > 0) co_await sleep_for(decided.after);
        plan_.refuse_after(what, decided);
        co_return result;
    }
}

task<worker_id> faulty_store::enter(worker_entry entry)
{
    return through(store_access::writes, [this, entry = std::move(entry)] {
        return inner().enter(entry);
    });
}

task<heartbeat_report> faulty_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    return through(store_access::writes, [this, worker, lifetime] { return inner().heartbeat(worker, lifetime); });
}

task<bool> faulty_store::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    return through(store_access::writes, [this, worker, graphs = std::move(graphs)] {
        return inner().change_graphs(worker, graphs);
    });
}

task<void> faulty_store::leave(worker_id worker)
{
    return through(store_access::writes, [this, worker] { return inner().leave(worker); });
}

task<std::size_t> faulty_store::reap(std::size_t runs_max)
{
    return through(store_access::writes, [this, runs_max] { return inner().reap(runs_max); });
}

task<run_admission> faulty_store::enqueue(new_run run)
{
    return through(store_access::writes, [this, run = std::move(run)] { return inner().enqueue(run); });
}

task<std::vector<run_claim>> faulty_store::claim(worker_id worker, std::size_t max)
{
    return through(store_access::writes, [this, worker, max] { return inner().claim(worker, max); });
}

task<std::optional<run_claim>> faulty_store::resume(worker_id worker, run_id run)
{
    return through(store_access::writes, [this, worker, run] { return inner().resume(worker, run); });
}

task<write_state> faulty_store::finish(write_fence fence, run_outcome outcome)
{
    return through(store_access::writes, [this, fence = std::move(fence), outcome = std::move(outcome)] {
        return inner().finish(fence, outcome);
    });
}

task<write_state> faulty_store::bind(write_fence fence, std::string revision)
{
    return through(store_access::writes, [this, fence = std::move(fence), revision = std::move(revision)] {
        return inner().bind(fence, revision);
    });
}

task<bool> faulty_store::change_input(thread_key thread, run_id run, std::string input)
{
    return through(store_access::writes, [this, thread = std::move(thread), run, input = std::move(input)] {
        return inner().change_input(thread, run, input);
    });
}

task<write_state> faulty_store::yield(write_fence fence)
{
    return through(store_access::writes, [this, fence = std::move(fence)] { return inner().yield(fence); });
}

task<std::optional<run_id>> faulty_store::signal(thread_key thread, run_signal what)
{
    return through(store_access::writes, [this, thread = std::move(thread), what] {
        return inner().signal(thread, what);
    });
}

task<std::optional<run_record>> faulty_store::find_run(run_id run)
{
    return through(store_access::reads, [this, run] { return inner().find_run(run); });
}

task<std::optional<run_record>> faulty_store::active_run(thread_key thread)
{
    return through(store_access::reads, [this, thread = std::move(thread)] { return inner().active_run(thread); });
}

task<commit_result> faulty_store::commit(write_fence fence, checkpoint_draft draft)
{
    return through(store_access::writes, [this, fence = std::move(fence), draft = std::move(draft)] {
        return inner().commit(fence, draft);
    });
}

task<std::optional<checkpoint>> faulty_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    return through(store_access::reads, [this, thread = std::move(thread), sequence] {
        return inner().load(thread, sequence);
    });
}

task<std::optional<std::pair<thread_key, std::int64_t>>> faulty_store::find(checkpoint_id id)
{
    return through(store_access::reads, [this, id] { return inner().find(id); });
}

task<std::vector<blob>> faulty_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    return through(store_access::reads, [this, thread = std::move(thread), hashes = std::move(hashes)] {
        return inner().read_blobs(thread, hashes);
    });
}

task<std::vector<checkpoint_info>> faulty_store::history(thread_key thread, history_page page)
{
    return through(store_access::reads, [this, thread = std::move(thread), page] {
        return inner().history(thread, page);
    });
}

task<bool> faulty_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    return through(store_access::writes, [this, from = std::move(from), sequence, to = std::move(to), id] {
        return inner().fork(from, sequence, to, id);
    });
}

task<bool> faulty_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    return through(store_access::writes, [this, thread = std::move(thread), sequence, name = std::move(name)] {
        return inner().label(thread, sequence, name);
    });
}

task<write_state> faulty_store::record(write_fence fence, effect_record effect)
{
    return through(store_access::writes, [this, fence = std::move(fence), effect = std::move(effect)] {
        return inner().record(fence, effect);
    });
}

task<std::vector<effect_record>> faulty_store::effects(thread_key thread)
{
    return through(store_access::reads, [this, thread = std::move(thread)] { return inner().effects(thread); });
}

task<write_state> faulty_store::ask(write_fence fence, question_record question)
{
    return through(store_access::writes, [this, fence = std::move(fence), question = std::move(question)] {
        return inner().ask(fence, question);
    });
}

task<answer_state> faulty_store::answer(thread_key thread, std::string address, std::string answer)
{
    auto make = [this, thread = std::move(thread), address = std::move(address), answer = std::move(answer)] {
        return inner().answer(thread, address, answer);
    };
    return through(store_access::writes, std::move(make));
}

task<std::vector<question_record>> faulty_store::questions(thread_key thread)
{
    return through(store_access::reads, [this, thread = std::move(thread)] { return inner().questions(thread); });
}

task<prune_report> faulty_store::prune(thread_key thread, retention what)
{
    return through(store_access::writes, [this, thread = std::move(thread), what] {
        return inner().prune(thread, what);
    });
}

task<bool> faulty_store::drop(thread_key thread)
{
    return through(store_access::writes, [this, thread = std::move(thread)] { return inner().drop(thread); });
}

task<thread_usage> faulty_store::usage(thread_key thread)
{
    return through(store_access::reads, [this, thread = std::move(thread)] { return inner().usage(thread); });
}

task<std::vector<thread_summary>> faulty_store::threads(std::string tenant, std::string after, std::size_t max)
{
    return through(store_access::reads, [this, tenant = std::move(tenant), after = std::move(after), max] {
        return inner().threads(tenant, after, max);
    });
}

}  // namespace weft::testing
