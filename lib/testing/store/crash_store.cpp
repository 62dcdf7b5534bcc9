#include <weft/testing/crash_kit.hpp>
#include <weft/testing/store/crash_store.hpp>

#include <csignal>
#include <string>
#include <utility>

#include <unistd.h>

namespace weft::testing {

namespace {

// Nothing of this process runs any more: no destructor, no handler, no buffer that is written out.
void die() { ::kill(::getpid(), SIGKILL); }

}  // namespace

/** A write, at which the process may be killed. */
template <class Make>
auto crash_store::at_boundary(Make make) -> decltype(make())
{
    const bool is_it = ++writes_ == round_.write();
    if (is_it && !round_.dies_after()) die();
    auto answer = co_await make();
    if (is_it) die();
    co_return answer;
}

crash_store::~crash_store() { round_.note("writes " + std::to_string(writes_)); }

task<worker_id> crash_store::enter(worker_entry entry)
{
    return at_boundary([this, entry = std::move(entry)] { return inner().enter(entry); });
}

task<std::size_t> crash_store::reap(std::size_t runs_max)
{
    return at_boundary([this, runs_max] { return inner().reap(runs_max); });
}

task<run_admission> crash_store::enqueue(new_run run)
{
    return at_boundary([this, run = std::move(run)] { return inner().enqueue(run); });
}

task<std::vector<run_claim>> crash_store::claim(worker_id worker, std::size_t max)
{
    return at_boundary([this, worker, max] { return inner().claim(worker, max); });
}

task<std::optional<run_claim>> crash_store::resume(worker_id worker, run_id run)
{
    return at_boundary([this, worker, run] { return inner().resume(worker, run); });
}

task<write_state> crash_store::finish(write_fence fence, run_outcome outcome)
{
    return at_boundary([this, fence = std::move(fence), outcome = std::move(outcome)] {
        return inner().finish(fence, outcome);
    });
}

task<commit_result> crash_store::commit(write_fence fence, checkpoint_draft draft)
{
    return at_boundary([this, fence = std::move(fence), draft = std::move(draft)] {
        return inner().commit(fence, draft);
    });
}

/** An outcome that is acknowledged must not be brought about again. */
task<write_state> crash_store::record_and_note(crash_store* self, write_fence fence, effect_record effect)
{
    const bool is_done = effect.phase == effect_phase::done;
    const std::string line = "kept " + effect.key;
    const write_state state = co_await self->inner().record(std::move(fence), std::move(effect));
    if (is_done && state == write_state::ok) self->round_.note(line);
    co_return state;
}

task<write_state> crash_store::record(write_fence fence, effect_record effect)
{
    return at_boundary([this, fence = std::move(fence), effect = std::move(effect)] {
        return record_and_note(this, fence, effect);
    });
}

task<write_state> crash_store::ask(write_fence fence, question_record question)
{
    return at_boundary([this, fence = std::move(fence), question = std::move(question)] {
        return inner().ask(fence, question);
    });
}

task<answer_state> crash_store::answer(thread_key thread, std::string address, std::string answer)
{
    return at_boundary([this, thread = std::move(thread), address = std::move(address), answer = std::move(answer)] {
        return inner().answer(thread, address, answer);
    });
}

}  // namespace weft::testing
