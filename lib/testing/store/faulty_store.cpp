#include <weft/testing/faulty_store.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <string>
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

void faulty_store::crash_at(std::uint64_t operation, crash_point where) noexcept
{
    crash_at_ = operation;
    crash_point_ = where;
}

void faulty_store::restart() noexcept
{
    is_down_ = false;
    crash_at_.reset();
    late_.clear();
}

std::chrono::milliseconds faulty_store::some_delay() noexcept
{
    return std::chrono::milliseconds{random_.below(static_cast<std::uint64_t>(faults_.delay_max.count()) + 1)};
}

// Draws as many numbers whatever comes of it, so that one fault does not shift all later ones.
faulty_store::verdict faulty_store::judge(access what) noexcept
{
    verdict decided;
    decided.number = ++operations_;
    decided.before = some_delay();
    decided.after = some_delay();
    double left = random_.uniform();
    const auto falls_into = [&](double share) { return (left -= share) < 0; };
    const bool writes = what == access::writes;
    if (falls_into(faults_.requests_lost)) decided.what = fault::request_lost;
    else if (falls_into(faults_.replies_lost)) decided.what = fault::reply_lost;
    else if (writes && falls_into(faults_.delivered_late)) decided.what = fault::late;
    else if (writes && falls_into(faults_.delivered_twice)) decided.what = fault::twice;
    else if (writes && falls_into(faults_.full)) decided.what = fault::full;
    if (decided.what != fault::none) ++disturbed_;
    return decided;
}

void faulty_store::throw_fault(errc code, std::uint64_t number, const char* why)
{
    throw error{code, "faulty store", std::string{why} + " (operation " + std::to_string(number) + ")"};
}

void faulty_store::before_it_is_done(const verdict& decided)
{
    const bool crashes = crash_at_ && decided.number >= *crash_at_;
    if (crashes && (crash_point_ == crash_point::before_it_is_done || decided.number > *crash_at_)) is_down_ = true;
    if (is_down_) throw_fault(errc::store_unavailable, decided.number, "the store has crashed");
    if (decided.what == fault::request_lost) throw_fault(errc::store_unavailable, decided.number, "a lost request");
    if (decided.what == fault::full) throw_fault(errc::store_full, decided.number, "no space is left");
}

void faulty_store::after_it_is_done(access what, const verdict& decided)
{
    const errc unheard = what == access::writes ? errc::store_outcome_unknown : errc::store_unavailable;
    if (crash_at_ && decided.number >= *crash_at_) is_down_ = true;
    if (is_down_) throw_fault(unheard, decided.number, "the store has crashed");
    if (decided.what == fault::reply_lost) throw_fault(unheard, decided.number, "a lost reply");
}

task<void> faulty_store::deliver_late_writes()
{
    std::vector<task<void>> due;
    for (std::size_t i = late_.size(); i-- > 0;) {
        if (random_.below(4) > 0) continue;
        due.push_back(std::move(late_[i]));
        late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (task<void>& each : due) co_await std::move(each);
}

template <class Make>
auto faulty_store::through(access what, Make make) -> decltype(make())
{
    const verdict decided = judge(what);
    if (!late_.empty()) co_await deliver_late_writes();
    if (decided.before.count() > 0) co_await sleep_for(decided.before);
    before_it_is_done(decided);
    if (decided.what == fault::late) {
        late_.push_back(done_unheard(make()));
        throw_fault(errc::store_outcome_unknown, decided.number, "a write that is late");
    }
    using value = typename decltype(make())::value_type;
    if constexpr (std::is_void_v<value>) {
        co_await make();
        if (decided.what == fault::twice) late_.push_back(done_unheard(make()));
        if (decided.after.count() > 0) co_await sleep_for(decided.after);
        after_it_is_done(what, decided);
    } else {
        value result = co_await make();
        if (decided.what == fault::twice) late_.push_back(done_unheard(make()));
        if (decided.after.count() > 0) co_await sleep_for(decided.after);
        after_it_is_done(what, decided);
        co_return result;
    }
}

task<worker_id> faulty_store::enter(std::string name, std::chrono::milliseconds lifetime)
{
    return through(access::writes, [this, name = std::move(name), lifetime] { return inner().enter(name, lifetime); });
}

task<heartbeat_report> faulty_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    return through(access::writes, [this, worker, lifetime] { return inner().heartbeat(worker, lifetime); });
}

task<void> faulty_store::leave(worker_id worker)
{
    return through(access::writes, [this, worker] { return inner().leave(worker); });
}

task<std::size_t> faulty_store::reap(std::size_t runs_max)
{
    return through(access::writes, [this, runs_max] { return inner().reap(runs_max); });
}

