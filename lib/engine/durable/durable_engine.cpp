#include "durable_part.hpp"

#include <utility>

namespace weft {

durable_engine::durable_engine(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                               durable_options options)
    : part_{std::make_shared<part>(store, std::move(graphs), std::move(options))}
{
}

durable_engine::~durable_engine() { part_->shut(); }

worker_id durable_engine::worker() const noexcept { return part_->worker; }

serial_loop& durable_engine::home() const
{
    part_->require_open();
    return *part_->loop;
}

namespace {

task<void> open_part(std::shared_ptr<durable_engine::part> self)
{
    serial_loop& loop = co_await this_task::loop();
    self->open(loop);
    task<void> entering = durable_engine::part::be_worker(self);
    co_await std::move(entering);
}

task<void> close_part(std::shared_ptr<durable_engine::part> self)
{
    task<void> draining = durable_engine::part::drain(self);
    co_await std::move(draining);
    const worker_id worker = self->worker;
    self->shut();
    if (worker == 0) co_return;
    task<void> leaving = self->store.leave(worker);
    co_await std::move(leaving);
}

}  // namespace

task<void> durable_engine::open() { return open_part(part_); }
task<void> durable_engine::close() { return close_part(part_); }
task<run_result> durable_engine::run(durable_request request) { return part::run(part_, std::move(request)); }
task<run_result> durable_engine::resume(thread_key thread, question_answers answers, run_request with)
{
    return part::resume(part_, std::move(thread), std::move(answers), std::move(with));
}
task<run_result> durable_engine::follow(thread_key thread) { return part::watch(part_, std::move(thread)); }
task<bool> durable_engine::revive(thread_key thread) { return part::revive(part_, std::move(thread)); }
task<void> durable_engine::answer(thread_key thread, question_answers answers)
{
    return part::answer(part_, std::move(thread), std::move(answers));
}
task<std::vector<open_question>> durable_engine::questions(thread_key thread)
{
    return part::questions(part_, std::move(thread));
}

task<std::vector<effect_record>> durable_engine::effects(thread_key thread)
{
    return part::effects(part_, std::move(thread));
}
task<bool> durable_engine::pause(thread_key thread)
{
    return part::signal_thread(part_, std::move(thread), run_signal::pause);
}
task<bool> durable_engine::stop(thread_key thread)
{
    return part::signal_thread(part_, std::move(thread), run_signal::cancel);
}
task<std::size_t> durable_engine::recover() { return part::recover(part_); }
task<void> durable_engine::work() { return part::work(part_); }
task<void> durable_engine::drain() { return part::drain(part_); }
task<std::vector<checkpoint_info>> durable_engine::history(thread_key thread, history_page page)
{
    return part_->store.history(std::move(thread), std::move(page));
}
task<thread_snapshot> durable_engine::read(thread_key thread, std::optional<std::int64_t> sequence)
{
    return part::read(part_, std::move(thread), sequence);
}
task<thread_snapshot> durable_engine::fork(thread_key from, std::int64_t sequence, thread_key to, state_update edits)
{
    return part::fork(part_, std::move(from), sequence, std::move(to), std::move(edits));
}
task<thread_snapshot> durable_engine::edit(thread_key thread, state_update edits)
{
    return part::edit(part_, std::move(thread), std::move(edits));
}
task<run_result> durable_engine::replay(thread_key from, std::int64_t sequence, durable_request request)
{
    return part::replay(part_, std::move(from), sequence, std::move(request));
}
task<bool> durable_engine::forget(thread_key thread) { return part::forget(part_, std::move(thread)); }

}  // namespace weft
