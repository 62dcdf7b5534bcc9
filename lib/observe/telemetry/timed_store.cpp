#include <weft/observe/telemetry/timed_store.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace weft {

namespace {

template <class Result>
void note_result(weft_metrics&, const char*, const Result&)
{
}

void note_result(weft_metrics& metrics, const char* op, write_state state)
{
    if (state == write_state::fenced) metrics.fence_refused.at({op}).add();
}

void note_result(weft_metrics& metrics, const char* op, const commit_result& result)
{
    note_result(metrics, op, result.state);
}

void note_result(weft_metrics& metrics, const char*, const heartbeat_report& report)
{
    if (!report.is_alive) metrics.lease_lost.at({}).add();
}

/** @param op   A literal. */
template <class Result>
task<Result> timed_operation(weft_metrics& metrics, const char* op, task<Result> work)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point began = loop.now();
    const auto note_time = [&] {
        const std::chrono::duration<double> elapsed = loop.now() - began;
        metrics.store_seconds.at({op}).observe(elapsed.count());
    };
    std::exception_ptr failed;
    try {
        Result result = co_await std::move(work);
        note_time();
        note_result(metrics, op, result);
        co_return result;
    } catch (...) {
        failed = std::current_exception();
    }
    note_time();
    // A stop of the run says nothing of the store.
    const errc code = code_of(failed);
    if (code != errc::cancelled) metrics.store_errors.at({op, name_of(code)}).add();
    std::rethrow_exception(failed);
}

task<bool> done(task<void> work)
{
    co_await std::move(work);
    co_return true;
}

}  // namespace

task<heartbeat_report> timed_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    return timed_operation(metrics_, "heartbeat", forwarding_store::heartbeat(worker, lifetime));
}

task<run_admission> timed_store::enqueue(new_run run)
{
    return timed_operation(metrics_, "enqueue", forwarding_store::enqueue(std::move(run)));
}

task<std::vector<run_claim>> timed_store::claim(worker_id worker, std::size_t max)
{
    return timed_operation(metrics_, "claim", forwarding_store::claim(worker, max));
}

task<write_state> timed_store::finish(write_fence fence, run_outcome outcome)
{
    return timed_operation(metrics_, "finish", forwarding_store::finish(std::move(fence), std::move(outcome)));
}

task<write_state> timed_store::yield(write_fence fence)
{
    return timed_operation(metrics_, "yield", forwarding_store::yield(std::move(fence)));
}

task<commit_result> timed_store::commit(write_fence fence, checkpoint_draft draft)
{
    return timed_operation(metrics_, "commit", forwarding_store::commit(std::move(fence), std::move(draft)));
}

task<std::optional<checkpoint>> timed_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    return timed_operation(metrics_, "load", forwarding_store::load(std::move(thread), sequence));
}

task<void> timed_store::read_ahead(thread_key thread, std::vector<content_hash> roots, std::size_t likely,
                                   blob_receiver& into)
{
    task<bool> reading = done(inner().read_ahead(std::move(thread), std::move(roots), likely, into));
    task<bool> timed = timed_operation(metrics_, "read_ahead", std::move(reading));
    static_cast<void>(co_await std::move(timed));
}

task<std::vector<blob>> timed_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    return timed_operation(metrics_, "read_blobs", forwarding_store::read_blobs(std::move(thread), std::move(hashes)));
}

task<write_state> timed_store::record(write_fence fence, effect_record effect)
{
    return timed_operation(metrics_, "record", forwarding_store::record(std::move(fence), std::move(effect)));
}

task<answer_state> timed_store::answer(thread_key thread, std::string address, std::string answer)
{
    return timed_operation(metrics_, "answer",
                           forwarding_store::answer(std::move(thread), std::move(address), std::move(answer)));
}

}  // namespace weft