task<run_admission> faulty_store::enqueue(new_run run)
{
    return through(access::writes, [this, run = std::move(run)] { return inner().enqueue(run); });
}

task<std::vector<run_claim>> faulty_store::claim(worker_id worker, std::size_t max)
{
    return through(access::writes, [this, worker, max] { return inner().claim(worker, max); });
}

task<std::optional<run_claim>> faulty_store::resume(worker_id worker, run_id run)
{
    return through(access::writes, [this, worker, run] { return inner().resume(worker, run); });
}

task<write_state> faulty_store::finish(write_fence fence, run_outcome outcome)
{
    return through(access::writes, [this, fence = std::move(fence), outcome = std::move(outcome)] {
        return inner().finish(fence, outcome);
    });
}

task<write_state> faulty_store::yield(write_fence fence)
{
    return through(access::writes, [this, fence = std::move(fence)] { return inner().yield(fence); });
}

task<std::optional<run_id>> faulty_store::signal(thread_key thread, run_signal what)
{
    return through(access::writes, [this, thread = std::move(thread), what] { return inner().signal(thread, what); });
}

task<std::optional<run_record>> faulty_store::find_run(run_id run)
{
    return through(access::reads, [this, run] { return inner().find_run(run); });
}

task<std::optional<run_record>> faulty_store::active_run(thread_key thread)
{
    return through(access::reads, [this, thread = std::move(thread)] { return inner().active_run(thread); });
}

task<commit_result> faulty_store::commit(write_fence fence, checkpoint_draft draft)
{
    return through(access::writes, [this, fence = std::move(fence), draft = std::move(draft)] {
        return inner().commit(fence, draft);
    });
}

task<std::optional<checkpoint>> faulty_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    return through(access::reads, [this, thread = std::move(thread), sequence] {
        return inner().load(thread, sequence);
    });
}

task<std::optional<std::pair<thread_key, std::int64_t>>> faulty_store::find(checkpoint_id id)
{
    return through(access::reads, [this, id] { return inner().find(id); });
}

task<std::vector<blob>> faulty_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    return through(access::reads, [this, thread = std::move(thread), hashes = std::move(hashes)] {
        return inner().read_blobs(thread, hashes);
    });
}

task<std::vector<checkpoint_info>> faulty_store::history(thread_key thread, history_page page)
{
    return through(access::reads, [this, thread = std::move(thread), page] { return inner().history(thread, page); });
}

task<bool> faulty_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    return through(access::writes, [this, from = std::move(from), sequence, to = std::move(to), id] {
        return inner().fork(from, sequence, to, id);
    });
}

task<bool> faulty_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    return through(access::writes, [this, thread = std::move(thread), sequence, name = std::move(name)] {
        return inner().label(thread, sequence, name);
    });
}

task<write_state> faulty_store::record(write_fence fence, effect_record effect)
{
    return through(access::writes, [this, fence = std::move(fence), effect = std::move(effect)] {
        return inner().record(fence, effect);
    });
}

task<std::vector<effect_record>> faulty_store::effects(thread_key thread)
{
    return through(access::reads, [this, thread = std::move(thread)] { return inner().effects(thread); });
}

task<write_state> faulty_store::ask(write_fence fence, question_record question)
{
    return through(access::writes, [this, fence = std::move(fence), question = std::move(question)] {
        return inner().ask(fence, question);
    });
}

task<answer_state> faulty_store::answer(thread_key thread, std::string address, std::string answer)
{
    auto make = [this, thread = std::move(thread), address = std::move(address), answer = std::move(answer)] {
        return inner().answer(thread, address, answer);
    };
    return through(access::writes, std::move(make));
}

task<std::vector<question_record>> faulty_store::questions(thread_key thread)
{
    return through(access::reads, [this, thread = std::move(thread)] { return inner().questions(thread); });
}

task<prune_report> faulty_store::prune(thread_key thread, retention what)
{
    return through(access::writes, [this, thread = std::move(thread), what] { return inner().prune(thread, what); });
}

task<bool> faulty_store::drop(thread_key thread)
{
    return through(access::writes, [this, thread = std::move(thread)] { return inner().drop(thread); });
}

task<thread_usage> faulty_store::usage(thread_key thread)
{
    return through(access::reads, [this, thread = std::move(thread)] { return inner().usage(thread); });
}

task<std::vector<thread_summary>> faulty_store::threads(std::string tenant, std::string after, std::size_t max)
{
    return through(access::reads, [this, tenant = std::move(tenant), after = std::move(after), max] {
        return inner().threads(tenant, after, max);
    });
}

}  // namespace weft::testing
