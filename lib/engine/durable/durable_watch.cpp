#include "durable_impl.hpp"

#include <utility>

namespace weft {

task<std::optional<run_record>> durable_engine::impl::active_run(std::shared_ptr<impl> self, thread_key thread)
{
    const auto look = [self, thread] { return self->store.active_run(thread); };
    auto looking = patiently(self, look);
    co_return co_await std::move(looking);
}

task<std::optional<checkpoint>> durable_engine::impl::newest_checkpoint(std::shared_ptr<impl> self, thread_key thread)
{
    const auto load = [self, thread] { return self->store.load(thread, std::nullopt); };
    auto loading = patiently(self, load);
    co_return co_await std::move(loading);
}

task<run_record> durable_engine::impl::require_run(std::shared_ptr<impl> self, run_id run)
{
    const auto look = [self, run] { return self->store.find_run(run); };
    auto looking = patiently(self, look);
    std::optional<run_record> record = co_await std::move(looking);
    if (!record) throw error{errc::thread_not_found, "run " + run.text(), "the store does not know it any more"};
    co_return std::move(*record);
}

namespace {

/** The run that a thread has, or had last; nothing if the store knows neither a run nor a checkpoint. */
task<std::optional<run_id>> newest_run(std::shared_ptr<durable_engine::impl> self, thread_key thread)
{
    auto looking = durable_engine::impl::active_run(self, thread);
    const std::optional<run_record> active = co_await std::move(looking);
    if (active) co_return active->id;
    auto loading = durable_engine::impl::newest_checkpoint(self, std::move(thread));
    const std::optional<checkpoint> head = co_await std::move(loading);
    if (!head) co_return std::nullopt;
    co_return head->run;
}

}  // namespace

task<run_result> durable_engine::impl::watch(std::shared_ptr<impl> self, thread_key thread)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    task<std::optional<run_id>> finding = newest_run(self, thread);
    const std::optional<run_id> found = co_await std::move(finding);
    if (!found)
        throw error{errc::thread_not_found, "thread '" + thread.thread + "'", "it has neither a run nor a checkpoint"};
    for (;;) {
        task<run_record> looking = require_run(self, *found);
        run_record record = co_await std::move(looking);
        if (is_over(record.phase) || record.phase == run_phase::waiting) {
            task<run_result> reading = stored_result(self, std::move(record));
            co_return co_await std::move(reading);
        }
        task<void> waiting = wait_for_news(self, self->options.poll_every());
        co_await std::move(waiting);
    }
}

}  // namespace weft
