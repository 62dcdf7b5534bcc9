#include "durable_impl.hpp"

#include <utility>

namespace weft {

durable_engine::durable_engine(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                               durable_options options)
    : impl_{std::make_shared<impl>(store, std::move(graphs), std::move(options))}
{
}

durable_engine::~durable_engine() { impl_->shut(); }

worker_id durable_engine::worker() const noexcept { return impl_->worker; }

serial_loop& durable_engine::home() const
{
    impl_->require_open();
    return *impl_->loop;
}

namespace {

task<void> open_engine(std::shared_ptr<durable_engine::impl> self)
{
    serial_loop& loop = co_await this_task::loop();
    self->open(loop);
    task<void> entering = durable_engine::impl::be_worker(self);
    co_await std::move(entering);
}

task<void> close_engine(std::shared_ptr<durable_engine::impl> self)
{
    task<void> draining = durable_engine::impl::drain(self);
    co_await std::move(draining);
    const worker_id worker = self->worker;
    self->shut();
    if (worker == 0) co_return;
    task<void> leaving = self->store.leave(worker);
    co_await std::move(leaving);
}

}  // namespace

task<void> durable_engine::open() { return open_engine(impl_); }
task<void> durable_engine::close() { return close_engine(impl_); }
task<run_result> durable_engine::run(durable_request request) { return impl::run(impl_, std::move(request)); }
task<run_result> durable_engine::resume(thread_key thread, question_answers answers, run_request with)
{
    return impl::resume(impl_, std::move(thread), std::move(answers), std::move(with));
}
task<run_result> durable_engine::follow(thread_key thread) { return impl::watch(impl_, std::move(thread)); }
task<bool> durable_engine::revive(thread_key thread) { return impl::revive(impl_, std::move(thread)); }
task<void> durable_engine::answer(thread_key thread, question_answers answers)
{
    return impl::answer(impl_, std::move(thread), std::move(answers));
}
task<std::vector<open_question>> durable_engine::questions(thread_key thread)
{
    return impl::questions(impl_, std::move(thread));
}

task<std::vector<effect_record>> durable_engine::effects(thread_key thread)
{
    return impl::effects(impl_, std::move(thread));
}
task<bool> durable_engine::pause(thread_key thread)
{
    return impl::signal_thread(impl_, std::move(thread), run_signal::pause);
}
task<bool> durable_engine::stop(thread_key thread)
{
    return impl::signal_thread(impl_, std::move(thread), run_signal::cancel);
}
task<std::size_t> durable_engine::recover() { return impl::recover(impl_); }
task<void> durable_engine::work() { return impl::work(impl_); }
task<void> durable_engine::drain() { return impl::drain(impl_); }
task<std::vector<checkpoint_info>> durable_engine::history(thread_key thread, history_page page)
{
    return impl_->store.history(std::move(thread), std::move(page));
}
task<thread_snapshot> durable_engine::read(thread_key thread, std::optional<std::int64_t> sequence)
{
    return impl::read(impl_, std::move(thread), sequence);
}
task<thread_snapshot> durable_engine::fork(thread_key from, std::int64_t sequence, thread_key to, state_update edits)
{
    return impl::fork(impl_, std::move(from), sequence, std::move(to), std::move(edits));
}
task<thread_snapshot> durable_engine::edit(thread_key thread, state_update edits)
{
    return impl::edit(impl_, std::move(thread), std::move(edits));
}
task<run_result> durable_engine::replay(thread_key from, std::int64_t sequence, durable_request request)
{
    return impl::replay(impl_, std::move(from), sequence, std::move(request));
}
task<bool> durable_engine::forget(thread_key thread) { return impl::forget(impl_, std::move(thread)); }

}  // namespace weft
